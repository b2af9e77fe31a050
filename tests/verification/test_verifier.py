"""Where a rollout leaves reality and what kind of error that is: a table of altered real runs, each classified right."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from local_worlds import altered, exact, small, traced
from markov_programs import PROGRAMS

from cwm_agent.imagination.rollout_loop import End, Rollout, RolloutStart, imagine
from cwm_agent.verification.verifier import Divergence, TraceComparison, compare, first_difference, value_type
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Outcome, Trace

VALUES = (
    "def f(a):\n    i = a + 1\n    s = 'x' * i\n    xs = [a, i]\n    d = {a: i}\n    t = (a, i)\n    q = a > 5\n"
    "    e = {a, i}\n    h = a / 2\n    n = None\n    b = b'x' * i\n    r = range(i)\n    m = -i\n    fs = frozenset(xs)\n    return t",
    "2",
)
LOOP = ("def f(xs):\n    t = 0\n    for x in xs:\n        if x > 1:\n            t += x\n    return t", "[1, 2, 3]")
ALIAS = ("def f(g):\n    row = g[0]\n    row.append(9)\n    n = len(g)\n    return g", "[[1], [2]]")
RAISES = ("def f(d):\n    try:\n        x = d['k']\n    except KeyError:\n        x = 0\n    return x", "{}")
CALLS = (
    "N = 1\nM = 2\ndef g(x):\n    global N\n    N = x\n    return x * 2\ndef f(x):\n    y = g(x)\n    return y + M",
    "4",
)
DOWN = ("def f(n):\n    t = 0\n    while n:\n        t += n\n        n -= 1\n    return t", "2")
COUNTED = ("def f(k):\n    r = range(k)\n    t = 0\n    for i in r:\n        t += i\n    s = sum(r)\n    return t", "2")
KEYS = ("def f(d):\n    e = dict(d)\n    t = 0\n    for k in e:\n        t += 1\n    return t", "{'a': 1}")
ITERATED = ("def f(xs):\n    it = iter(xs)\n    for x in it:\n        pass\n    return x", "[1, 2]")


def rollout(frames: tuple[Frame, ...], outcome: Outcome | None, end: End = "outcome", reason: str = "") -> Rollout:
    return Rollout(frames, ("given", *["imagined"] * (len(frames) - 1)), end, outcome, reason=reason)  # type: ignore[arg-type]


def at(real: Trace, index: int, frame: Frame) -> Rollout:
    """The real run with one frame replaced."""
    return rollout((*real.frames[:index], frame, *real.frames[index + 1 :]), real.outcome)


def first_with(real: Trace, name: str) -> int:
    return next(index for index, frame in enumerate(real.frames) if name in dict(frame.locals))


def wrong(name: str, text: str) -> Callable[[Trace], tuple[int, Rollout]]:
    """The frame in which a name is first bound, with another value of it."""

    def alter(real: Trace) -> tuple[int, Rollout]:
        index = first_with(real, name)
        return index, at(real, index, altered(real.frames[index], **{name: text}))

    return alter


def wrong_later(name: str, before: str, after: str, text: str) -> Callable[[Trace], tuple[int, Rollout]]:
    """The frame in which a name first goes from one value to another, with a third value of it."""

    def alter(real: Trace) -> tuple[int, Rollout]:
        values = [dict(frame.locals).get(name) for frame in real.frames]
        index = next(step for step in range(1, len(values)) if values[step - 1 : step + 1] == [before, after])
        return index, at(real, index, altered(real.frames[index], **{name: text}))

    return alter


def wrong_object(name: str, content: str, later: int = 0) -> Callable[[Trace], tuple[int, Rollout]]:
    """The frame in which a name is first bound, or a later one, with another content of the object it refers to."""

    def alter(real: Trace) -> tuple[int, Rollout]:
        index = first_with(real, name) + later
        frame = real.frames[index]
        label = int(dict(frame.locals)[name][1:])
        return index, at(real, index, replace(frame, heap=tuple(sorted((dict(frame.heap) | {label: content}).items()))))

    return alter


def moved(place: Callable[[Trace], int], line: int) -> Callable[[Trace], tuple[int, Rollout]]:
    """One frame at another line."""

    def alter(real: Trace) -> tuple[int, Rollout]:
        index = place(real)
        frame = real.frames[index]
        top = replace(frame.stack[-1], line=line)
        return index, at(real, index, replace(frame, stack=(*frame.stack[:-1], top)))

    return alter


def by_text(program: Program, text: str) -> int:
    return next(number for number, line in enumerate(program.lines, start=1) if line.strip() == text)


def event(place: Callable[[Trace], int], kind: str, arg: str | None) -> Callable[[Trace], tuple[int, Rollout]]:
    def alter(real: Trace) -> tuple[int, Rollout]:
        index = place(real)
        return index, at(real, index, replace(real.frames[index], event=kind, arg=arg))  # type: ignore[arg-type]

    return alter


def number(index: int) -> Callable[[Trace], int]:
    return lambda real: range(len(real))[index]


def of_event(kind: str) -> Callable[[Trace], int]:
    return lambda real: next(index for index, frame in enumerate(real.frames) if frame.event == kind)


def inner_call(real: Trace) -> int:
    return next(index for index, frame in enumerate(real.frames) if frame.event == "call" and frame.depth == 2)


def after_line(text: str, source: tuple[str, str]) -> Callable[[Trace], int]:
    """The frame that follows a line of the decomposed program."""

    def find(real: Trace) -> int:
        line = by_text(traced(*source)[0], text)
        return 1 + next(
            index for index, frame in enumerate(real.frames) if frame.line == line and frame.event == "line"
        )

    return find


def wrong_global(name: str, text: str | None) -> Callable[[Trace], tuple[int, Rollout]]:
    def alter(real: Trace) -> tuple[int, Rollout]:
        index = of_event("return")(real)
        frame = real.frames[index]
        rows = {key: value for key, value in (dict(frame.globals) | {name: text}).items() if value is not None}
        return index, at(real, index, replace(frame, globals=tuple(sorted(rows.items()))))

    return alter


def swapped_labels(real: Trace) -> tuple[int, Rollout]:
    """`row` refers to a new list of equal content, and not to the first of the grid."""
    index = first_with(real, "row")
    frame = real.frames[index]
    heap = (*frame.heap, (9, "[1]"))
    return index, at(real, index, altered(replace(frame, heap=heap), row="#9"))


@dataclass(frozen=True)
class Case:
    source: tuple[str, str]
    alter: Callable[[Trace], tuple[int, Rollout]]
    kind: str
    detail: str


CASES: dict[str, Case] = {
    "a wrong int": Case(VALUES, wrong("i", "4"), "state", "int"),
    "a negative int": Case(VALUES, wrong("m", "3"), "state", "int"),
    "an int for which a string was said": Case(VALUES, wrong("i", "'3'"), "state", "int"),
    "a name not bound": Case(VALUES, wrong("i", ""), "state", "int"),
    "a name bound that is not": Case(
        VALUES, lambda real: (2, at(real, 2, altered(real.frames[2], zz="1"))), "state", "int"
    ),
    "a wrong string": Case(VALUES, wrong("s", "'xx'"), "state", "str"),
    "a wrong float": Case(VALUES, wrong("h", "1.5"), "state", "float"),
    "a wrong bool that decides nothing": Case(VALUES, wrong("q", "True"), "state", "bool"),
    "a wrong None": Case(VALUES, wrong("n", "0"), "state", "None"),
    "a wrong tuple": Case(VALUES, wrong("t", "(2, 4)"), "state", "tuple"),
    "a wrong list": Case(VALUES, wrong_object("xs", "[2, 4]"), "state", "list"),
    "a wrong dict": Case(VALUES, wrong_object("d", "{2: 4}"), "state", "dict"),
    "a wrong set": Case(VALUES, wrong_object("e", "{2, 4}"), "state", "set"),
    "a wrong range": Case(VALUES, wrong("r", "range(0, 4)"), "state", "range"),
    "wrong bytes": Case(VALUES, wrong("b", "b'y'"), "state", "other"),
    "a wrong return value": Case(VALUES, event(of_event("return"), "return", "(2, 9)"), "state", "tuple"),
    "a wrong test by its temporary": Case(LOOP, wrong("_2", "True"), "control-state", "bool"),
    "a test that is no bool": Case(LOOP, wrong("_2", "'x'"), "control-state", "bool"),
    "an iterator elsewhere": Case(LOOP, wrong_object("_1", "iter(#1, 1)"), "control-state", "iterator"),
    "an iterator used up": Case(LOOP, wrong_object("_1", "iter()"), "control-state", "iterator"),
    "an iterator with a name": Case(ITERATED, wrong_object("it", "iter(#1, 1)"), "control-state", "iterator"),
    "the list that a loop walks": Case(LOOP, wrong_object("xs", "[1, 2]", later=2), "control-state", "list"),
    "one more item in the list that a loop walks": Case(LOOP, wrong_object("xs", "[1, 2, 3, 4]", later=2), "control-state", "list"),
    "a wrong item in the list that a loop walks": Case(LOOP, wrong_object("xs", "[1, 2, 9]", later=2), "state", "list"),
    "a shorter list once its loop is over": Case(
        LOOP, lambda real: wrong_object("xs", "[1]", later=len(real) - 2)(real), "state", "list"
    ),
    "a wrong number that is true as well": Case(DOWN, wrong_later("n", "2", "1", "3"), "state", "int"),
    "a wrong number that is false": Case(DOWN, wrong_later("n", "2", "1", "0"), "control-state", "int"),
    "the name of a loop's test not bound": Case(DOWN, wrong_later("n", "2", "1", ""), "control-state", "int"),
    "a range of another length ahead of its loop": Case(COUNTED, wrong("r", "range(0, 3)"), "control-state", "range"),
    "a range of the same length ahead of its loop": Case(COUNTED, wrong("r", "range(1, 3)"), "state", "range"),
    "another key in the dict that a loop walks": Case(KEYS, wrong_object("e", "{'b': 1}"), "state", "dict"),
    "one more key in the dict that a loop walks": Case(KEYS, wrong_object("e", "{'a': 1, 'b': 1}"), "control-state", "dict"),
    "a loop variable": Case(LOOP, wrong("x", "7"), "state", "int"),
    "the branch not taken": Case(LOOP, moved(after_line("if _2:", LOOP), 7), "action", "branch"),
    "into the loop though it ended": Case(
        LOOP, moved(lambda real: len(real) - 2, by_text(traced(*LOOP)[0], "_2 = x > 1")), "action", "branch"
    ),
    "an impossible jump ahead": Case(LOOP, moved(number(2), 7), "action", "impossible"),
    "an impossible jump back": Case(LOOP, moved(number(5), 2), "action", "impossible"),
    "a line of no program": Case(LOOP, moved(number(3), 999), "action", "impossible"),
    "a call not made": Case(CALLS, event(inner_call, "line", None), "action", "branch"),
    "another first frame": Case(LOOP, lambda real: wrong_object("xs", "[1, 2, 2]")(real), "state", "list"),
    "an exception that is not raised": Case(VALUES, event(number(2), "exception", "ValueError('x')"), "control-state", "exception"),
    "a value in place of an exception": Case(RAISES, event(of_event("exception"), "line", None), "control-state", "exception"),
    "another exception": Case(RAISES, event(of_event("exception"), "exception", "IndexError('k')"), "control-state", "exception"),
    "another message": Case(RAISES, event(of_event("exception"), "exception", "KeyError('j')"), "state", "exception"),
    "an alias taken for a copy": Case(ALIAS, swapped_labels, "state", "list"),
    "an alias of the wrong row": Case(ALIAS, wrong("row", "#3"), "state", "list"),
    "a change that its alias does not see": Case(
        ALIAS,
        lambda real: (lambda index: (index, at(real, index, replace(real.frames[index], heap=real.frames[index - 1].heap))))(
            first_with(real, "n") - 1
        ),
        "state",
        "list",
    ),
    "a wrong module variable": Case(CALLS, wrong_global("N", "5"), "state", "int"),
    "a module variable lost": Case(CALLS, wrong_global("M", None), "state", "int"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_first_wrong_frame_is_found_and_classified(name: str) -> None:
    case = CASES[name]
    program, real = traced(*case.source)
    step, imagined = case.alter(real)
    found = compare(program, imagined, real)
    assert found.divergence is not None
    assert (found.divergence.step, found.divergence.kind, found.divergence.detail) == (step, case.kind, case.detail)
    assert found.depth == max(0, step - 1)
    assert not found.complete
    assert not found.censored


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_real_run_itself_is_complete(name: str) -> None:
    program, real = small(name)
    assert compare(program, rollout(real.frames, real.outcome), real) == TraceComparison(
        len(real) - 1, None, True, True
    )


LENGTH = len(traced(*LOOP)[1])
ENDINGS: dict[str, tuple[Callable[[Trace], Rollout], Divergence | None, bool]] = {
    "another outcome": (
        lambda real: rollout(real.frames, Outcome("returned", "6")),
        Divergence(LENGTH, "outcome", "another outcome"),
        False,
    ),
    "raised, not returned": (
        lambda real: rollout(real.frames, Outcome("raised", "5")),
        Divergence(LENGTH, "outcome", "another outcome"),
        False,
    ),
    "ended early": (
        lambda real: rollout(real.frames[:-3], real.outcome),
        Divergence(LENGTH - 3, "outcome", "ended early"),
        False,
    ),
    "ended late": (
        lambda real: rollout((*real.frames, real.frames[-1]), real.outcome),
        Divergence(LENGTH, "outcome", "ended late"),
        False,
    ),
    "malformed in mid-trace": (
        lambda real: rollout(real.frames[:5], None, "malformed", "gibberish"),
        Divergence(5, "malformed", "gibberish"),
        False,
    ),
    "malformed at once": (
        lambda real: rollout(real.frames[:1], None, "malformed", "gibberish"),
        Divergence(1, "malformed", "gibberish"),
        False,
    ),
    "malformed at the very end": (
        lambda real: rollout(real.frames, None, "malformed", "gibberish"),
        Divergence(LENGTH, "malformed", "gibberish"),
        False,
    ),
    "truncated is censored": (lambda real: rollout(real.frames[:5], None, "truncated", "steps"), None, True),
    "unsupported is censored": (lambda real: rollout(real.frames[:5], None, "unsupported", "with"), None, True),
    "nothing but the first frame is censored": (lambda real: rollout(real.frames[:1], None, "truncated"), None, True),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_ends_otherwise_after_right_frames(name: str) -> None:
    make, divergence, censored = ENDINGS[name]
    program, real = traced(*LOOP)
    imagined = make(real)
    found = compare(program, imagined, real)
    assert (found.divergence, found.censored, found.complete) == (divergence, censored, False)
    assert found.depth == min(len(imagined.frames), len(real)) - 1


def test_an_error_before_the_budget_is_spent_is_an_error_and_not_censored() -> None:
    program, real = traced(*LOOP)
    lie = altered(real.frames[3], t="5")
    found = compare(program, rollout((*real.frames[:3], lie), None, "truncated", "steps"), real)
    assert found.divergence == Divergence(3, "state", "int")
    assert not found.censored


def test_a_real_run_that_was_cut_off_censors_what_agrees_with_it() -> None:
    program, real = traced(*LOOP)
    cut = replace(real, frames=real.frames[:6], outcome=Outcome("truncated", "steps"))
    found = compare(program, rollout(real.frames, real.outcome), cut)
    assert (found.divergence, found.censored) == (None, True)
    assert found.depth == 5


def test_the_same_outcome_is_told_even_after_a_divergence() -> None:
    program, real = traced(*LOOP)
    imagined = at(real, 3, altered(real.frames[3], t="5"))
    assert compare(program, imagined, real).same_outcome


def test_frames_are_walked_one_by_one() -> None:
    """Generators serve as well as tuples, so length is no matter."""
    program, real = traced(*LOOP)
    assert first_difference(program, iter(real.frames), iter(real.frames)) is None
    endless = (real.frames[0] for _ in iter(int, 1))
    assert first_difference(program, endless, iter(real.frames)) is not None


FRAME = Frame(
    "line",
    traced(*LOOP)[1].frames[0].stack,
    heap=(
        (1, "[1]"),
        (2, "{'a:b'}"),
        (3, "{'a': {1}}"),
        (4, "{}"),
        (5, "set()"),
        (6, "Counter({'a': 1})"),
        (7, "zip(#8)"),
        (8, "iter()"),
        (9, "{(1, 2): 3}"),
    ),
)
TYPES = {
    "1": "int", "-1": "int", "1.0": "float", "1e+16": "float", "-inf": "float", "nan": "float", "True": "bool", "None": "None",
    "'a'": "str", '"it\'s"': "str", "()": "tuple", "(1,)": "tuple", "range(0, 3)": "range", "#1": "list", "#2": "set",
    "#3": "dict", "#4": "dict", "#5": "set", "#6": "Counter", "#7": "iterator", "#8": "iterator", "#9": "dict", "": "unbound",
    "len": "other", "#99": "unbound",
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), TYPES.items())
def test_the_type_of_a_value_by_its_text(text: str, kind: str) -> None:
    assert value_type(text, FRAME) == kind


def test_exact_rollouts_of_all_small_programs_are_complete() -> None:
    cases = [small(name) for name in PROGRAMS]
    rollouts = imagine([RolloutStart(program, real.frames[0]) for program, real in cases], exact())
    assert all(compare(program, each, real).complete for (program, real), each in zip(cases, rollouts, strict=True))

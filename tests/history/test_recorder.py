"""The recorder tells what Python did: events, lines, reprs, several functions, limits; the same in the sandbox."""

from collections.abc import Iterator

import pytest
from history_worlds import recorded, small
from markov_programs import PROGRAMS

from envs.execution.decompose.program import decomposed, plain
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Outcome
from envs.execution.state.history_frames import HistoryFrame
from envs.execution.state.value_grammar import BadProgram
from envs.execution.text.stable_repr import shown
from envs.execution.tracer.history_recorder import Recorder, record
from envs.execution.tracer.tracer import TraceLimits


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with Sandbox() as sandbox:
        yield Recorder(sandbox)


def test_a_history_is_call_lines_and_return_with_reprs_before_each_line() -> None:
    _, found = recorded("def f(a):\n    b = a * 2\n    return [b]\n", "3")
    assert found.frames == (
        HistoryFrame("call", "def f(a):", (1,), (("a", "3"),)),
        HistoryFrame("line", "    b = a * 2", (2,), (("a", "3"),)),
        HistoryFrame("line", "    return [b]", (3,), (("a", "3"), ("b", "6"))),
        HistoryFrame("return", "    return [b]", (3,), (), arg="[6]"),
    )
    assert found.outcome == Outcome("returned", "[6]")


def test_an_exception_is_said_in_every_function_it_passes() -> None:
    _, found = small("raise in a callee, handled by the caller")
    said = [(frame.depth, frame.arg) for frame in found.frames if frame.event == "exception"]
    assert said[:2] == [(2, "ValueError('big')"), (1, "ValueError('big')")]


def test_an_exception_that_nobody_takes_is_the_outcome() -> None:
    _, found = small("uncaught")
    assert found.frames[-1].event == "exception"
    assert found.outcome == Outcome("raised", "KeyError('missing')")


@pytest.mark.parametrize(
    ("line", "events"),
    [
        pytest.param("ys = [x * 2 for x in xs if x]", "line 3, line 4, return 4", id="list"),
        pytest.param("ys = {x: [z for z in xs] for x in [x for x in xs]}", "line 3, line 4, return 4", id="nested"),
        pytest.param("ys = [(lambda: x)() for x in xs]", "line 3, line 4, return 4", id="with-a-function"),
        pytest.param("ys = [1 // x for x in xs]", "line 3, exception 3", id="that-raises"),
    ],
)
def test_a_comprehension_runs_inside_its_line_and_its_variable_is_not_the_functions(line: str, events: str) -> None:
    """Python 3.12 and later report the line again for each element, and show the variable."""
    _, found = recorded(f"def f(xs):\n    x = 5\n    {line}\n    return ys\n", "[2, 1, 0]")
    assert ", ".join(f"{frame.event} {frame.line}" for frame in found.frames[2:]) == events
    assert all(dict(frame.locals)["x"] == "5" for frame in found.frames[2:] if frame.event == "line")


def test_a_generator_leaves_at_each_yield_and_comes_back_by_a_call() -> None:
    source = "def g():\n    yield 1\n    yield 2\ndef f():\n    return sum(g())\n"
    _, found = recorded(source, "")
    events = [(frame.event, frame.lines[0], frame.arg) for frame in found.frames if frame.depth == 2]
    assert events == [
        ("call", 1, None), ("line", 2, None), ("return", 2, "1"),
        ("call", 2, None), ("line", 3, None), ("return", 3, "2"),
        ("call", 3, None), ("return", 3, "None"),
    ]  # fmt: skip


def test_temporaries_of_decomposed_programs_are_shown_while_they_are_needed() -> None:
    _, found = recorded("def f(a):\n    if a > 1:\n        return a\n    return 0\n", "3", "operations")
    assert [dict(frame.locals) for frame in found.frames[1:4]] == [{"a": "3"}, {"a": "3", "_1": "True"}, {"a": "3"}]


@pytest.mark.parametrize("level", ["plain", "operations"])
@pytest.mark.parametrize("name", ["recursion", "closure over a counter", "uncaught", "set iteration"])
def test_a_history_from_the_sandbox_is_the_history(recorder: Recorder, name: str, level: str) -> None:
    program, found = small(name, level)
    assert recorder.history(program, PROGRAMS[name][1]) == found


def test_an_endless_run_is_cut_off_with_its_limit(recorder: Recorder) -> None:
    program = plain("def f(x):\n    while True:\n        x += 1\n", "f")
    found = recorder.history(program, "1", TraceLimits(steps=20))
    assert (len(found.frames), found.outcome) == (20, Outcome("truncated", "steps"))


def test_a_run_that_swallows_being_cut_off_is_truncated_all_the_same() -> None:
    source = (
        "def f(n):\n    for i in range(n):\n        try:\n            n += 1\n        except:\n            return 7\n"
    )
    assert record(plain(source, "f"), "9", TraceLimits(steps=8)).outcome == Outcome("truncated", "steps")


@pytest.mark.parametrize(
    ("limits", "limit"),
    [(TraceLimits(characters=50), "characters"), (TraceLimits(output=10), "output")],
)
def test_long_values_and_long_output_are_cut_off(limits: TraceLimits, limit: str) -> None:
    source = "def f(s):\n    for _ in range(9):\n        print('hello')\n        s += s\n    return s\n"
    assert record(plain(source, "f"), "'abc'", limits).outcome == Outcome("truncated", limit)


def test_bad_arguments_are_refused_by_name(recorder: Recorder) -> None:
    with pytest.raises(BadProgram, match="arguments"):
        recorder.history(decomposed("def f(x):\n    return x\n", "f"), "nothing_such")


class _Odd:
    def __repr__(self) -> str:
        return ".."


class _Failing:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b", "a"}, "{'a', 'b'}"),
        ([{3, 1}, {"k": {2}}, frozenset({1})], "[{1, 3}, {'k': {2}}, frozenset({1})]"),
        ({1, "a"}, "{'a', 1}"),
        ({frozenset({8, 0}), frozenset({3}), 1}, "{1, frozenset({0, 8}), frozenset({3})}"),
        ((1,), "(1,)"),
        (set(), "set()"),
        (iter([1]), "<list_iterator object>"),
        ("x at 0x12ab", "'x at 0x12ab'"),
        (_Odd(), "<..>"),
        (_Failing(), "<_Failing>"),
        pytest.param(10**5000, "<int>", id="an integer of too many digits"),
    ],
)
def test_reprs_are_the_same_in_every_run(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_container_that_holds_itself_is_shown() -> None:
    loop: list[object] = [{1}]
    loop.append(loop)
    assert shown(loop) == "[{1}, ...]"

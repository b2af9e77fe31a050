"""The loop: batches, anchors, wrong lines, budgets, marks, and oracles that say the wildest things."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from local_worlds import Counting, exact, small, traced
from markov_programs import PROGRAMS

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.protocol import Answer, Malformed, MarkovView, Oracle, OutOfBudget, Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from cwm_agent.verification.verifier import compare
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.state.frames import Trace
from envs.execution.stepper.stepper import Stepper

LOOP = ("def f(xs):\n    t = 0\n    for x in xs:\n        if x > 1:\n            t += x\n    return t", "[1, 2, 3]")
ALL = ["free", "cfg", "grounded", "forced", "anchored:3"]


def rolled(case: tuple[Program, Trace], oracle: Oracle, **settings: object) -> Rollout:
    program, real = case
    return imagine([RolloutStart(program, real.frames[0], real)], oracle, RolloutSettings(**settings))[0]  # type: ignore[arg-type]


def test_many_rollouts_share_each_call_of_the_oracle() -> None:
    counting = Counting(exact())
    starts = [RolloutStart(*case) for case in [(traced(*LOOP)[0], traced(*LOOP)[1].frames[0])] * 5]
    rollouts = imagine(starts, counting)
    assert len(set(rollouts)) == 1
    assert {len(batch) for batch in counting.batches} == {5}
    assert len(counting.batches) == rollouts[0].asked


def test_rollouts_of_other_lengths_go_on_without_those_that_ended() -> None:
    counting = Counting(exact())
    cases = [traced(LOOP[0], "[1]"), traced(LOOP[0], "[1, 2, 3, 4]")]
    imagine([RolloutStart(program, real.frames[0]) for program, real in cases], counting)
    sizes = [len(batch) for batch in counting.batches]
    assert sizes == sorted(sizes, reverse=True)
    assert set(sizes) == {1, 2}


def test_nothing_to_imagine_asks_nothing() -> None:
    assert imagine([], NoOracle()) == []


def test_an_anchored_rollout_is_real_again_every_k_frames() -> None:
    case = traced(*LOOP)
    lies = NoisyOracle(exact(), Rates(state=0.5), "iid", seed=4)
    rollout = rolled(case, lies, guide=parse_guide("anchored:4"))
    for index in range(0, len(rollout.frames), 4):
        assert rollout.frames[index] == case[1].frames[index]
        assert rollout.marks[index] == "given"
    assert (
        rolled(case, NoisyOracle(exact(), Rates(state=1.0), "iid"), guide=parse_guide("anchored:1")).frames[:9]
        == case[1].frames[:9]
    )


def test_wrong_lines_lead_a_free_rollout_astray_and_no_other() -> None:
    case = traced(*LOOP)

    def kind(guide: str) -> str | None:
        wrong = NoisyOracle(exact(), Rates(action=1.0), "systematic")
        divergence = compare(case[0], rolled(case, wrong, guide=parse_guide(guide)), case[1]).divergence
        return None if divergence is None else divergence.kind

    assert kind("free") == "action"
    assert kind("grounded") is None
    assert kind("forced") is None


def test_a_cfg_rollout_only_errs_along_edges() -> None:
    case = traced(*LOOP)
    wrong = NoisyOracle(exact(), Rates(action=1.0), "systematic")
    divergence = compare(case[0], rolled(case, wrong, guide=parse_guide("cfg")), case[1]).divergence
    assert divergence is not None
    assert (divergence.kind, divergence.detail) == ("action", "branch")


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_budget_of_steps_truncates(steps: int) -> None:
    rollout = rolled(traced(*LOOP), exact(), steps=steps)
    assert (rollout.end, rollout.reason, len(rollout.frames)) == ("truncated", "steps", steps + 1)
    assert rollout.outcome is None


class Priced:
    """Exact, at ten tokens a query and a chance of one in e."""

    name = "priced"

    def __init__(self) -> None:
        self._inner = exact()

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [replace(each, tokens=10, logprob=-1.0) for each in self._inner.imagine(queries)]


def test_a_budget_of_tokens_truncates_and_what_was_spent_is_told() -> None:
    whole = rolled(traced(*LOOP), Priced())
    assert (whole.tokens, whole.logprob) == (10 * whole.asked, -1.0 * whole.asked)
    cut = rolled(traced(*LOOP), Priced(), tokens=25)
    assert (cut.end, cut.reason, cut.tokens) == ("truncated", "tokens", 30)


@pytest.mark.parametrize(
    ("guide", "marks"),
    [("free", {"imagined"}), ("cfg", {"constrained"}), ("grounded", {"imagined"}), ("forced", {"imagined", "given"})],
)
def test_marks_say_how_each_frame_came_about(guide: str, marks: set[str]) -> None:
    rollout = rolled(traced(*LOOP), exact(), guide=parse_guide(guide))
    assert rollout.marks[0] == "given"
    assert len(rollout.marks) == len(rollout.frames)
    assert set(rollout.marks[1:]) == {"rule", *marks}
    returned = [mark for frame, mark in zip(rollout.frames, rollout.marks, strict=True) if frame.event == "return"]
    assert returned == ["rule"]


def test_the_share_done_by_rule_is_smaller_where_the_oracle_says_the_line() -> None:
    rollouts = [rolled(traced(*LOOP), exact(), guide=parse_guide(guide)) for guide in ("free", "grounded")]
    assert 0 < rollouts[0].rule_steps < rollouts[1].rule_steps < len(rollouts[1].frames) - 1


@pytest.mark.parametrize("guide", ["forced", "anchored:3"])
def test_a_guide_that_looks_at_reality_asks_for_it(guide: str) -> None:
    program, real = traced(*LOOP)
    with pytest.raises(ValueError, match="real run"):
        imagine([RolloutStart(program, real.frames[0])], exact(), RolloutSettings(guide=parse_guide(guide)))


def test_an_oracle_that_says_nothing_ends_the_rollout_as_malformed() -> None:
    rollout = rolled(traced(*LOOP), NoOracle())
    assert (rollout.end, rollout.reason) == ("malformed", "no oracle")


def test_a_backend_that_fails_is_not_taken_for_a_mistake() -> None:
    class Gone:
        name = "gone"

        def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
            raise OutOfBudget("spent")

    with pytest.raises(OutOfBudget):
        rolled(traced(*LOOP), Gone())


def test_a_line_that_cannot_be_stepped_ends_the_rollout_as_unsupported() -> None:
    thrown = "    try:\n        t = it.throw\n        t(ValueError)\n    except ValueError:\n        return 2\n"
    program, real = traced(f"def g():\n    yield 1\ndef f(n):\n    it = g()\n    next(it)\n{thrown}", "0")
    rollout = imagine([RolloutStart(program, real.frames[0])], exact())[0]
    assert rollout.end == "unsupported"


PIECES = ["#1", "#99", "[", "]", "{", "}", "(", ")", "'", "1", "-1", "None", "True", "iter(#1, 0)", "iter()", "?x", "x", ",",
          "range(0, 10000000000000000000000000)", "range(1, 2, 0)", "cell(1)", "set()", "f@1(#1)", "reversed(#1, 9)", "nan",
          "zip(#1)", "enumerate(#1)", ": ", "", "Counter(x)", "Box(", "keys(#1)", "@", "\n", "\x00", "é", "#1.append"]  # fmt: skip


class Wild:
    """Says anything: names, labels and texts at random, any line, and now and then nothing."""

    name = "wild"

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(self._said(query)) for query in queries]

    def _said(self, query: Query) -> Answer | Malformed:
        rng = self._rng
        if rng.random() < 0.02:
            return Malformed("", "nothing")
        names = [name for name, _ in query.frame.locals] + ["new", "@3", "", "é"]
        if query.question is not None:
            names += [name for name, _ in query.question.reads] * 3
        labels = [label for label, _ in query.frame.heap] + [0, 5, 10**6]
        effect = Effect(
            tuple((rng.choice(names), self._text()) for _ in range(rng.randint(0, 2))),
            tuple(rng.choice(names) for _ in range(rng.random() < 0.1)),
            tuple((rng.choice(labels), self._text()) for _ in range(rng.randint(0, 2))),
            self._text() if rng.random() < 0.1 else None,
        )
        return Answer(effect, rng.choice([None, 0, -1, 10**9, *range(1, 14)]))

    def _text(self) -> str:
        return "".join(self._rng.choice(PIECES) for _ in range(self._rng.choice((1, 1, 1, 2, 3, 9))))


@pytest.mark.parametrize("view", ["local", "program"])
@pytest.mark.parametrize("guide", ALL)
def test_whatever_an_oracle_says_a_rollout_ends_and_never_raises(guide: str, view: MarkovView) -> None:
    cases = [small(name) for name in PROGRAMS]
    starts = [RolloutStart(program, real.frames[0], real) for program, real in cases] * 4
    settings = RolloutSettings(view=view, guide=parse_guide(guide), steps=120)
    for oracle in (Wild(1), CachedOracle(Wild(2))):
        rollouts = imagine(starts, oracle, settings)
        for start, rollout in zip(starts, rollouts, strict=True):
            assert rollout.end in ("outcome", "malformed", "unsupported", "truncated")
            assert start.real is not None
            assert compare(start.program, rollout, start.real).depth >= 0


@pytest.mark.parametrize("text", ["[" * 5_000 + "]" * 5_000, "'" + "x" * 1_000_000 + "'", "(" * 100_000, "9" * 5_000])
def test_a_huge_value_does_not_break_the_loop(text: str) -> None:
    class Huge:
        name = "huge"

        def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
            return [Prediction(Answer(Effect((("t", text), ("_1", text))), 3)) for _ in queries]

    for guide in ALL:
        rollout = rolled(traced(*LOOP), Huge(), guide=parse_guide(guide), steps=20)
        assert not compare(*traced(*LOOP)[:1], rollout, traced(*LOOP)[1]).complete


@pytest.mark.parametrize("method", ["ask", "tell"])
@pytest.mark.parametrize("error", [KeyError("ours"), ValueError("ours"), TypeError("ours"), IndexError("ours")])
def test_a_fault_of_the_stepper_is_raised_and_not_blamed_on_the_model(
    method: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> None:
        raise error

    monkeypatch.setattr(Stepper, method, broken)
    with pytest.raises(type(error), match="ours"):
        rolled(traced(*LOOP), exact())


IMPOSSIBLE = ["[1", "#99", "#" + "9" * 5_000, "iter(#1, x)", "iter(#1, 2, 3)", "reversed(#1)", "enumerate(#99, 0)"]


@pytest.mark.parametrize("text", IMPOSSIBLE)
@pytest.mark.parametrize("cached", [False, True])
def test_an_impossible_value_of_the_model_ends_the_rollout_as_malformed(text: str, cached: bool) -> None:
    """The model's fault is a value, also where the answer goes through the cache."""

    class Says:
        name = "says"

        def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
            names = [[name for name, _ in query.frame.locals] for query in queries]
            return [
                Prediction(Answer(Effect(tuple((name, text) for name in {*each, "_1", "_2"})), 3)) for each in names
            ]

    oracle: Oracle = CachedOracle(Says()) if cached else Says()
    rollouts = [rolled(traced(*LOOP), oracle, steps=20) for _ in range(2)]
    assert {rollout.end for rollout in rollouts} == {"malformed"}


class Binding:
    """Gives the same effect to every question."""

    name = "binding"

    def __init__(self, effect: Effect) -> None:
        self._effect = effect

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Answer(self._effect)) for _ in queries]


NAMED = """
from collections import namedtuple
from copy import copy
from enum import Enum
Point = namedtuple("Point", "x y")
class Color(Enum):
    RED = 1
def f(n):
    p = Point(n, 2)
    q = copy(p)
    return q.x
"""


@pytest.mark.parametrize("text", ["Point(x=5)", "Point(5, 2)", "Point()", "Point(x=5, y=2, z=3)", "Color('BLUE', 7)"])
def test_a_named_tuple_or_member_that_cannot_be_is_the_models_mistake(text: str) -> None:
    """Neither the rule that finds a field nor Python, which rebuilds the value, ends in a traceback."""
    rollout = rolled(traced(NAMED, "1"), Binding(Effect((("q", text),))), guide=parse_guide("grounded"))
    assert rollout.end == "malformed"
    assert "no possible state" in rollout.reason


CLOSURE = "def f(n, k):\n    def g():\n        return n\n    h = k + 1\n    return h()\n"


@pytest.mark.parametrize("text", ["g@2()", "g@2(n, n)", "g@9(n)"])
@pytest.mark.parametrize("cached", [False, True])
def test_an_impossible_closure_of_the_model_ends_the_rollout_as_malformed(text: str, cached: bool) -> None:
    """A function of the program with other shared variables than it has, or one that the program lacks."""
    says = Binding(Effect((("h", text),)))
    rollout = rolled(traced(CLOSURE, "1, 2"), CachedOracle(says) if cached else says, steps=20)
    assert rollout.end in ("malformed", "unsupported"), rollout

"""The memo asks each question once, by its text with names rewritten, and says only what the oracle said."""

from collections.abc import Sequence

import pytest
from local_worlds import Counting, exact, queries_of, small, traced
from markov_programs import PROGRAMS

from cwm_agent.oracles.protocol import Answer, Malformed, Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.state.effects import Effect
from envs.execution.stepper.stepper import Stepper

ADD = "def f(a, b):\n    c = a + b\n    return c"
SAME = "def f(first, second):\n    d = [0]\n    total = first + second\n    return total"


def test_a_question_is_asked_once() -> None:
    counting = Counting(exact())
    memo = CachedOracle(counting)
    queries = queries_of(*traced(ADD, "1, 2"))
    first = memo.imagine(queries * 3)
    assert memo.imagine(queries) == first[:1]
    assert [len(batch) for batch in counting.batches] == [1]
    assert (memo.asked, memo.hits, memo.hit_rate) == (4, 3, 0.75)


def test_nothing_is_computed_for_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry holds what the oracle said; the true scratchpad of `c = a * b` is never worked out for it."""

    def computed(*_: object) -> str:
        raise AssertionError("a scratchpad was computed")

    queries = queries_of(*traced("def f(a, b):\n    c = a * b\n    return c", "367, 36"))
    monkeypatch.setattr("cwm_agent.views.scratchpad.scratchpad.workings", computed)
    memo = CachedOracle(exact())
    (first,) = memo.imagine(queries)
    assert first.said == Answer(Effect((("c", "13212"),)))
    assert memo.imagine(queries) == [first]


def test_an_empty_memo_has_a_hit_rate_of_zero() -> None:
    assert CachedOracle(exact()).hit_rate == 0.0


def test_the_same_line_under_other_names_is_remembered_and_told_in_its_own_names() -> None:
    counting = Counting(exact())
    memo = CachedOracle(counting)
    memo.imagine(queries_of(*traced(ADD, "1, 2")))
    told = memo.imagine(queries_of(*traced(SAME, "1, 2"))[1:])[0].said
    assert told == Answer(Effect((("total", "3"),)))
    assert len(counting.batches) == 1


def test_an_alias_is_another_question() -> None:
    """`xs + ys` of one list and of two equal lists look alike but for their labels; an append tells them apart."""
    source = "def f(p):\n    xs, ys = p\n    return xs + ys"
    counting = Counting(exact())
    memo = CachedOracle(counting)
    program, real = traced(source, "([1], [1])")
    _, alias = traced(source, "([[1]] * 2)")
    memo.imagine(queries_of(program, real))
    asked = len(counting.batches[0])
    memo.imagine(queries_of(program, alias))
    assert len(counting.batches[1]) == asked


def test_a_function_of_the_program_is_never_taken_for_another_of_the_same_name() -> None:
    sources = [f"def h(x):\n    return {sign}x\ndef f(xs):\n    return sorted(xs, key=h)" for sign in ("", "-")]
    memo = CachedOracle(exact())
    told = [memo.imagine(queries_of(*traced(source, "[1, 3, 2]")))[0].said for source in sources]
    assert told[0] != told[1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_remembered_leads_to_the_same_frames(name: str) -> None:
    program, real = small(name)
    stepper, queries, memo = Stepper(program), queries_of(program, real), CachedOracle(exact())
    memo.imagine(queries)
    for query, told, truth in zip(queries, memo.imagine(queries), exact().imagine(queries), strict=True):
        assert isinstance(told.said, Answer)
        assert isinstance(truth.said, Answer)
        assert stepper.tell(query.frame, told.said.effect) == stepper.tell(query.frame, truth.said.effect)


def test_other_views_are_passed_on() -> None:
    counting = Counting(exact())
    memo = CachedOracle(counting)
    queries = queries_of(*traced(ADD, "1, 2"), view="program")
    assert memo.imagine(queries) == memo.imagine(queries) == exact().imagine(queries)
    assert len(counting.batches) == 2


class Says:
    """An oracle that says one thing to everything."""

    name = "says"

    def __init__(self, prediction: Prediction) -> None:
        self._prediction = prediction

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [self._prediction for _ in queries]


def test_what_is_malformed_stays_malformed_and_costs_nothing_the_second_time() -> None:
    memo = CachedOracle(Says(Prediction(Malformed("x", "because"), -1.0, 7)))
    queries = queries_of(*traced(ADD, "1, 2"))
    assert memo.imagine(queries) == [Prediction(Malformed("x", "because"), -1.0, 7)]
    assert memo.imagine(queries) == [Prediction(Malformed("x", "because"), -1.0, 0)]


@pytest.mark.parametrize(
    "effect",
    [
        pytest.param(Effect((("c", "#77"),)), id="a label that stands for nothing"),
        pytest.param(Effect((("nobody", "1"),)), id="a name the line does not hold"),
        pytest.param(Effect((("c", "[1"),)), id="brackets"),
        pytest.param(Effect((("c", "1\n2"),)), id="a line break"),
    ],
)
def test_an_effect_that_makes_no_sense_does_not_break_the_memo(effect: Effect) -> None:
    memo = CachedOracle(Says(Prediction(Answer(effect))))
    queries = queries_of(*traced(ADD, "1, 2"))
    memo.imagine(queries)
    assert isinstance(memo.imagine(queries)[0].said, Answer | Malformed)

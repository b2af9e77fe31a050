"""The conformance check passes every oracle of ours and finds what is wrong with broken ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import random

import pytest
from local_worlds import exact

from cwm_agent.oracles.answer_stream import BatchedStream
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.check import BrokenOracle, check_oracle
from cwm_agent.oracles.protocol import (
    Answer,
    CachesAnswers,
    CachesSteps,
    DeclaresDeterminism,
    Malformed,
    Oracle,
    Prediction,
    Query,
    StreamsAnswers,
    capabilities,
)
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from envs.execution.state.effects import Effect

HALF = Rates(action=0.5, state=0.5)
OURS: dict[str, Callable[[], Oracle]] = {
    "exact": exact,
    "none": NoOracle,
    "noisy:systematic": lambda: NoisyOracle(exact(), HALF, "systematic"),
    "cached": lambda: CachedOracle(exact()),
    "cached noisy": lambda: CachedOracle(NoisyOracle(exact(), HALF, "systematic")),
    "metered": lambda: MeteredOracle(exact()),
}


@pytest.mark.parametrize("name", OURS)
def test_our_oracles_pass(name: str) -> None:
    check_oracle(OURS[name]())


def test_an_oracle_that_errs_anew_each_time_is_checked_as_such() -> None:
    """The oracle says so itself; who insists on the same answers finds that they are not."""
    check_oracle(NoisyOracle(exact(), HALF, "iid"))
    with pytest.raises(BrokenOracle, match="asked the same again"):
        check_oracle(NoisyOracle(exact(), HALF, "iid"), deterministic=True)


@dataclass
class Broken:
    """An oracle that answers as a function says."""

    answer: Callable[[Sequence[Query]], object]
    name: str = "broken"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return self.answer(queries)  # type: ignore[return-value]


NOTHING = Prediction(Malformed("", "nothing"))


def by_place(queries: Sequence[Query]) -> list[Prediction]:
    return [Prediction(Malformed("", str(index))) for index, _ in enumerate(queries)]


def breaks_on_odd(queries: Sequence[Query]) -> list[Prediction]:
    return [Prediction(Answer(Effect((("x", query.question.statement),)))) for query in queries]  # type: ignore[union-attr]


BROKEN: dict[str, tuple[Broken, str]] = {
    "no name": (Broken(lambda queries: [NOTHING for _ in queries], name=""), "name"),
    "one too few": (Broken(lambda queries: [NOTHING for _ in queries][1:]), "predictions for"),
    "one too many": (Broken(lambda queries: [NOTHING, *[NOTHING for _ in queries]]), "empty batch"),
    "no list": (Broken(lambda queries: None), "list"),
    "no prediction": (Broken(lambda queries: [Answer() for _ in queries]), "Prediction"),
    "a positive log-probability": (Broken(lambda queries: [Prediction(Answer(), 0.5) for _ in queries]), "at most 0"),
    "negative tokens": (Broken(lambda queries: [Prediction(Answer(), None, -1) for _ in queries]), "tokens"),
    "answers by place": (Broken(by_place), "query 0"),
    "raises": (Broken(lambda queries: [1 // 0 for _ in queries]), "ZeroDivisionError"),
    "raises on what it cannot answer": (Broken(breaks_on_odd), "without its line"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_oracle_is_told_what_to_mend(name: str) -> None:
    oracle, message = BROKEN[name]
    with pytest.raises(BrokenOracle, match=message):
        check_oracle(oracle)


class LosesQueries(BatchedStream[int]):
    """A stream that takes no second query while one is under way."""

    def ask(self, key: int, query: Query) -> None:
        if not len(self):
            super().ask(key, query)


def drawn(queries: Sequence[Query]) -> list[Prediction]:
    return [Prediction(Malformed("", str(random()))) for _ in queries]


def told_nothing(queries: Sequence[Query]) -> list[Prediction]:
    return [NOTHING for _ in queries]


def other(queries: Sequence[Query]) -> list[Prediction]:
    return [Prediction(Malformed("", "another")) for _ in queries]


BROKEN_CAPABILITIES: dict[str, tuple[Callable[[Broken], object], str, str]] = {
    "no answer stream": (lambda oracle: 3, "stream", r"Broken\.stream gave int.*Expected: stream\(\) -> an AnswerStream"),
    "lost queries": (lambda oracle: LosesQueries(oracle), "stream", r"Broken\.stream lost 3 queries.*Expected"),
    "a cache that raises": (lambda oracle: 1 // 0, "cached", r"Broken\.cached raised TypeError.*cached\(queries\) ->"),
    "another cached answer": (other, "cached", r"Broken\.cached answered query 0 .*Expected: answers that follow"),
    "too many cached": (lambda queries: [NOTHING, NOTHING], "cached", r"Broken\.cached gave .*one Prediction for each"),
    "forget with an argument": (lambda what: None, "forget", r"Broken\.forget raised TypeError.*without arguments"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN_CAPABILITIES)
def test_a_broken_capability_is_named_by_class_and_method(name: str) -> None:
    """The error names the class, the method and what was expected."""
    given, member, message = BROKEN_CAPABILITIES[name]
    oracle = Broken(told_nothing)
    if member == "stream":
        vars(oracle)[member] = lambda: given(oracle)
    elif name == "a cache that raises":
        vars(oracle)[member] = lambda: given(oracle)  # takes no queries
    else:
        vars(oracle)[member] = given
    with pytest.raises(BrokenOracle, match=message):
        check_oracle(oracle)


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("deterministic", "no", r"Broken\.deterministic is 'no'\. Expected: True or False"),
        ("step_cache", {}, r"Broken\.step_cache is dict\. Expected: a StepCache or None"),
        ("search_width", 0, r"Broken\.search_width is 0\. Expected: a number of rollouts, at least 1"),
        ("imagine", None, r"Broken\.imagine is no method\. Expected: imagine\(queries\)"),
    ],
)
def test_a_member_of_the_wrong_kind_is_named(member: str, value: object, message: str) -> None:
    oracle = Broken(told_nothing)
    vars(oracle)[member] = value
    with pytest.raises(BrokenOracle, match=message):
        check_oracle(oracle)


def test_an_oracle_that_draws_its_answers_may_not_cache_them() -> None:
    oracle = Broken(drawn)
    vars(oracle)["deterministic"] = False
    check_oracle(oracle)
    vars(oracle)["cached"] = drawn
    with pytest.raises(BrokenOracle, match=r"Broken\.cached caches answers of an oracle that is not deterministic"):
        check_oracle(oracle)


def test_capabilities_are_declared_by_having_them() -> None:
    """A name and `imagine` are a complete oracle without capabilities; the cached oracle declares four."""
    assert capabilities(Broken(told_nothing)) == ()
    assert capabilities(CachedOracle(exact())) == (DeclaresDeterminism, StreamsAnswers, CachesAnswers, CachesSteps)
    assert capabilities(MeteredOracle(exact())) == (DeclaresDeterminism, StreamsAnswers)

"""The conformance check passes every oracle of ours and finds what is wrong with broken ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from local_worlds import exact

from cwm_agent.oracles.answer_stream import BatchedStream
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.check import BrokenOracle, check_oracle
from cwm_agent.oracles.protocol import Answer, Malformed, Oracle, Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from envs.execution.state.effects import Effect

HALF = Rates(action=0.5, state=0.5)
OURS: dict[str, Callable[[], Oracle]] = {
    "exact": exact,
    "none": NoOracle,
    "noisy:systematic": lambda: NoisyOracle(exact(), HALF, "systematic"),
    "memo": lambda: CachedOracle(exact()),
    "memo of noisy": lambda: CachedOracle(NoisyOracle(exact(), HALF, "systematic")),
    "metered": lambda: MeteredOracle(exact()),
}


@pytest.mark.parametrize("name", OURS)
def test_our_oracles_keep_their_promises(name: str) -> None:
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
    "answers by place": (Broken(by_place), "Query"),
    "raises": (Broken(lambda queries: [1 // 0 for _ in queries]), "ZeroDivisionError"),
    "raises on what it cannot answer": (Broken(breaks_on_odd), "without its line"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_oracle_is_told_what_to_mend(name: str) -> None:
    oracle, message = BROKEN[name]
    with pytest.raises(BrokenOracle, match=message):
        check_oracle(oracle)


class Forgetful(BatchedStream[int]):
    """A flow that takes no second query while one is under way."""

    def ask(self, key: int, query: Query) -> None:
        if not len(self):
            super().ask(key, query)


def test_a_flow_that_loses_queries_is_found() -> None:
    oracle = Broken(lambda queries: [NOTHING for _ in queries])
    oracle.flow = lambda: Forgetful(oracle)  # type: ignore[attr-defined]
    with pytest.raises(BrokenOracle, match="lost"):
        check_oracle(oracle)

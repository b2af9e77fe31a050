"""Metering counts what passes and refuses what the allowance does not cover."""

from collections.abc import Sequence

import pytest
from local_worlds import queries_of, traced

from cwm_agent.oracles.protocol import Malformed, OutOfBudget, Prediction, Query
from cwm_agent.oracles.wrappers.meter import Allowance, MeteredOracle

QUERY = queries_of(*traced("def f(a):\n    b = a + 1\n    return b", "1"))[0]


class Costly:
    """Says nothing, at ten tokens a query."""

    name = "costly"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [Prediction(Malformed("", "nothing"), None, 10) for _ in queries]


def test_everything_is_counted() -> None:
    metered = MeteredOracle(Costly())
    metered.imagine([QUERY] * 3)
    metered.imagine([QUERY])
    assert (metered.name, metered.calls, metered.queries, metered.tokens) == ("costly", 2, 4, 40)


@pytest.mark.parametrize(
    ("allowance", "batches", "message"),
    [
        (Allowance(calls=2), [1, 1, 1], "calls is spent (2)"),
        (Allowance(queries=3), [2, 1, 1], "queries is spent (3)"),
        (Allowance(tokens=20), [2, 1], "tokens is spent (20)"),
        (Allowance(tokens=21), [2, 1, 1], "tokens is spent (21)"),
        (Allowance(tokens=0), [1], "tokens is spent (0)"),
    ],
)
def test_the_batch_beyond_the_allowance_is_refused_and_says_which(
    allowance: Allowance, batches: list[int], message: str
) -> None:
    metered = MeteredOracle(Costly(), allowance)
    for size in batches[:-1]:
        metered.imagine([QUERY] * size)
    before = (metered.calls, metered.queries, metered.tokens)
    with pytest.raises(OutOfBudget) as refused:
        metered.imagine([QUERY] * batches[-1])
    assert message in str(refused.value)
    assert (metered.calls, metered.queries, metered.tokens) == before, "what was refused is not counted"


def test_without_an_allowance_nothing_is_refused() -> None:
    metered = MeteredOracle(Costly())
    for _ in range(100):
        metered.imagine([QUERY])
    assert metered.tokens == 1_000

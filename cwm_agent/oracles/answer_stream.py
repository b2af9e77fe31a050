"""Queries asked at any time and answered as each is ready, for rollouts that wait for nobody else's answer.

An oracle that can answer so has a `flow()`; all others are asked about a list at once.
"""

from collections.abc import Hashable
from typing import Any, Generic, Protocol, TypeVar

from cwm_agent.oracles.protocol import Oracle, Prediction, Query

K = TypeVar("K", bound=Hashable)


class AnswerStream(Protocol[K]):
    """Queries under way."""

    def __len__(self) -> int:
        """Queries that have no prediction yet."""
        ...

    def ask(self, key: K, query: Query) -> None:
        """Take one more query along; its prediction comes back under `key`."""
        ...

    def advance(self) -> list[tuple[K, Prediction]]:
        """Predictions that are ready, at least one if anything is under way."""
        ...


class BatchedStream(Generic[K]):
    """The flow of an oracle that answers lists: all that wait are asked together."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._waiting: list[tuple[K, Query]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def ask(self, key: K, query: Query) -> None:
        self._waiting.append((key, query))

    def advance(self) -> list[tuple[K, Prediction]]:
        if not self._waiting:
            return []
        waiting, self._waiting = self._waiting, []
        predictions = self._oracle.imagine([query for _, query in waiting])
        return [(key, prediction) for (key, _), prediction in zip(waiting, predictions, strict=True)]


def stream_of(oracle: Oracle) -> AnswerStream[Any]:
    """The oracle's own flow, or lists where it has none."""
    own = getattr(oracle, "flow", None)
    found: AnswerStream[Any] = BatchedStream(oracle) if own is None else own()
    return found

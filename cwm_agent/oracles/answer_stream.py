"""Gives a stream for any oracle: the oracle's own if it declares `StreamsAnswers`, else one that asks in batches."""

from typing import Any, Generic

from cwm_agent.oracles.protocol import AnswerStream, K, Oracle, Prediction, Query, StreamsAnswers

__all__ = ["AnswerStream", "BatchedStream", "stream_of"]


class BatchedStream(Generic[K]):
    """The stream of an oracle that answers batches: each advance asks all waiting queries in one batch."""

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
    """Return the oracle's own stream; a `BatchedStream` if the oracle declares none."""
    return oracle.stream() if isinstance(oracle, StreamsAnswers) else BatchedStream(oracle)

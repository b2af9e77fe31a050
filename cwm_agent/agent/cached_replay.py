"""Cached answers as an oracle: a rollout of a search is repeated from them, and nothing is asked or charged."""

from collections.abc import Sequence

from cwm_agent.oracles.protocol import CachesAnswers, Oracle, Prediction, Query, Unanswerable, is_deterministic

NOT_CACHED = "the answer is not in the cache"
"""The reason of a repeated rollout that ends before its time."""


class AnswersFromCache:
    """An oracle that gives the cached answers of another one, and no others."""

    deterministic = True

    def __init__(self, inner: CachesAnswers) -> None:
        self._inner = inner
        self.name = "cache"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [self._prediction(query) for query in queries]

    def _prediction(self, query: Query) -> Prediction:
        found = self._inner.cached([query])
        return Prediction(Unanswerable(NOT_CACHED)) if found is None else found[0]


def is_repeatable(oracle: object, view: str) -> bool:
    """Whether rollouts can be repeated from the oracle's cache."""
    return view == "local" and isinstance(oracle, CachesAnswers) and is_deterministic(_oracle(oracle))


def _oracle(oracle: object) -> Oracle:
    return oracle  # type: ignore[return-value]  # whatever answers queries of the local view is an oracle

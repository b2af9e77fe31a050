"""Caches of oracle answers that the guides of one view share.

Rollouts under different guides ask the same questions until they diverge, so a study of four guides costs little more
than one guide. Only answers of deterministic oracles are cached. Knows no guide.
"""

from collections.abc import Sequence
from dataclasses import replace

from cwm_agent.oracles.history_protocol import Action, HistoryOracle, HistoryPrediction, HistoryQuery
from cwm_agent.oracles.protocol import Answer, Oracle, Prediction, Query, is_deterministic
from envs.execution.state.history_frames import HistoryFrame

MOST_ANSWERS = 300_000
"""Most cached answers of the Markov views."""
MOST_HISTORIES = 20_000
"""Most cached histories; each holds all frames before it."""


class SharedAnswers:
    """Returns the cached answer to an equal query.

    A constrained query gets the cached answer to the unconstrained query where the constraint allows it: greedy
    decoding would return that answer too.
    """

    def __init__(self, inner: Oracle) -> None:
        self._inner = inner
        self._caches = is_deterministic(inner)
        self._answers: dict[Query, Prediction] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def deterministic(self) -> bool:
        return self._caches

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        if not self._caches:
            return self._inner.imagine(queries)
        known = [self._known(query) for query in queries]
        fresh = list(dict.fromkeys(query for query, said in zip(queries, known, strict=True) if said is None))
        if len(self._answers) + len(fresh) > MOST_ANSWERS:
            self._answers.clear()
        new = dict(zip(fresh, self._inner.imagine(fresh), strict=True)) if fresh else {}
        self._answers |= new
        return [new[query] if said is None else said for query, said in zip(queries, known, strict=True)]

    def _known(self, query: Query) -> Prediction | None:
        said = self._answers.get(query)
        if said is not None or query.lines is None:
            return said
        free = self._answers.get(replace(query, lines=None))
        if free is None or not isinstance(free.said, Answer):
            return None
        return free if free.said.line is None or free.said.line in query.lines else None


class SharedHistories:
    """The same for a history oracle, which must be deterministic.

    The log-probability of an answer that was taken over from the unconstrained query is the unconstrained one.
    """

    def __init__(self, inner: HistoryOracle) -> None:
        self._inner = inner
        self._answers: dict[HistoryQuery, HistoryPrediction] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        known = [self._known(query) for query in queries]
        fresh = [query for query, said in zip(queries, known, strict=True) if said is None]
        if len(self._answers) + len(fresh) > MOST_HISTORIES:
            self._answers.clear()
        new = iter(self._inner.continue_(fresh) if fresh else ())
        found = [next(new) if said is None else said for said in known]
        self._answers |= dict(zip(queries, found, strict=True))
        return found

    def _known(self, query: HistoryQuery) -> HistoryPrediction | None:
        said = self._answers.get(query)
        if said is not None or query.allowed is None:
            return said
        free = self._answers.get(replace(query, allowed=None))
        if free is None or not isinstance(free.said, HistoryFrame):
            return None
        return free if Action(free.said.event, free.said.action) in query.allowed else None

"""Oracles that are asked the same thing once: guides of one view share what was said, as long as they agree.

Rollouts under different guides ask the same questions until they part, so a study of four guides costs little more
than one of them. Only deterministic oracles are remembered. Knows no guide.
"""

from collections.abc import Sequence
from dataclasses import replace

from cwm_agent.oracles.history_protocol import Action, HistoryOracle, HistoryPrediction, HistoryQuery
from cwm_agent.oracles.protocol import Answer, Oracle, Prediction, Query, is_deterministic
from envs.execution.state.history_frames import HistoryFrame

MOST_KEPT = 300_000
MOST_HISTORIES = 20_000
"""Kept: each holds all frames before it, and most of them share these."""


class AskedOnce:
    """Passes on what was said to an equal query before.

    A constrained query whose unconstrained answer is known and allowed gets that answer: greedy decoding under a
    constraint that its first choice satisfies says that choice.
    """

    def __init__(self, inner: Oracle) -> None:
        self._inner = inner
        self._remembers = is_deterministic(inner)
        self._said: dict[Query, Prediction] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def deterministic(self) -> bool:
        return self._remembers

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        if not self._remembers:
            return self._inner.imagine(queries)
        known = [self._known(query) for query in queries]
        fresh = list(dict.fromkeys(query for query, said in zip(queries, known, strict=True) if said is None))
        if len(self._said) + len(fresh) > MOST_KEPT:
            self._said.clear()
        told = dict(zip(fresh, self._inner.imagine(fresh), strict=True)) if fresh else {}
        self._said |= told
        return [told[query] if said is None else said for query, said in zip(queries, known, strict=True)]

    def _known(self, query: Query) -> Prediction | None:
        said = self._said.get(query)
        if said is not None or query.lines is None:
            return said
        free = self._said.get(replace(query, lines=None))
        if free is None or not isinstance(free.said, Answer):
            return None
        return free if free.said.line is None or free.said.line in query.lines else None


class ToldOnce:
    """The same for a history oracle: a frame that was said freely and is allowed is said under a constraint too.

    Greedy decoding under a constraint that its first choice satisfies says that choice; its log-probability is then
    that of the free saying. What an oracle says differently each time must not be given here.
    """

    def __init__(self, inner: HistoryOracle) -> None:
        self._inner = inner
        self._said: dict[HistoryQuery, HistoryPrediction] = {}

    @property
    def name(self) -> str:
        return self._inner.name

    def continue_(self, queries: Sequence[HistoryQuery]) -> list[HistoryPrediction]:
        known = [self._known(query) for query in queries]
        fresh = [query for query, said in zip(queries, known, strict=True) if said is None]
        if len(self._said) + len(fresh) > MOST_HISTORIES:
            self._said.clear()
        told = iter(self._inner.continue_(fresh) if fresh else ())
        found = [next(told) if said is None else said for said in known]
        self._said |= dict(zip(queries, found, strict=True))
        return found

    def _known(self, query: HistoryQuery) -> HistoryPrediction | None:
        said = self._said.get(query)
        if said is not None or query.allowed is None:
            return said
        free = self._said.get(replace(query, allowed=None))
        if free is None or not isinstance(free.said, HistoryFrame):
            return None
        return free if Action(free.said.event, free.said.action) in query.allowed else None

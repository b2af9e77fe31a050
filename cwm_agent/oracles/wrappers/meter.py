"""Counts an oracle's calls, queries and tokens, and stops it at a budget."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from cwm_agent.oracles.answer_stream import AnswerStream, stream_of
from cwm_agent.oracles.protocol import Oracle, OutOfBudget, Prediction, Query, is_deterministic


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of a metered oracle; None is no limit."""

    calls: int | None = None
    """Batches passed to the oracle."""
    queries: int | None = None
    tokens: int | None = None


class MeteredOracle:
    """Passes queries on, counts them, and refuses those beyond the allowance."""

    def __init__(self, inner: Oracle, allowance: Allowance | None = None) -> None:
        self._inner = inner
        self._allowance = allowance or Allowance()
        self.calls = 0
        self.queries = 0
        self.tokens = 0

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def deterministic(self) -> bool:
        return is_deterministic(self._inner)

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        self._check("calls", self.calls + 1, self._allowance.calls)
        self._admit(len(queries))
        predictions = self._inner.imagine(queries)
        self.calls += 1
        self.queries += len(queries)
        self.tokens += sum(prediction.tokens for prediction in predictions)
        return predictions

    def stream(self) -> "MeteredStream":
        """The inner oracle's stream; a call is counted at each advance that has new queries."""
        return MeteredStream(self, stream_of(self._inner))

    def _admit(self, queries: int) -> None:
        self._check("queries", self.queries + queries, self._allowance.queries)
        self._check("tokens", self.tokens + 1, self._allowance.tokens)

    def _check(self, what: str, needed: int, allowed: int | None) -> None:
        if allowed is not None and needed > allowed:
            raise OutOfBudget(f"The oracle's budget of {what} is spent ({allowed}). Allow more, or ask less.")


class MeteredStream:
    """Queries under way; the metered oracle counts them."""

    def __init__(self, meter: MeteredOracle, inner: AnswerStream[Hashable]) -> None:
        self._meter = meter
        self._inner = inner
        self._has_new = False

    def __len__(self) -> int:
        return len(self._inner)

    def ask(self, key: Hashable, query: Query) -> None:
        self._meter._admit(1)
        self._meter.queries += 1
        self._has_new = True
        self._inner.ask(key, query)

    def advance(self) -> list[tuple[Hashable, Prediction]]:
        meter = self._meter
        if self._has_new:
            meter._check("calls", meter.calls + 1, meter._allowance.calls)
            meter.calls += 1
            self._has_new = False
        found = self._inner.advance()
        meter.tokens += sum(prediction.tokens for _, prediction in found)
        return found

"""Caches an oracle's answers: the oracle answers the same line on the same values once. The cache starts empty.

Only answers in the local view are cached: the view's text has names rewritten and labels renumbered, so equal text
means an equal question in any program. The program view holds a whole program and seldom repeats a question. Answers of
an oracle that is not deterministic (`noisy:iid`) are never cached: its errors would become systematic.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from cwm_agent.oracles.answer_stream import AnswerStream, stream_of
from cwm_agent.oracles.protocol import Answer, Malformed, Oracle, Prediction, Query, Unanswerable, is_deterministic
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import MalformedAnswer, ShownQuestion
from envs.bounded_cache import ENTRY_BYTES, MIB, characters
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.step_cache.step_cache import StepCache


@dataclass(slots=True)
class _Entry:
    said: str | Malformed | Unanswerable
    logprob: float | None


MOST_PREDICTION_BYTES = 64 * MIB
"""Of the predictions kept by question with its own names; a dropped one is rebuilt from the cache entries."""
MOST_ANSWER_BYTES = 64 * MIB
"""Of the cache entries; when they exceed it, all are dropped before the next question."""


class AnswerCache(dict[str, _Entry]):
    """Cache entries by the question's text; several cached oracles may share one."""

    def __init__(self) -> None:
        super().__init__()
        self._bytes = 0

    def store(self, text: str, entry: _Entry) -> None:
        """Add an entry."""
        self._bytes += ENTRY_BYTES + len(text) + len(entry.said if isinstance(entry.said, str) else entry.said.reason)
        self[text] = entry

    def trim(self) -> None:
        """Drop all entries if they have become too large; called where no entry is about to be read."""
        if self._bytes > MOST_ANSWER_BYTES:
            self.clear()
            self._bytes = 0


class CachedOracle:
    """Answers from the cache, and asks the inner oracle about the rest in one batch.

    Declares the capabilities `CachesAnswers`, `CachesSteps`, `StreamsAnswers` and `DeclaresDeterminism`.
    """

    def __init__(self, inner: Oracle, cache: AnswerCache | None = None) -> None:
        self._inner = inner
        self._deterministic = is_deterministic(inner)
        self._entries = AnswerCache() if cache is None else cache
        self._predictions: dict[tuple[object, ...], Prediction] = {}
        """Predictions by the question with its own names and labels: these need not be rendered again."""
        self._prediction_bytes = 0
        self._rendered: dict[int, tuple[Query, ShownQuestion | None]] = {}
        """Queries that `cached` did not find, by identity: they are asked next and need not be rendered again."""
        self._asked = 0
        self._hits = 0
        self._step_cache = StepCache() if self._deterministic else None

    @property
    def step_cache(self) -> StepCache | None:
        """Cached answers as compiled steps: a rollout takes these without a query."""
        return self._step_cache

    @property
    def asked(self) -> int:
        """Questions so far, including those answered by the step cache."""
        return self._asked + (self._step_cache.used if self._step_cache is not None else 0)

    @property
    def hits(self) -> int:
        """Questions answered without the inner oracle."""
        return self._hits + (self._step_cache.used if self._step_cache is not None else 0)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def deterministic(self) -> bool:
        return self._deterministic

    @property
    def hit_rate(self) -> float:
        return self.hits / self.asked if self.asked else 0.0

    def cached(self, queries: Sequence[Query]) -> list[Prediction] | None:
        """The cached predictions of these queries; None unless all of them are cached."""
        if not self._deterministic:
            return None
        keys = [_key(query) for query in queries]
        if all(key in self._predictions for key in keys):
            self._asked += len(queries)
            self._hits += len(queries)
            return [self._predictions[key] for key in keys]
        asked = [_asked(query) for query in queries]
        if all(each is not None and each.text in self._entries for each in asked):
            self._asked += len(queries)
            self._hits += len(queries)
            found = [self.prediction(each) for each in asked]
            self._keep(keys, found)
            return found
        self._rendered |= {id(query): (query, each) for query, each in zip(queries, asked, strict=True)}
        return None

    def _keep(self, keys: Sequence[tuple[object, ...]], predictions: Sequence[Prediction]) -> None:
        if self._prediction_bytes > MOST_PREDICTION_BYTES:
            self._predictions.clear()
            self._prediction_bytes = 0
        self._prediction_bytes += sum(2 * ENTRY_BYTES + characters(key) for key in keys)
        self._predictions.update(zip(keys, predictions, strict=True))

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        if not self._deterministic:
            self._asked += len(queries)
            return self._inner.imagine(queries)
        self._entries.trim()
        asked = [self.rendered(query) for query in queries]
        self._rendered.clear()
        self._asked += len(queries)
        missing: dict[str, int] = {}
        for index, each in enumerate(asked):
            if each is not None and each.text not in self._entries:
                missing.setdefault(each.text, index)
        direct = [index for index, each in enumerate(asked) if each is None]
        fresh = [*missing.values(), *direct]
        told = dict(zip(fresh, self._inner.imagine([queries[index] for index in fresh]), strict=True)) if fresh else {}
        for text, index in missing.items():
            self.store(text, asked[index], told[index])
        self._hits += len(queries) - len(fresh)
        return [told[index] if index in told else self.prediction(each) for index, each in enumerate(asked)]

    def stream(self) -> "CachedStream":
        """The inner oracle's stream behind the cache; without the cache where the oracle is not deterministic."""
        return CachedStream(self, stream_of(self._inner))

    def rendered(self, query: Query) -> ShownQuestion | None:
        """The query as the local view shows it; None where its answer is not cached."""
        if not self._deterministic:
            return None
        known = self._rendered.pop(id(query), None)
        return _asked(query) if known is None else known[1]

    def count(self, *, hit: bool) -> None:
        """Count a question of a stream."""
        self._asked += 1
        self._hits += hit

    def holds(self, text: str) -> bool:
        """Whether the cache has an entry for a question."""
        self._entries.trim()
        return text in self._entries

    def store(self, text: str, asked: ShownQuestion | None, prediction: Prediction) -> None:
        """Make a cache entry of a prediction."""
        assert asked is not None
        said = prediction.said
        try:
            entry = said if isinstance(said, Malformed | Unanswerable) else local_view.effect_answer(asked, said.effect)
        except (ImpossibleState, RecursionError):  # of a chain of a thousand new objects
            entry = Malformed("", "an effect that refers to objects that are not there")
        self._entries.store(text, _Entry(entry, prediction.logprob))

    def prediction(self, asked: ShownQuestion | None) -> Prediction:
        """The prediction of a cache entry, in the names and labels of the question."""
        assert asked is not None
        entry = self._entries[asked.text]
        if isinstance(entry.said, Malformed | Unanswerable):
            return Prediction(entry.said, entry.logprob)
        try:
            return Prediction(Answer(local_view.effect(asked, entry.said)), entry.logprob)
        except MalformedAnswer as error:  # an effect that the local view cannot write
            return Prediction(Malformed(entry.said, str(error)), entry.logprob)


class CachedStream:
    """Queries under way; a query that equals one under way waits for the same answer."""

    def __init__(self, oracle: CachedOracle, inner: AnswerStream[tuple[str | None, Hashable]]) -> None:
        self._oracle = oracle
        self._inner = inner
        self._waiting: dict[str, list[tuple[Hashable, ShownQuestion]]] = {}
        """Keys that wait, by the question's text; the inner stream has the query of the first one."""
        self._ready: list[tuple[Hashable, Prediction]] = []

    def __len__(self) -> int:
        return len(self._inner) + len(self._ready)

    def ask(self, key: Hashable, query: Query) -> None:
        asked = self._oracle.rendered(query)
        if asked is None:
            self._oracle.count(hit=False)
            self._inner.ask((None, key), query)
        elif asked.text in self._waiting:
            self._oracle.count(hit=True)
            self._waiting[asked.text].append((key, asked))
        elif self._oracle.holds(asked.text):
            self._oracle.count(hit=True)
            self._ready.append((key, self._oracle.prediction(asked)))
        else:
            self._oracle.count(hit=False)
            self._waiting[asked.text] = [(key, asked)]
            self._inner.ask((asked.text, key), query)

    def advance(self) -> list[tuple[Hashable, Prediction]]:
        found, self._ready = self._ready, []
        if found:
            return found
        for (text, key), prediction in self._inner.advance():
            found.append((key, prediction))
            if text is not None:
                found += self._shared(text, prediction)
        return found

    def _shared(self, text: str, prediction: Prediction) -> list[tuple[Hashable, Prediction]]:
        """Store a prediction, and return it for all other keys that wait for it."""
        (_, asked), *others = self._waiting.pop(text)
        self._oracle.store(text, asked, prediction)
        return [(key, self._oracle.prediction(each)) for key, each in others]


def _key(query: Query) -> tuple[object, ...]:
    """All that a local answer depends on, with the query's own names and labels."""
    question = query.question
    if query.view != "local" or question is None:
        return (None,)
    return question.statement, question.reads, question.heap, question.globals, question.hidden


def _asked(query: Query) -> ShownQuestion | None:
    """The query as the local view shows it; None where its answer is not cached."""
    if query.view != "local" or query.question is None:
        return None
    try:
        return local_view.ask(query.question)
    except Unsupported:
        return None

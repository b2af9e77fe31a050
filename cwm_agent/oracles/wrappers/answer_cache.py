"""Remembers what an oracle said: the same line on the same values is asked once. Starts empty and holds only its words.

Only the local view is remembered: its text has names rewritten and labels renumbered, so equal text means an equal
question wherever it stands. The other views hold a whole program, and seldom ask the same twice. An oracle that
answers differently each time (`noisy:iid`) is not remembered at all: that would make its errors systematic.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from cwm_agent.oracles.answer_stream import AnswerStream, stream_of
from cwm_agent.oracles.protocol import Answer, Malformed, Oracle, Prediction, Query, Unanswerable, is_deterministic
from cwm_agent.views.local import local_view
from cwm_agent.views.local.effect_text import Asked, MalformedAnswer
from envs.execution.state.value_grammar import Unsupported
from envs.execution.step_cache.step_cache import StepCache


@dataclass(slots=True)
class _Entry:
    said: str | Malformed | Unanswerable
    logprob: float | None


MOST_AGAIN = 100_000
"""Answers kept by their questions' own words; they can be had again from the texts."""
AnswerCache = dict[str, _Entry]
"""What was said, by the question's text; several memos may share one."""


class CachedOracle:
    """Passes on what was said before, and asks for the rest in one batch."""

    def __init__(self, inner: Oracle, memory: AnswerCache | None = None) -> None:
        self._inner = inner
        self._remembers = is_deterministic(inner)
        self._entries: AnswerCache = {} if memory is None else memory
        self._again: dict[tuple[object, ...], Prediction] = {}
        """What was recalled, by the question's own words: the same names and labels need not be shown anew."""
        self._shown: dict[int, tuple[Query, Asked | None]] = {}
        """Queries that were not remembered when looked up, by identity: they are about to be asked."""
        self._asked = 0
        self._remembered = 0
        self.habits = StepCache() if self._remembers else None
        """What was recalled, as whole steps: whoever takes them need not come back with the question."""

    @property
    def asked(self) -> int:
        """Questions so far, those that nobody came back with among them."""
        return self._asked + (self.habits.used if self.habits is not None else 0)

    @property
    def remembered(self) -> int:
        return self._remembered + (self.habits.used if self.habits is not None else 0)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def deterministic(self) -> bool:
        return self._remembers

    @property
    def hit_rate(self) -> float:
        return self.remembered / self.asked if self.asked else 0.0

    def recall(self, queries: Sequence[Query]) -> list[Prediction] | None:
        """What was said to these queries before; None unless all of them are remembered."""
        if not self._remembers:
            return None
        words = [_words(query) for query in queries]
        if all(each in self._again for each in words):
            self._asked += len(queries)
            self._remembered += len(queries)
            return [self._again[each] for each in words]
        asked = [_asked(query) for query in queries]
        if all(each is not None and each.text in self._entries for each in asked):
            self._asked += len(queries)
            self._remembered += len(queries)
            found = [self.recalled(each) for each in asked]
            if len(self._again) > MOST_AGAIN:
                self._again.clear()
            self._again.update(zip(words, found, strict=True))
            return found
        self._shown |= {id(query): (query, each) for query, each in zip(queries, asked, strict=True)}
        return None

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        if not self._remembers:
            self._asked += len(queries)
            return self._inner.imagine(queries)
        asked = [self.shown(query) for query in queries]
        self._shown.clear()
        self._asked += len(queries)
        missing: dict[str, int] = {}
        for index, each in enumerate(asked):
            if each is not None and each.text not in self._entries:
                missing.setdefault(each.text, index)
        direct = [index for index, each in enumerate(asked) if each is None]
        fresh = [*missing.values(), *direct]
        told = dict(zip(fresh, self._inner.imagine([queries[index] for index in fresh]), strict=True)) if fresh else {}
        for text, index in missing.items():
            self.remember(text, asked[index], told[index])
        self._remembered += len(queries) - len(fresh)
        return [told[index] if index in told else self.recalled(each) for index, each in enumerate(asked)]

    def flow(self) -> "CachedStream":
        """The inner oracle's flow, but for what is remembered; an oracle that draws afresh is passed through."""
        return CachedStream(self, stream_of(self._inner))

    def shown(self, query: Query) -> Asked | None:
        """The query as the local view shows it; None where it is not remembered."""
        if not self._remembers:
            return None
        known = self._shown.pop(id(query), None)
        return _asked(query) if known is None else known[1]

    def counts(self, *, remembered: bool) -> None:
        """Count a question that came by the flow."""
        self._asked += 1
        self._remembered += remembered

    def knows(self, text: str) -> bool:
        """Whether a question was answered before."""
        return text in self._entries

    def remember(self, text: str, asked: Asked | None, prediction: Prediction) -> None:
        assert asked is not None
        said = prediction.said
        try:
            entry = said if isinstance(said, Malformed | Unanswerable) else local_view.answer(asked, said.effect)
        except (KeyError, RecursionError):
            entry = Malformed("", "an effect that refers to objects that are not there")
        self._entries[text] = _Entry(entry, prediction.logprob)

    def recalled(self, asked: Asked | None) -> Prediction:
        assert asked is not None
        entry = self._entries[asked.text]
        if isinstance(entry.said, Malformed | Unanswerable):
            return Prediction(entry.said, entry.logprob)
        try:
            return Prediction(Answer(local_view.effect(asked, entry.said)), entry.logprob)
        except MalformedAnswer as error:  # an effect that the local view cannot say
            return Prediction(Malformed(entry.said, str(error)), entry.logprob)


class CachedStream:
    """Queries under way: who asks what another is waiting for waits with it."""

    def __init__(self, memo: CachedOracle, inner: AnswerStream[tuple[str | None, Hashable]]) -> None:
        self._memo = memo
        self._inner = inner
        self._waiting: dict[str, list[tuple[Hashable, Asked]]] = {}
        """Everybody who waits, by the question's text; the first of them asked."""
        self._known: list[tuple[Hashable, Prediction]] = []

    def __len__(self) -> int:
        return len(self._inner) + len(self._known)

    def ask(self, key: Hashable, query: Query) -> None:
        asked = self._memo.shown(query)
        if asked is None:
            self._memo.counts(remembered=False)
            self._inner.ask((None, key), query)
        elif asked.text in self._waiting:
            self._memo.counts(remembered=True)
            self._waiting[asked.text].append((key, asked))
        elif self._memo.knows(asked.text):
            self._memo.counts(remembered=True)
            self._known.append((key, self._memo.recalled(asked)))
        else:
            self._memo.counts(remembered=False)
            self._waiting[asked.text] = [(key, asked)]
            self._inner.ask((asked.text, key), query)

    def advance(self) -> list[tuple[Hashable, Prediction]]:
        found, self._known = self._known, []
        if found:
            return found
        for (text, key), prediction in self._inner.advance():
            found.append((key, prediction))
            if text is not None:
                found += self._told_others(text, prediction)
        return found

    def _told_others(self, text: str, prediction: Prediction) -> list[tuple[Hashable, Prediction]]:
        """What was said is remembered, and told to all who waited for it too."""
        (_, asked), *others = self._waiting.pop(text)
        self._memo.remember(text, asked, prediction)
        return [(key, self._memo.recalled(each)) for key, each in others]


def _words(query: Query) -> tuple[object, ...]:
    """All that a local answer depends on, names and labels as they are."""
    question = query.question
    if query.view != "local" or question is None:
        return (None,)
    return question.statement, question.reads, question.heap, question.globals, question.hidden


def _asked(query: Query) -> Asked | None:
    """The query as the local view shows it, or None where it is not remembered."""
    if query.view != "local" or query.question is None:
        return None
    try:
        return local_view.ask(query.question)
    except Unsupported:
        return None

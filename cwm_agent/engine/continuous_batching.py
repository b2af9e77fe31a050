"""Questions under way together: asked at any time, each answered as soon as it is; knows no view.

Some answers take three rounds and some a hundred. Whoever waits for a whole batch waits for its longest; here a place
that is free is taken by the next question before the next round. What is said to a question is the same either way.
"""

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import torch
from torch import Tensor

from cwm_agent.engine.scheduler import BatchRow, Scheduler
from cwm_agent.engine.speculative_decoding import DraftTokens
from cwm_agent.engine.tokenizer import Tokenizer

K = TypeVar("K", bound=Hashable)
LONGEST_GUESS, SHORTEST_GUESS = 16, 4
AHEAD = 64
"""Columns that an answer is expected to take; a memory whose rows need more is copied."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked."""

    text: bytes
    context: bytes = b""
    begun: bytes = b""
    """Part of the answer that is given, to be gone on from."""

    def __len__(self) -> int:
        """Tokens up to where the answer goes on: context, START, text, ASK and what was begun."""
        return len(self.context) + len(self.text) + len(self.begun) + 2


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said."""

    text: bytes
    """Without what was `begun`."""
    logprob: float
    """Of all tokens said, END included, in nats."""
    tokens: int
    finished: bool
    """It ended by itself (END, or the stop byte asked for), not by the limit."""


@dataclass(frozen=True, slots=True)
class DecodingLimits:
    """Where an answer ends, and how much is done at once."""

    limit: int
    """Tokens of an answer."""
    ends: frozenset[int]
    """Tokens that end one."""
    rows: int
    columns: int
    """Of all rows together."""
    guessed: int
    """Tokens guessed in one round in all rows together."""


@dataclass(slots=True)
class _Asked(Generic[K]):
    """A query under way, and everybody who asked it."""

    query: Prompt
    keys: list[K]
    row: BatchRow


@dataclass(slots=True)
class ContinuousBatch(Generic[K]):
    """Queries under way, by whatever keys their askers know them by."""

    rounds: Scheduler
    drafts: DraftTokens
    encoding: Tokenizer
    bounds: DecodingLimits
    make_room: Callable[[int], None]
    """Called with the size of all contexts that are asked about together."""
    _waiting: deque[_Asked[K]] = field(default_factory=deque)
    _asked: dict[Prompt, _Asked[K]] = field(default_factory=dict)
    _by_row: dict[int, _Asked[K]] = field(default_factory=dict)
    """Those that have a row, by its identity."""

    def __len__(self) -> int:
        """Different queries that have no answer yet."""
        return len(self._asked)

    def ask(self, key: K, query: Prompt) -> None:
        """Take one more query along; the same query is answered once."""
        if query in self._asked:
            self._asked[query].keys.append(key)
            return
        row = BatchRow(list(query.context), self.encoding.prompt(query.text, query.begun))
        self._asked[query] = asked = _Asked(query, [key], row)
        self._waiting.append(asked)

    @torch.inference_mode()
    def advance(self) -> list[tuple[K, Completion]]:
        """Go on until there are answers; none when nothing is under way."""
        done: list[BatchRow] = []
        while self._asked and not done:
            self._admit()
            done = self.rounds.advance(self._guess, self._say)
        return [pair for row in done for pair in self._answered(self._by_row.pop(id(row)))]

    def _admit(self) -> None:
        """Give a row to those that wait, as far as there is room."""
        widest = max((len(each.query) for each in self._by_row.values()), default=0)
        admitted: list[_Asked[K]] = []
        while self._waiting and len(self.rounds) + len(admitted) < self.bounds.rows:
            wider = max(widest, len(self._waiting[0].query))
            count = len(self.rounds) + len(admitted) + 1
            if count > 1 and (wider + AHEAD) * count > self.bounds.columns:
                break
            widest = wider
            admitted.append(self._waiting.popleft())
        if admitted:
            self._by_row |= {id(each.row): each for each in admitted}
            self.make_room(sum(map(len, {each.query.context for each in self._by_row.values()})))
            self.rounds.add([each.row for each in admitted])

    def _answered(self, asked: _Asked[K]) -> list[tuple[K, Completion]]:
        row = asked.row
        del self._asked[asked.query]
        answer = Completion(
            self.encoding.decode(row.said), row.logprob, len(row.said), row.said[-1] in self.bounds.ends
        )
        return [(key, answer) for key in asked.keys]

    def _guess(self, going: Sequence[BatchRow]) -> None:
        most = min(LONGEST_GUESS, max(SHORTEST_GUESS, self.bounds.guessed // max(1, len(going))))
        for row in going:
            query = self._by_row[id(row)].query
            row.guess = self.drafts.guess(query.text, row.said or list(query.begun), most)

    def _say(self, going: Sequence[BatchRow], chances: Tensor) -> list[int]:
        best, tokens = (found.tolist() for found in chances.max(dim=-1))
        counts, start = [], 0
        for row in going:
            end = start + len(row.guess) + 1
            counts.append(_said(row, tokens[start:end], best[start:end], self.bounds))
            start = end
            if row.done:
                self.drafts.learn(self._by_row[id(row)].query.text, row.said)
        return counts


def _said(row: BatchRow, tokens: list[int], chances: list[float], bounds: DecodingLimits) -> int:
    """How many tokens of a row count after a pass; it says its guess as far as that is right, and one token more."""
    count = len(row.pending)
    for token, chance, guessed in zip(tokens, chances, [*row.guess, None], strict=False):
        row.said.append(token)
        row.logprob += chance
        row.done = token in bounds.ends or token > 255 or len(row.said) >= bounds.limit
        if row.done or token != guessed:
            break
        count += 1
    row.pending = row.said[-1:]
    return count

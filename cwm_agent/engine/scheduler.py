"""Texts under way together: in each round every one reads some tokens more; knows no question and no answer.

A row goes on from the longest beginning that is known (`prefix_cache.py`). Where two rows would read the same next, one
waits a round and goes on from what the other has read. Rows that are done leave, and only rows that fill a gap are
copied; new ones may come before any round.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from cwm_agent.engine.forward_pass import ForwardPass
from cwm_agent.engine.kv_cache import KVCache, Reading
from cwm_agent.engine.prefix_cache import PrefixCache, ReadPrefix

WORTH_WAITING = 8
"""Tokens that another row is about to read."""


@dataclass(slots=True)
class BatchRow:
    """One text under way."""

    context: list[int]
    prompt: list[int]
    """Read behind the context; a convolution does not look from the one into the other."""
    guess: list[int] = field(default_factory=list)
    """What may be said next; it is read behind what is pending."""
    said: list[int] = field(default_factory=list)
    logprob: float = 0.0
    done: bool = False
    pending: list[int] = field(default_factory=list)
    """Tokens that are yet to be read."""
    known: list[int] = field(default_factory=list)
    """Slots of the beginning that was known."""
    reads: Literal["context", "prompt", "said"] = "context"
    """What the pending tokens are a part of."""

    def __len__(self) -> int:
        """Tokens up to where the answer begins."""
        return len(self.context) + len(self.prompt)

    def begin(self) -> None:
        """Go on from what is known."""
        missing = len(self.context) - len(self.known)
        self.reads = "context" if missing > 0 else "prompt"
        self.pending = self.context[-missing:] if missing > 0 else self.prompt[-missing:]

    @property
    def width(self) -> int:
        """Tokens that are read next."""
        return len(self.pending) + len(self.guess)


Guess = Callable[[Sequence[BatchRow]], None]
"""Gives some rows their guesses."""
Reply = Callable[[Sequence[BatchRow], Tensor], list[int]]
"""Log-probabilities behind the last pending token and each guessed one of some rows; how many tokens of each count."""


class Scheduler:
    """Rows that share a memory."""

    def __init__(self, reader: ForwardPass, prefixes: PrefixCache, memory: KVCache, *, read_at_once: int) -> None:
        self._reader, self._prefixes, self._memory, self._read_at_once = reader, prefixes, memory, read_at_once
        self._waiting, self._going = list[BatchRow](), list[BatchRow]()
        memory.drop(0)

    def __len__(self) -> int:
        """Rows that are not done."""
        return len(self._going) + len(self._waiting)

    def add(self, rows: Iterable[BatchRow]) -> None:
        """Take more rows along from the next round on."""
        self._waiting += rows

    def advance(self, guess: Guess, reply: Reply) -> list[BatchRow]:
        """One round; the rows that it was the last one for."""
        self._prefixes.begin()
        for row in self._going:
            if row.reads == "prompt":  # what it has read of its context may have been forgotten since
                row.known = self._prefixes.find(row.context)
        self._admit()
        guess([row for row in self._going if row.reads != "context"])
        for first, last in self._parts():
            self._read(first, last, reply)
        return self._close_up()

    def _admit(self) -> None:
        """Rows that wait begin, but for those that another one now reads for."""
        read, waiting, admitted = set[tuple[int, ...]](), list[BatchRow](), list[BatchRow]()
        for row in self._waiting:
            text = [*row.context, *row.prompt[:-1]]
            row.known = self._prefixes.find(text)
            ahead = (len(row.known), *row.known[-1:], *text[len(row.known) :][:WORTH_WAITING])
            if ahead in read:
                waiting.append(row)
                continue
            if len(text) - len(row.known) >= WORTH_WAITING:
                read.add(ahead)
            row.begin()
            admitted.append(row)
        self._waiting = waiting
        if admitted:
            admitted.sort(key=lambda row: len(row.pending))
            known = [len(row.known) for row in admitted]
            self._memory.make_room(max(known))
            self._memory.begin(known)
            restarts = [len(row.context) if row.reads == "prompt" else 0 for row in admitted]
            self._prefixes.recall(self._memory, len(self._going), [row.known for row in admitted], restarts)
            self._going += admitted

    def _parts(self) -> Iterator[tuple[int, int]]:
        """The rows in parts that are read at once, from and up to."""
        first, tokens = 0, 0
        for place, row in enumerate(self._going):
            if tokens and tokens + row.width > self._read_at_once:
                yield first, place
                first, tokens = place, 0
            tokens += row.width
        yield first, len(self._going)

    def _read(self, first: int, last: int, reply: Reply) -> None:
        """One pass: each row reads what is pending and its guess, and is told how much of it counts."""
        rows, places = self._going[first:last], slice(first, last)
        reading = self._reader.read([[*row.pending, *row.guess] for row in rows], self._memory, places)
        self._keep(rows, first, reading)
        counts = [len(row.pending) for row in rows]
        asked = [place for place, row in enumerate(rows) if row.reads != "context"]
        if asked:
            told = reply([rows[place] for place in asked], self._chances(rows, reading))
            for place, count in zip(asked, told, strict=True):
                counts[place] = count
        self._memory.accept(places, counts, reading)
        for place, row in enumerate(rows):
            if row.reads == "context":
                row.reads, row.pending = "prompt", row.prompt
                self._memory.recent[:, first + place] = 0
            elif row.reads == "prompt":
                row.reads = "said"

    def _keep(self, rows: Sequence[BatchRow], first: int, reading: Reading) -> None:
        """What is read of contexts and prompts is kept for others, all but the last token, which every row reads."""
        read = []
        for place, row in enumerate(rows):
            if row.reads == "context":
                read.append(ReadPrefix(place, first + place, row.known, row.pending))
            elif row.reads == "prompt" and len(row.known) + len(row.pending) == len(row):  # its context was kept too
                read.append(ReadPrefix(place, first + place, row.known, row.pending[:-1]))
        self._prefixes.keep(self._memory, reading, read)

    def _chances(self, rows: Sequence[BatchRow], reading: Reading) -> Tensor:
        """Log-probabilities behind the last pending token and the guessed ones of each row that is asked."""
        looked_at, end = list[int](), 0
        for row in rows:
            if row.reads != "context":
                looked_at += range(end + len(row.pending) - 1, end + row.width)
            end += row.width
        stream = reading.stream[torch.tensor(looked_at, device=reading.stream.device)]
        return self._reader.logits(stream).log_softmax(dim=-1)

    def _close_up(self) -> list[BatchRow]:
        """The rows that are done; those that go on are moved to the front of the memory."""
        rows, done = self._going, [row for row in self._going if row.done]
        going = [place for place, row in enumerate(rows) if not row.done]
        gaps = [place for place in range(len(going)) if rows[place].done]
        fill = [place for place in going if place >= len(going)]
        self._memory.move(list(zip(fill, gaps, strict=True)))
        self._memory.drop(len(going))
        for here, there in zip(fill, gaps, strict=True):
            rows[there] = rows[here]
        self._going = rows[: len(going)]
        return done

"""Beginnings of texts that were read, so that they need not be read again; knows no weights and no bytes.

Questions are much alike: a few lines are asked about again and again, with values that differ at their ends. Each token
that is kept has a slot, found by the slot of the token before it; so equal beginnings share their slots, and a new text
goes on from any token where it parts from an old one. A slot holds what a row's memory would: keys and values,
and the convolutions' inputs. What was not used for longest is forgotten.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import torch
from torch.nn import functional

from cwm_agent.engine.kv_cache import KVCache, Reading, pieces
from cwm_agent.engine.network import HEAD_WIDTH, Shape

NOTHING = 0
"""The slot before every text; its inputs are the zeros that a convolution sees before a text."""


class ReadPrefix(NamedTuple):
    """What a row has just read."""

    place: int
    """The row's place in the reading."""
    row: int
    """In the memory."""
    known: Sequence[int]
    """Slots of what it had read before."""
    tokens: Sequence[int]


def bytes_of_token(shape: Shape, dtype: torch.dtype) -> int:
    """What one slot takes."""
    return 3 * shape.layers * shape.width * dtype.itemsize


class PrefixCache:
    """Tokens behind tokens, in a bounded number of slots."""

    def __init__(self, shape: Shape, tokens: int, *, dtype: torch.dtype, device: torch.device) -> None:
        slots = tokens + 1
        self._kept = torch.empty(shape.layers, slots, 2, shape.heads, HEAD_WIDTH, dtype=dtype, device=device)
        self._inputs = torch.empty(shape.layers, slots, shape.width, dtype=dtype, device=device)
        self._inputs[:, NOTHING] = 0
        self._window = shape.window - 1
        self._slots = slots
        self._behind: dict[tuple[int, int], int] = {}
        """The slot of a token, by the slot before it."""
        self._used = [0] * slots
        """When a slot was used last: no later than the slot before it, so that whole ends are forgotten."""
        self._free = list(range(slots - 1, NOTHING, -1))
        self._now = 0

    def forget(self) -> bool:
        """Be as new, if no room was made since: else False, and nothing is forgotten."""
        if len(self._used) > self._slots:
            return False
        self._behind.clear()
        self._used = [0] * self._slots
        self._free = list(range(self._slots - 1, NOTHING, -1))
        self._now = 0
        return True

    def __len__(self) -> int:
        return len(self._behind)

    def find(self, text: Sequence[int]) -> list[int]:
        """The slots of the longest known beginning of a text."""
        slot, found = NOTHING, []
        for token in text:
            after = self._behind.get((slot, token))
            if after is None:
                break
            slot = after
            self._used[slot] = self._now
            found.append(slot)
        return found

    def make_room(self, tokens: int) -> None:
        """Room for so many tokens at least; what is known stays so."""
        slots = len(self._used)
        if (more := tokens + 1 - slots) > 0:
            self._kept = functional.pad(self._kept, (0, 0, 0, 0, 0, 0, 0, more))
            self._inputs = functional.pad(self._inputs, (0, 0, 0, more))
            self._used += [0] * more
            self._free[:0] = range(slots + more - 1, slots - 1, -1)

    def begin(self) -> None:
        """What is used from here on is not forgotten until the next time."""
        self._now += 1

    def _fresh(self) -> int | None:
        """A slot to write to; where none is left, the older half of what may be forgotten is."""
        if not self._free:
            times = sorted(used for used in map(self._used.__getitem__, self._behind.values()) if used < self._now)
            latest = times[len(times) // 2] if times else -1
            for key in [key for key, slot in self._behind.items() if self._used[slot] <= latest]:
                self._free.append(self._behind.pop(key))
        return self._free.pop() if self._free else None

    def recall(self, memory: KVCache, first: int, known: Sequence[Sequence[int]], restarts: Sequence[int]) -> None:
        """Rows of the memory from `first` on have read what these slots hold; the convolution restarted at a length."""
        rows = torch.tensor([first + row for row, slots in enumerate(known) for _ in slots], dtype=torch.long)
        columns = torch.tensor([column for slots in known for column in range(len(slots))], dtype=torch.long)
        slots = torch.tensor([*chain(*known)], dtype=torch.long, device=self._kept.device)
        targets = (rows * memory.kept.shape[2] + columns).to(slots.device)
        for ours, theirs in zip(self._kept, memory.kept, strict=True):
            found = pieces(ours.flatten(1)).index_select(0, slots)
            pieces(theirs.flatten(0, 1).flatten(1)).index_copy_(0, targets, found)
        seen = [self._recent(row[restart:]) for row, restart in zip(known, restarts, strict=True)]
        recent = self._inputs.index_select(1, torch.tensor(seen, device=slots.device).flatten())
        here = memory.recent[:, first : first + len(known)]
        here.copy_(recent.view_as(here))

    def _recent(self, slots: Sequence[int]) -> list[int]:
        """The last slots, as many as a convolution sees."""
        return [*[NOTHING] * self._window, *slots][len(slots) :]

    def keep(self, memory: KVCache, reading: Reading, read: Sequence[ReadPrefix]) -> None:
        """Keep what rows have just read, as far as there is room."""
        try:
            self._write(memory, reading, read)
        except BaseException:  # an interrupt, say: slots may be claimed that nothing was written to
            self._free += self._behind.values()
            self._behind.clear()
            raise

    def _write(self, memory: KVCache, reading: Reading, read: Sequence[ReadPrefix]) -> None:
        slots, columns, inputs = list[int](), list[int](), list[int]()
        for each in read:
            for number, slot in self._claimed(each):
                slots.append(slot)
                columns.append(each.row * memory.kept.shape[2] + len(each.known) + number)
                inputs.append(reading.starts[each.place] + self._window + number)
        if slots:
            here, there, given = (torch.tensor(each, device=self._kept.device) for each in (slots, columns, inputs))
            for ours, theirs in zip(self._kept, memory.kept, strict=True):
                found = pieces(theirs.flatten(0, 1).flatten(1)).index_select(0, there)
                pieces(ours.flatten(1)).index_copy_(0, here, found)
            found = reading.inputs.index_select(1, reading.order[given]).to(self._inputs.dtype)
            pieces(self._inputs).index_copy_(1, here, pieces(found))

    def _claimed(self, read: ReadPrefix) -> Iterator[tuple[int, int]]:
        """The tokens that had no slot, by their numbers, and the slots they now have."""
        slot = read.known[-1] if read.known else NOTHING
        for number, token in enumerate(read.tokens):
            after = self._behind.get((slot, token))
            if after is None:
                if (after := self._fresh()) is None:
                    return
                self._behind[slot, token] = after
                yield number, after
            slot = after
            self._used[slot] = self._now

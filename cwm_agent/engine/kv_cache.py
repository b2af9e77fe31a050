"""What a batch of texts has read so far, row by row; knows no network's weights and no bytes.

A token's keys and values stand in the column of its position, in every row. So nothing needs to be masked out for
good: a token looks at the columns up to its own, and what was read in vain (a guess that proved wrong) is written over
by what comes in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.network import HEAD_WIDTH, Shape
from cwm_agent.engine.positions import even

GROWTH = 0.5
"""Share by which rows or columns grow at least when they do not suffice: growing copies everything."""


class Reading(NamedTuple):
    """What comes of reading some tokens in some rows of a memory; `KVCache.accept` says how many of them count."""

    stream: Tensor
    """(tokens, width), the tokens of one row behind those of the row before."""
    inputs: Tensor
    """Of the convolutions, (layers, inputs, width)."""
    order: Tensor
    """The inputs row by row: of each row those that were recent before, then those at its tokens."""
    starts: list[int]
    """Where each row begins in this order."""


@dataclass(slots=True)
class KVCache:
    """Rows of one batch; the one value of the engine that changes."""

    kept: Tensor
    """Keys and values, (layers, rows, columns, 2, heads, head width). Columns not yet written hold finite numbers."""
    recent: Tensor
    """The last inputs of each convolution, oldest first, (layers, rows, window - 1, width)."""
    lengths: list[int]
    """Tokens each row has read, which is its next position; there may be room for more rows than are in use."""

    @classmethod
    def empty(
        cls, shape: Shape, rows: int, columns: int, *, dtype: torch.dtype, device: torch.device, spare: Tensor | None
    ) -> "KVCache":
        """Rows that have read nothing, with room for so many tokens each; they use what is to spare if it suffices."""
        form = (shape.layers, rows, columns, 2, shape.heads, HEAD_WIDTH)
        size = 2 * shape.layers * rows * columns * shape.width
        if spare is None or spare.numel() < size:
            spare = torch.zeros(size, dtype=dtype, device=device)
        recent = torch.zeros(shape.layers, rows, shape.window - 1, shape.width, device=device)
        return cls(spare[:size].view(form), recent, [0] * rows)

    def __len__(self) -> int:
        return len(self.lengths)

    def make_room(self, columns: int) -> None:
        """Room for at least so many columns in every row."""
        now = self.kept.shape[2]
        if now < columns:
            self.kept = _widened(self.kept[:, : len(self)], max(columns, int(now * (1 + GROWTH))))

    def accept(self, rows: slice, counts: Sequence[int], reading: Reading) -> None:
        """The first so many of the tokens just read in these rows count as read; the others never were."""
        window = self.recent.shape[2]
        first = torch.tensor([start + count for start, count in zip(reading.starts, counts, strict=True)])
        places = reading.order[(first[:, None] + torch.arange(window)).flatten().to(reading.order.device)]
        self.recent[:, rows] = reading.inputs.index_select(1, places).view_as(self.recent[:, rows])
        self.lengths[rows] = [length + count for length, count in zip(self.lengths[rows], counts, strict=True)]

    def begin(self, lengths: Sequence[int]) -> None:
        """Take rows more into use, which have read so many tokens."""
        self.lengths += lengths
        rows = self.kept.shape[1]
        if len(self) > rows:
            more = max(len(self), int(rows * (1 + GROWTH))) - rows
            used = self.kept[:, :, : even(max(1, *self.lengths))]  # a long row that is gone leaves its columns behind
            self.kept = functional.pad(used, (0, 0, 0, 0, 0, 0, 0, 0, 0, more))
        if (missing := self.kept.shape[1] - self.recent.shape[1]) > 0:
            self.recent = functional.pad(self.recent, (0, 0, 0, 0, 0, missing))

    def drop(self, rows: int) -> None:
        """Go on with the first so many rows alone; nothing is copied."""
        del self.lengths[rows:]

    def move(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Each row `there` becomes what the row `here` is; pairs of (here, there)."""
        for here, there in pairs:
            length = self.lengths[there] = self.lengths[here]
            self.kept[:, there, :length] = self.kept[:, here, :length]
            self.recent[:, there] = self.recent[:, here]

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone, in this order."""
        chosen = torch.tensor(list(rows), dtype=torch.long, device=self.kept.device)
        self.kept = self.kept.index_select(1, chosen)
        self.recent = self.recent.index_select(1, chosen)
        self.lengths = [self.lengths[row] for row in rows]

    def add(self, other: "KVCache") -> None:
        """The rows of another memory behind one's own."""
        columns = max(self.kept.shape[2], other.kept.shape[2])
        ours, theirs = self.kept[:, : len(self)], other.kept[:, : len(other)]
        self.kept = torch.cat((_widened(ours, columns), _widened(theirs, columns)), dim=1)
        self.recent = torch.cat((self.recent[:, : len(self)], other.recent[:, : len(other)]), dim=1)
        self.lengths = [*self.lengths, *other.lengths]


def _widened(kept: Tensor, columns: int) -> Tensor:
    return functional.pad(kept, (0, 0, 0, 0, 0, 0, 0, columns - kept.shape[2]))


def pieces(values: Tensor) -> Tensor:
    """The same memory as pieces of sixteen bytes: torch moves a piece in the time of a number."""
    return values.view(torch.complex128)

"""What a batch of texts has read so far, row by row; knows no network's weights and no bytes.

A token's keys and values stand in the column of its position, in every row. So nothing needs to be masked out for
good: a token looks at the columns up to its own, and what was read in vain (a guess that proved wrong) is written over
by what comes in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.embedded.network import HEAD_WIDTH, Shape

GROWTH = 0.5
"""Share by which columns grow at least when they do not suffice: growing copies everything."""


@dataclass(slots=True)
class Memory:
    """Rows of one batch; the one value of the engine that changes."""

    kept: Tensor
    """Keys and values, (layers, rows, columns, 2, heads, head width). Columns not yet written hold finite numbers."""
    recent: Tensor
    """The last inputs of each convolution, oldest first, (layers, rows, window - 1, width)."""
    lengths: list[int]
    """Tokens each row has read, which is its next position."""

    @classmethod
    def empty(cls, shape: Shape, rows: int, columns: int, *, dtype: torch.dtype, device: torch.device) -> "Memory":
        """Rows that have read nothing, with room for so many tokens each."""
        return cls(
            torch.zeros(shape.layers, rows, columns, 2, shape.heads, HEAD_WIDTH, dtype=dtype, device=device),
            torch.zeros(shape.layers, rows, shape.window - 1, shape.width, device=device),
            [0] * rows,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def make_room(self, columns: int) -> None:
        """Room for at least so many columns in every row."""
        now = self.kept.shape[2]
        if now < columns:
            self.kept = _widened(self.kept, max(columns, int(now * (1 + GROWTH))))

    def accept(self, rows: slice, counts: Sequence[int], inputs: Tensor) -> None:
        """The first so many of the tokens just read in these rows count as read; the others never were.

        `inputs` are the convolutions' inputs: those that were recent before, then those at the tokens just read.
        """
        device, window = inputs.device, self.recent.shape[2]
        places = torch.tensor(counts, device=device)[:, None] + torch.arange(window, device=device)
        self.recent[:, rows] = inputs[:, torch.arange(len(counts), device=device)[:, None], places]
        self.lengths[rows] = [length + count for length, count in zip(self.lengths[rows], counts, strict=True)]

    def drop(self, rows: int) -> None:
        """Go on with the first so many rows alone; nothing is copied."""
        self.kept, self.recent, self.lengths = self.kept[:, :rows], self.recent[:, :rows], self.lengths[:rows]

    def move(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Each row `there` becomes what the row `here` is; pairs of (here, there)."""
        if not pairs:
            return
        width = max(self.lengths[here] for here, _ in pairs)
        here, there = torch.tensor(pairs, device=self.kept.device).T
        self.kept[:, there, :width] = self.kept[:, here, :width]
        self.recent[:, there] = self.recent[:, here]
        for source, target in pairs:
            self.lengths[target] = self.lengths[source]

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows alone, in this order."""
        chosen = torch.tensor(list(rows), dtype=torch.long, device=self.kept.device)
        self.kept = self.kept.index_select(1, chosen)
        self.recent = self.recent.index_select(1, chosen)
        self.lengths = [self.lengths[row] for row in rows]

    def add(self, other: "Memory") -> None:
        """The rows of another memory behind one's own."""
        columns = max(self.kept.shape[2], other.kept.shape[2])
        self.kept = torch.cat((_widened(self.kept, columns), _widened(other.kept, columns)), dim=1)
        self.recent = torch.cat((self.recent, other.recent), dim=1)
        self.lengths = [*self.lengths, *other.lengths]


def _widened(kept: Tensor, columns: int) -> Tensor:
    return functional.pad(kept, (0, 0, 0, 0, 0, 0, 0, columns - kept.shape[2]))

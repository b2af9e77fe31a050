"""KV cache of one batch: keys, values and convolution inputs of the tokens computed so far, row by row.

The keys and values of a token stand in the column of its position, in every row. A token attends to the columns up to
its own, so rejected draft tokens need no mask: the tokens that come in their place overwrite them. Knows no weights and
no bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from cwm_agent.engine.network import HEAD_WIDTH, Shape
from cwm_agent.engine.positions import round_up_columns

GROWTH = 0.5
"""Share by which rows or columns grow at least; growing copies the whole cache."""
SPARE = 2
"""Allocated rows or columns for each one in use, beyond which growing the others gives the rest back."""
ALIGNMENT = 64
"""Bytes; memory that begins at a multiple is loaded fastest."""


class ForwardOutput(NamedTuple):
    """Result of a forward pass over new tokens; `KVCache.commit` accepts some of them."""

    hidden: Tensor
    """(wanted tokens, width); the tokens of one row follow those of the row before."""
    conv_inputs: Tensor
    """Inputs of the convolutions, (layers, inputs, width)."""
    conv_order: Tensor
    """Indices of the inputs row by row: of each row first the ones from before, then those at its new tokens."""
    conv_starts: list[int]
    """Where each row begins in `conv_order`."""


@dataclass(slots=True)
class KVCache:
    """Keys and values of a batch of rows; the forward pass writes them in place."""

    keys_values: Tensor
    """(layers, rows, columns, 2, key heads, head width). Columns not yet written hold finite numbers."""
    conv_inputs: Tensor
    """The last inputs of each convolution, oldest first, (layers, rows, window - 1, width)."""
    lengths: list[int]
    """Tokens computed in each row, which is its next position; more rows may be allocated than are in use."""

    @classmethod
    def empty(
        cls, shape: Shape, rows: int, columns: int, *, dtype: torch.dtype, device: torch.device, buffer: Tensor | None
    ) -> "KVCache":
        """Empty rows with that many columns each; they use the buffer if it is large enough."""
        form = (shape.layers, rows, columns, 2, shape.key_heads, HEAD_WIDTH)
        size = math.prod(form)
        if buffer is None or buffer.numel() < size:
            buffer = zeros(size, dtype=dtype, device=device)
        conv_inputs = torch.zeros(shape.layers, rows, shape.window - 1, shape.width, device=device)
        return cls(buffer[:size].view(form), conv_inputs, [0] * rows)

    def __len__(self) -> int:
        """Rows in use."""
        return len(self.lengths)

    def reserve_columns(self, columns: int) -> None:
        """Allocate at least that many columns in every row."""
        now = self.keys_values.shape[2]
        if now < columns:
            rows = _kept(self.keys_values.shape[1], len(self))
            self.keys_values = _grown(self.keys_values[:, :rows], rows, max(columns, int(now * (1 + GROWTH))))

    def commit(self, rows: slice, counts: Sequence[int], output: ForwardOutput) -> None:
        """Accept the first so many of the tokens just computed in these rows; the others are rejected."""
        window = self.conv_inputs.shape[2]
        first = torch.tensor([start + count for start, count in zip(output.conv_starts, counts, strict=True)])
        indices = output.conv_order[(first[:, None] + torch.arange(window)).flatten().to(output.conv_order.device)]
        self.conv_inputs[:, rows] = output.conv_inputs.index_select(1, indices).view_as(self.conv_inputs[:, rows])
        self.lengths[rows] = [length + count for length, count in zip(self.lengths[rows], counts, strict=True)]

    def add_rows(self, lengths: Sequence[int]) -> None:
        """Take more rows into use, which hold that many tokens each."""
        self.lengths += lengths
        rows = self.keys_values.shape[1]
        if len(self) > rows:
            more = max(len(self), int(rows * (1 + GROWTH)))
            # A long row that has left may have many more columns than are needed now.
            columns = _kept(self.keys_values.shape[2], round_up_columns(max(1, *self.lengths)))
            self.keys_values = _grown(self.keys_values[:, :, :columns], more, columns)
        if (missing := self.keys_values.shape[1] - self.conv_inputs.shape[1]) > 0:
            self.conv_inputs = functional.pad(self.conv_inputs, (0, 0, 0, 0, 0, missing))

    def truncate_rows(self, rows: int) -> None:
        """Keep the first so many rows only; nothing is copied."""
        del self.lengths[rows:]

    def move_rows(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy rows over others; pairs of (source, target)."""
        for source, target in pairs:
            length = self.lengths[target] = self.lengths[source]
            self.keys_values[:, target, :length] = self.keys_values[:, source, :length]
            self.conv_inputs[:, target] = self.conv_inputs[:, source]

    def select_rows(self, rows: Sequence[int]) -> None:
        """Keep these rows only, in this order."""
        chosen = torch.tensor(list(rows), dtype=torch.long, device=self.keys_values.device)
        self.keys_values = self.keys_values.index_select(1, chosen)
        self.conv_inputs = self.conv_inputs.index_select(1, chosen)
        self.lengths = [self.lengths[row] for row in rows]

    def extend(self, other: "KVCache") -> None:
        """Append the rows of another cache."""
        columns = max(self.keys_values.shape[2], other.keys_values.shape[2])
        rows, theirs = len(self), other.keys_values[:, : len(other)]
        self.keys_values = _grown(self.keys_values[:, :rows], rows + len(other), columns)
        self.keys_values[:, rows:, : theirs.shape[2]] = theirs
        self.conv_inputs = torch.cat((self.conv_inputs[:, : len(self)], other.conv_inputs[:, : len(other)]), dim=1)
        self.lengths = [*self.lengths, *other.lengths]


def _kept(allocated: int, used: int) -> int:
    """How many rows or columns are copied: all, unless most are not in use."""
    return allocated if allocated <= SPARE * used else used


def _grown(keys_values: Tensor, rows: int, columns: int) -> Tensor:
    """The same keys and values with that many rows and columns; the new ones are zero."""
    layers, old_rows, old_columns, *token = keys_values.shape
    form = (layers, rows, columns, *token)
    found = zeros(math.prod(form), dtype=keys_values.dtype, device=keys_values.device).view(form)
    found[:, :old_rows, :old_columns] = keys_values
    return found


def zeros(count: int, *, dtype: torch.dtype, device: torch.device) -> Tensor:
    """So many zeros. On a CPU nothing is written: the system gives pages of zeros when they are first used."""
    if device.type != "cpu":
        return torch.zeros(count, dtype=dtype, device=device)
    size = count * dtype.itemsize
    memory = torch.from_numpy(np.zeros(size + ALIGNMENT, dtype=np.uint8))  # torch.zeros would write all of them
    start = -memory.data_ptr() % ALIGNMENT
    return memory[start : start + size].view(dtype)


def as_16_byte_blocks(values: Tensor) -> Tensor:
    """The same storage as blocks of sixteen bytes: torch copies a block in the time of a single number."""
    return values.view(torch.complex128)

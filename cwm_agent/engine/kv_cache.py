"""KV cache of one batch: keys, values and convolution inputs of the tokens computed so far, row by row.

The keys and values of a token stand in the column of its position, in every row. A token attends to the columns up to
its own, so rejected draft tokens need no mask: the tokens that come in their place overwrite them. Knows no weights and
no bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.arrays.protocol import Array, Arrays
from cwm_agent.engine.shape import HEAD_WIDTH, Shape

COLUMN_STEP = 16
"""torch computes attention over so many columns per instruction, and over the rest one by one."""
GROWTH = 0.5
"""Share by which rows or columns grow at least; growing copies the whole cache."""
SPARE = 2
"""Allocated rows or columns for each one in use, beyond which growing the others gives the rest back."""


class ForwardOutput(NamedTuple):
    """Result of a forward pass over new tokens; `KVCache.commit` accepts some of them."""

    hidden: Array
    """(wanted tokens, width); the tokens of one row follow those of the row before."""
    conv_inputs: Array
    """Inputs of the convolutions, (layers, inputs, width)."""
    conv_order: NDArray[np.int64]
    """Indices of the inputs row by row: of each row first the ones from before, then those at its new tokens."""
    conv_starts: list[int]
    """Where each row begins in `conv_order`."""


@dataclass(slots=True)
class KVCache:
    """Keys and values of a batch of rows; the forward pass writes them in place."""

    arrays: Arrays
    keys_values: Array
    """(layers, rows, columns, 2, key heads, head width). Columns not yet written hold finite numbers."""
    conv_inputs: Array
    """The last inputs of each convolution, oldest first, (layers, rows, window - 1, width)."""
    lengths: list[int]
    """Tokens computed in each row, which is its next position; more rows may be allocated than are in use."""

    @classmethod
    def empty(cls, shape: Shape, arrays: Arrays, *, rows: int, columns: int, buffer: Array | None = None) -> "KVCache":
        """Empty rows with that many columns each; they use the buffer (of one axis) if it is large enough."""
        size = shape.cached_numbers * rows * columns
        if buffer is None or len(buffer) < size:
            buffer = arrays.zeros(size)
        keys_values = buffer[:size].reshape(shape.layers, rows, columns, 2, shape.key_heads, HEAD_WIDTH)
        conv_inputs = arrays.zeros(shape.layers, rows, shape.window - 1, shape.width, exact=True)
        return cls(arrays, keys_values, conv_inputs, [0] * rows)

    @property
    def tokens(self) -> Array:
        """Every column of every row, (layers, rows * columns, numbers)."""
        layers, rows, columns, two, heads, width = self.keys_values.shape
        return self.keys_values.reshape(layers, rows * columns, two * heads * width)

    def __len__(self) -> int:
        """Rows in use."""
        return len(self.lengths)

    def reserve_columns(self, columns: int) -> None:
        """Allocate at least that many columns in every row."""
        now = self.keys_values.shape[2]
        if now < columns:
            rows = _kept(self.keys_values.shape[1], len(self))
            self._grow(rows, max(columns, int(now * (1 + GROWTH))))

    def reserve_tokens(self, rows: slice, counts: Sequence[int]) -> None:
        """Allocate columns for so many new tokens in each of these rows."""
        longest = max(length + count for length, count in zip(self.lengths[rows], counts, strict=True))
        self.reserve_columns(round_up_columns(longest))

    def commit(self, rows: slice, counts: Sequence[int], output: ForwardOutput) -> None:
        """Accept the first so many of the tokens just computed in these rows; the others are rejected."""
        window = self.conv_inputs.shape[2]
        first = np.array([start + count for start, count in zip(output.conv_starts, counts, strict=True)])
        indices = output.conv_order[(first[:, None] + np.arange(window)).ravel()]
        here = self.conv_inputs[:, rows]
        here[...] = self.arrays.selected(output.conv_inputs, indices).reshape(here.shape)
        self.lengths[rows] = [length + count for length, count in zip(self.lengths[rows], counts, strict=True)]

    def add_rows(self, lengths: Sequence[int]) -> None:
        """Take more rows into use, which hold that many tokens each."""
        self.lengths += lengths
        rows = self.keys_values.shape[1]
        if len(self) > rows:
            more = max(len(self), int(rows * (1 + GROWTH)))
            # A long row that has left may have many more columns than are needed now.
            columns = _kept(self.keys_values.shape[2], round_up_columns(max(1, *self.lengths)))
            self._grow(more, columns)
        if (missing := self.keys_values.shape[1] - self.conv_inputs.shape[1]) > 0:
            self._grow_inputs(self.conv_inputs.shape[1] + missing)

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
        chosen = list(rows)
        self.keys_values = self.arrays.selected(self.keys_values, chosen)
        self.conv_inputs = self.arrays.selected(self.conv_inputs, chosen)
        self.lengths = [self.lengths[row] for row in rows]

    def extend(self, other: "KVCache") -> None:
        """Append the rows of another cache."""
        columns = max(self.keys_values.shape[2], other.keys_values.shape[2])
        rows, theirs = len(self), other.keys_values[:, : len(other)]
        self._grow(rows + len(other), columns)
        self.keys_values[:, rows:, : theirs.shape[2]] = theirs
        self._grow_inputs(rows + len(other))
        self.conv_inputs[:, rows:] = other.conv_inputs[:, : len(other)]
        self.lengths = [*self.lengths, *other.lengths]

    def _grow(self, rows: int, columns: int) -> None:
        """Move keys and values, as far as there is room, to that many rows and columns; the new ones are zero.

        Only what rows hold is copied: the rest may be memory that was never written, and would be from then on.
        """
        layers, old_rows, old_columns, *token = self.keys_values.shape
        kept_rows, kept_columns = (
            min(rows, old_rows, len(self)),
            min(columns, old_columns, max(self.lengths, default=0)),
        )
        found = self.arrays.zeros(layers, rows, columns, *token)
        found[:, :kept_rows, :kept_columns] = self.keys_values[:, :kept_rows, :kept_columns]
        self.keys_values = found

    def _grow_inputs(self, rows: int) -> None:
        """The same for inputs of convolutions."""
        layers, old_rows, *token = self.conv_inputs.shape
        found = self.arrays.zeros(layers, rows, *token, exact=True)
        found[:, : min(rows, old_rows)] = self.conv_inputs[:, :rows]
        self.conv_inputs = found


def round_up_columns(columns: int) -> int:
    """The number of columns, rounded up to a full instruction."""
    return -(-columns // COLUMN_STEP) * COLUMN_STEP


def _kept(allocated: int, used: int) -> int:
    """How many rows or columns are copied: all, unless most are not in use."""
    return allocated if allocated <= SPARE * used else used


def conv_order(counts: Sequence[int], window: int) -> tuple[NDArray[np.int64], list[int]]:
    """Indices of inputs of the convolution row by row, and where each row begins, as in `ForwardOutput`.

    The inputs are `window` earlier ones of each row, then one for each of its `counts` new tokens, row by row.
    """
    inputs, starts, begin = list[int](), list[int](), window * len(counts)
    for row, count in enumerate(counts):
        starts.append(len(inputs))
        inputs += range(row * window, (row + 1) * window)
        inputs += range(begin, begin + count)
        begin += count
    return np.array(inputs, dtype=np.int64), starts

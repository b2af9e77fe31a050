"""Questions and answers as padded rows of ids. Knows no text, and loads no torch, so that workers start quickly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PAD, END = 0, 1


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A question and its answer as tokens."""

    ids: tuple[int, ...]
    answer: int
    """Where the answer begins."""
    last: int
    """Where the last frame of the answer begins; of a single line this is the answer."""


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Rows of one training step."""

    ids: NDArray[np.uint16]
    """Shape (rows, length), padded behind each row."""
    answers: NDArray[np.int32]
    """Where the answer of each row begins."""
    lengths: NDArray[np.int32]
    """Tokens of each row."""


def padded(rows: Sequence[TokenRow]) -> TokenBatch:
    """The rows as one batch, as long as its longest row."""
    lengths = np.array([len(row.ids) for row in rows], np.int32)
    ids = np.full((len(rows), lengths.max()), PAD, np.uint16)
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)] = row.ids
    return TokenBatch(ids, np.array([row.answer for row in rows], np.int32), lengths)

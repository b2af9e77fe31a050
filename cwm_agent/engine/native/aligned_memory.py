"""Memory for the library: it begins where a cache line does, since a vector that lies in two lines is loaded twice.

Knows no network.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 64
"""Bytes of a cache line."""


def address(values: NDArray[Any]) -> int:
    """Where the first number of an array lies."""
    return int(values.ctypes.data)


def aligned(values: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins where a cache line does."""
    kept = _room(values.nbytes).view(values.dtype).reshape(values.shape)
    kept[...] = values
    return kept


def side_by_side(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Copies one behind the other in one piece of memory, for which the system may use large pages.

    Each array must fill whole cache lines.
    """
    room, copies = _room(sum(each.nbytes for each in arrays)), list[NDArray[Any]]()
    for values in arrays:
        kept, room = room[: values.nbytes].view(values.dtype).reshape(values.shape), room[values.nbytes :]
        kept[...] = values
        copies.append(kept)
    return copies


def _room(size: int) -> NDArray[np.uint8]:
    """So many bytes, not written yet."""
    room = np.empty(size + LINE, dtype=np.uint8)
    begin = -address(room) % LINE
    return room[begin : begin + size]

"""`Arrays`: what caches need of an array library beyond slices, which are the same in numpy and torch."""

from collections.abc import Sequence
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = Any
"""A numpy array or a torch tensor."""
Places = Sequence[int] | NDArray[np.int64]
"""Indices along one axis."""


class Arrays(Protocol):
    """Makes arrays of one kind, and copies between them by index."""

    @property
    def itemsize(self) -> int:
        """Bytes of a number of keys, values and cached inputs."""
        ...

    def zeros(self, *form: int, exact: bool = False) -> Array:
        """An array of zeros; where it is to be `exact`, in the type in which a pass keeps inputs of convolutions."""
        ...

    def selected(self, array: Array, places: Places) -> Array:
        """A copy of these places of the second axis."""
        ...

    def copy(self, target: Array, to: Places, source: Array, places: Places) -> None:
        """Copy these places of the second axis of an array to those of another; both are (layers, places, numbers)."""
        ...


def zero_bytes(size: int) -> NDArray[np.uint8]:
    """So many zeros, aligned to a page. Nothing is written: the system gives pages of zeros when they are first used.

    numpy's own zeros would come in pages of 2 MiB, which are written as a whole for a few tokens.
    """
    try:
        memory = mmap(-1, max(1, size), flags=MAP_PRIVATE | MAP_ANONYMOUS)  # a forked process has its own
    except OSError as error:
        raise MemoryError(f"There is none for {size:,} bytes.") from error
    return np.frombuffer(memory, dtype=np.uint8)[:size]

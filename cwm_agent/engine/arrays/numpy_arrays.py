"""Arrays of numpy for what the library keeps, in 16 bits a number.

Nothing here knows what the bits mean: inputs of convolutions are IEEE half, keys and values stand in pairs
(`store_pair` of `native/vectors_neon.h`).
"""

import math

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.arrays.protocol import Places, zero_bytes

Halves = NDArray[np.uint16]


class NumpyArrays:
    """Memory of the CPU in 16 bits a number. The library rounds inputs of convolutions too, so none are `exact`."""

    itemsize = 2

    def zeros(self, *form: int, exact: bool = False) -> Halves:
        return zero_bytes(self.itemsize * math.prod(form)).view(np.uint16).reshape(form)

    def selected(self, array: Halves, places: Places) -> Halves:
        return array.take(places, axis=1)

    def copy(self, target: Halves, to: Places, source: Halves, places: Places) -> None:
        to, places = np.asarray(to, dtype=np.int64), np.asarray(places, dtype=np.int64)
        for theirs, ours in zip(target, source, strict=True):
            theirs[to] = ours.take(places, axis=0)


NUMPY_ARRAYS = NumpyArrays()

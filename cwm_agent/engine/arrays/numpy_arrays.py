"""Arrays of numpy, in fp32."""

import math

import numpy as np
from numpy.typing import NDArray

from cwm_agent.engine.arrays.protocol import Places, zero_bytes

Floats = NDArray[np.float32]


class NumpyArrays:
    """Memory of the CPU in fp32."""

    itemsize = 4

    def zeros(self, *form: int, exact: bool = False) -> Floats:
        return zero_bytes(4 * math.prod(form)).view(np.float32).reshape(form)

    def selected(self, array: Floats, places: Places) -> Floats:
        return array.take(places, axis=1)

    def copy(self, target: Floats, to: Places, source: Floats, places: Places) -> None:
        to, places = np.asarray(to, dtype=np.int64), np.asarray(places, dtype=np.int64)
        for theirs, ours in zip(target, source, strict=True):
            theirs[to] = ours.take(places, axis=0)


NUMPY_ARRAYS = NumpyArrays()

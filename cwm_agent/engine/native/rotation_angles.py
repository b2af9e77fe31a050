"""Cosines and sines of positions for the rotary embedding; imports no torch.

torch's cosine differs from numpy's in the last bit of some numbers, and by rounding to int8 one question in a thousand
then gets another answer.
"""

import numpy as np

from cwm_agent.engine.layer_parameters import Floats
from cwm_agent.engine.shape import HEAD_WIDTH


def rotation_angles(positions: int, base: float) -> Floats:
    """Cosine and sine of each pair of a head at so many positions, (positions, head width).

    Angles are in fp32, as in `network.rotation`.

    >>> rotation_angles(3, 10_000.0).shape
    (3, 64)
    """
    half = HEAD_WIDTH // 2
    rates = (base ** (-np.arange(half) / half)).astype(np.float32)
    angles = (np.arange(positions, dtype=np.float32)[:, None] * rates).astype(np.float64)
    turns = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
    return turns.reshape(positions, HEAD_WIDTH).astype(np.float32)

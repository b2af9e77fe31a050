"""Cosines and sines of positions for the rotary embedding; imports no torch.

torch's cosine differs from numpy's in the last bit of some numbers, and by rounding to int8 one question in a thousand
then gets another answer. The figures of the shipped weights were measured with the numbers of torch 2.13 on ARM, so
these stand in `rotation_angles.npy`, for the usual base and the first 4,096 positions. numpy computes the others.
"""

from functools import cache
from pathlib import Path

import numpy as np

from cwm_agent.engine.layer_parameters import Floats
from cwm_agent.engine.shape import HEAD_WIDTH

STORED_BASE = 10_000.0


def rotation_angles(positions: int, base: float) -> Floats:
    """Cosine and sine of each pair of a head at so many positions at least, (positions, head width).

    >>> rotation_angles(3, 10_000.0).shape, rotation_angles(3, 500.0).shape
    ((4096, 64), (3, 64))
    """
    stored = _stored() if base == STORED_BASE else np.empty((0, HEAD_WIDTH), dtype=np.float32)
    if positions <= len(stored):
        return stored
    return np.concatenate((stored, computed_angles(len(stored), positions, base)))


def computed_angles(first: int, end: int, base: float) -> Floats:
    """The same from one position up to another by numpy; angles are in fp32, as in `network.rotation`."""
    half = HEAD_WIDTH // 2
    rates = (base ** (-np.arange(half) / half)).astype(np.float32)
    angles = (np.arange(first, end, dtype=np.float32)[:, None] * rates).astype(np.float64)
    turns = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
    return turns.reshape(end - first, HEAD_WIDTH).astype(np.float32)


@cache
def _stored() -> Floats:
    found: Floats = np.load(Path(__file__).with_suffix(".npy"))
    return found

"""A candidate as numbers: what is believed of its tests beside the buggy program's, its prior and its edits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NAMES = ("constant", "expected share", "fixed", "broken", "unknown", "fixes all", "edits", "log prior")
"""The columns, in order; a learnt value has one weight for each."""

Marks = Sequence[bool | None]


def candidate_features(
    beliefs: Marks, original: Marks, *, expected: float | None, edits: int, prior: float
) -> NDArray[np.float64]:
    """The numbers of one candidate, from the believed verdict on each test and the buggy program's real marks."""
    failing = [belief for belief, mark in zip(beliefs, original, strict=True) if not mark]
    passing = [belief for belief, mark in zip(beliefs, original, strict=True) if mark]
    fixed = sum(belief is True for belief in failing) / max(1, len(failing))
    broken = sum(belief is False for belief in passing) / max(1, len(passing))
    unknown = sum(belief is None for belief in beliefs) / max(1, len(beliefs))
    share = 0.5 if expected is None else expected
    rarity = math.log(min(1.0, max(prior, 1e-9))) / 10
    return np.array([1.0, share, fixed, broken, unknown, float(fixed == 1.0 and not broken), edits / 3, rarity])

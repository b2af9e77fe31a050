"""An edit as numbers: the edit policy's log-probability and rank, the prior of its class, its shape and its class."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envs.editing.class_priors import prior_of
from envs.editing.edit import Edit
from envs.editing.edit_classes import FAMILY_OF

Matrix = NDArray[np.float64]
CLASSES = (*FAMILY_OF, "other")
NAMES = ("logprob", "rank", "class prior", "inserts", "deletes", "growth", "line", *CLASSES)
"""The columns, in order; a learnt prior has one weight for each."""
_LOWEST = -12.0
"""Log-probabilities further below the best one count as this far below."""


def edit_features(source: str, edits: Sequence[Edit], logprobs: Sequence[float] | None) -> Matrix:
    """One row for each edit of a program; without log-probabilities the first two columns are 0."""
    found = np.zeros((len(edits), len(NAMES)))
    lines = source.count("\n") + 1
    if logprobs is not None and edits:
        best = max(logprobs)
        found[:, 0] = [max(_LOWEST, each - best) / 4 for each in logprobs]
        ranks = np.empty(len(edits))
        ranks[np.argsort([-each for each in logprobs], kind="stable")] = np.arange(len(edits))
        found[:, 1] = -np.log1p(ranks) / 3
    for row, edit in zip(found, edits, strict=True):
        row[2] = math.log(prior_of(edit.operator)) / 4
        row[3:7] = not edit.before, not edit.after, _growth(edit), edit.line / lines
        row[7 + CLASSES.index(edit.operator if edit.operator in FAMILY_OF else "other")] = 1
    return found


def _growth(edit: Edit) -> float:
    return math.tanh((len(edit.after) - len(edit.before)) / 10)

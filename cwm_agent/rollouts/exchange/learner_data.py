"""Loads rollouts for learners as flat numpy arrays; `trl_rows.py` makes conversations of them. Knows no environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cwm_agent.rollouts.errors import BadRollouts
from cwm_agent.rollouts.rollout_rows import EpisodeRow, read_rows


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rollouts:
    """All episodes concatenated: T steps of E episodes."""

    actions: NDArray[np.int64]
    """[T]"""
    rewards: NDArray[np.float64]
    """[T]"""
    logprobs: NDArray[np.float64]
    """[T], NaN where the policy gave none."""
    starts: NDArray[np.int64]
    """[E + 1], where each episode begins; the last entry is T."""
    seeds: NDArray[np.int64]
    """[E]"""
    terminated: NDArray[np.bool_]
    """[E], whether the episode reached its own end; the others were truncated."""
    observations: NDArray[Any] | None
    """[T, ...] before each action; None where observations are not numeric."""
    next_observations: NDArray[Any] | None
    """[T, ...] after each action."""
    tasks: tuple[str, ...]

    @property
    def returns(self) -> NDArray[np.float64]:
        """[E], undiscounted."""
        return np.add.reduceat(self.rewards, self.starts[:-1]) if len(self.seeds) else np.zeros(0)


def load_rollouts(path: str | Path) -> Rollouts:
    """The arrays of a file of rollouts; raises `BadRollouts` where actions are not integers."""
    rows = [row for row in read_rows(path) if row.actions]
    if any(not isinstance(action, int) or abs(action) >= 2**63 for row in rows for action in row.actions):
        raise BadRollouts(f"{path} holds actions that are no numbers of 64 bits. Read the file with read_rows.")
    if any(not 0 <= row.seed < 2**63 for row in rows):
        raise BadRollouts(f"{path} holds a seed that is no number from 0 to 2**63. Read the file with read_rows.")
    numeric = all(row.observations is not None for row in rows)
    return Rollouts(
        actions=np.array([action for row in rows for action in row.actions], dtype=np.int64),
        rewards=np.array([reward for row in rows for reward in row.rewards], dtype=np.float64),
        logprobs=np.array([value for row in rows for value in row.logprobs], dtype=np.float64),
        starts=np.cumsum([0, *(len(row.actions) for row in rows)]),
        seeds=np.array([row.seed for row in rows], dtype=np.int64),
        terminated=np.array([row.terminated for row in rows], dtype=np.bool_),
        observations=_stacked(rows, slice(None, -1)) if numeric else None,
        next_observations=_stacked(rows, slice(1, None)) if numeric else None,
        tasks=tuple(row.task for row in rows),
    )


def _stacked(rows: Sequence[EpisodeRow], part: slice) -> NDArray[Any]:
    return np.array([each for row in rows for each in (row.observations or ())[part]])

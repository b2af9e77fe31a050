"""`cwm_agent/RepairArrays-v0`: Repair-v0 with arrays for learners, a bounded list of candidates and a mask.

Each step offers the `candidates` best untried edits, in the order of a ranking; an edit that was tried makes room for
the next one, so every edit can be reached. Action k tries the k-th of them: always action 0 is the ranked order.
Observation: one row of numbers for each candidate, then a few about the program, in one flat array of values from -1
to 1. Rewards and ends are those of Repair-v0. Also wraps an imagined Repair-v0. Knows no learner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from envs.domains.edit_orders import Suspicion, class_weights, suspicion_of
from envs.editing.edit import Edit
from envs.editing.edit_classes import FAMILY_OF
from envs.errors import BadEnvOption
from envs.gym.array_features import Array, one_hot
from envs.gym.env_options import check_action, check_whole
from envs.gym.repair_env import RepairEnv

Ranking = Callable[[str, Sequence[Edit], Suspicion], Sequence[float]]
"""The weight of each edit of a program, from its source, the edits and the suspicion of each line."""
CLASSES = (*FAMILY_OF, "other")
"""Edit classes in the order of their entries in a candidate's row."""
ROW = 7 + len(CLASSES)
"""Numbers of a candidate: whether there is one, its weight, suspicion, line, growth, whether it inserts, whether it
deletes, and its class."""
PROGRAM = 4
"""Numbers of the program: share of tests that pass, of the budget left, of edits tried, and edits kept."""
_SMALLEST = 1e-4
"""Weights below this share of the best one count as equal."""


def class_ranking(source: str, edits: Sequence[Edit], suspicion: Suspicion) -> Sequence[float]:
    """The learnt rate of each edit's class times the suspicion of its line."""
    return class_weights(edits, suspicion)


class RepairArrays(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Repair-v0, real or imagined, with one array as observation and `candidates` actions.

    Args:
        env: a Repair-v0 environment, or an imagined one.
        candidates: edits offered at a time.
        ranking: weights of edits; the best are offered first. Default: by class and suspicion.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], *, candidates: int = 32, ranking: Ranking = class_ranking) -> None:
        super().__init__(env)
        if not isinstance(self.real, RepairEnv):
            raise BadEnvOption(f"RepairArrays wraps cwm_agent/Repair-v0, not {env}.")
        if not callable(ranking):
            raise BadEnvOption(f"ranking={ranking!r:.80}: give a function of (source, edits, suspicion).")
        self.candidates = min(check_whole("candidates", candidates, 1), self.real.max_edits)
        self.ranking = ranking
        self._ranked: tuple[tuple[Edit, ...], list[float], list[int]] = ((), [], [])
        """The edits that were ranked, their weights, and their places from the best to the worst."""
        self._described: tuple[tuple[Edit, ...], int, dict[int, tuple[Array, str]]] = ((), 0, {})
        """The edits that were listed, the length of the patch, and of some places the row and the edit as text."""
        self.shown: list[int] = []
        """The rank in Repair-v0 of each candidate that is offered."""
        self.observation_space = Box(-1, 1, (self.candidates * ROW + PROGRAM,), np.float32)
        self.action_space = Discrete(self.candidates)

    @property
    def real(self) -> RepairEnv:
        """The Repair-v0 environment inside."""
        inner: Any = self.env.unwrapped
        found: RepairEnv = getattr(inner, "real", inner)
        return found

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts a task of Repair-v0 and ranks its edits."""
        _, info = self.env.reset(seed=seed, options=None if options is None else dict(options))
        self._ranked, self._described = ((), [], []), ((), 0, {})
        return self._observation(), self._info(info)

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Tries one candidate; a masked action is refused and costs as much as an execution."""
        number = check_action(action, self.candidates)
        masked = int(np.argmin(self.real.action_masks()))
        rank = self.shown[number] if number < len(self.shown) else masked
        _, reward, terminated, truncated, info = self.env.step(np.int64(rank))
        return self._observation(), float(reward), terminated, truncated, self._info(info)

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of candidates, for sb3-contrib."""
        return np.arange(self.candidates) < len(self.shown)

    def _observation(self) -> Array:
        real = self.real
        allowed = real.action_masks()
        weights, order = self._ranking()
        self.shown = [place for place in order if allowed[place]][: self.candidates]
        found = np.zeros((self.candidates, ROW), dtype=np.float32)
        best = max((weights[place] for place in self.shown), default=1.0)
        for row, place in zip(found, self.shown, strict=False):
            row[:] = self._description(place)[0]
            row[1] = _scaled(weights[place] / best if best > 0 else 0.0)
        tried = 1 - float(allowed.sum()) / max(1, len(weights))
        left = max(0, real.budget - real.spent) / real.budget
        program = [real.evaluation.share, left, tried, math.tanh(len(real.state.patch) / 3)]
        return np.concatenate([found.ravel(), np.clip(np.array(program, dtype=np.float32), -1, 1)])

    def _ranking(self) -> tuple[list[float], list[int]]:
        """The weights of the edits that Repair-v0 offers and their order, computed once for each list of edits."""
        real = self.real
        offered = real.offered
        if self._ranked[0] is not offered:
            weights = [float(each) for each in self.ranking(real.state.source, offered, real.suspicion)]
            if len(weights) != len(offered) or not all(map(math.isfinite, weights)):
                raise BadEnvOption("The ranking must give one finite weight for each edit; correct the function.")
            order = sorted(range(len(weights)), key=lambda place: -weights[place])
            self._ranked = offered, weights, order
        return self._ranked[1], self._ranked[2]

    def _description(self, place: int) -> tuple[Array, str]:
        """The row of an edit, without its weight, and its text; both stay the same until an edit is kept."""
        real = self.real
        if self._described[0] is not real.offered or self._described[1] != len(real.state.patch):
            self._described = real.offered, len(real.state.patch), {}
        known = self._described[2]
        if place not in known:
            edit, lines = real.edit_of(place), real.state.source.count("\n") + 1
            known[place] = _row(edit, real.suspicion, lines), str(edit)
        return known[place]

    def _info(self, info: Mapping[str, Any]) -> dict[str, Any]:
        edits = tuple(self._description(place)[1] for place in self.shown)
        return {**info, "action_mask": self.action_masks().astype(np.int8), "candidates": edits}


def _scaled(weight: float) -> float:
    """A weight, given as a share of the best one, on a logarithmic scale from 0 to 1."""
    return min(1.0, 1 - math.log(max(weight, _SMALLEST)) / math.log(_SMALLEST))


def _row(edit: Edit, suspicion: Suspicion, lines: int) -> Array:
    """The numbers of one candidate; its weight, which depends on the others, is left at 0."""
    growth = math.tanh((len(edit.after) - len(edit.before)) / 10)
    place = CLASSES.index(edit.operator if edit.operator in FAMILY_OF else "other")
    numbers = [1, 0, suspicion_of(edit, suspicion), edit.line / lines, growth, not edit.before, not edit.after]
    return np.concatenate([np.clip(np.array(numbers, dtype=np.float32), -1, 1), one_hot(place, len(CLASSES))])


def make_repair_arrays(
    *, candidates: int = 32, ranking: Ranking = class_ranking, **options: Any
) -> gymnasium.Env[Array, np.int64]:
    """RepairArrays over a new Repair-v0 with these options."""
    return RepairArrays(RepairEnv(**options), candidates=candidates, ranking=ranking)

"""Small worlds for the tests of planners; each is a real `Model`, and says what it is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from planners import End, Refused, Step


@dataclass(frozen=True)
class Line:
    """Walk on the integers from 0; `goal` is a goal worth 1, and -goal a failure worth 0. Values unknown."""

    goal: int = 3

    def actions(self, state: int) -> Sequence[int]:
        return (-1, 1)

    def step(self, moves: Sequence[tuple[int, int]], rng: Random) -> list[Step[int]]:
        return [self._at(state + action) for state, action in moves]

    def _at(self, place: int) -> Step[int]:
        over = abs(place) >= self.goal
        end: End | None = ("goal" if place > 0 else "failure") if over else None
        return Step(place, value=float(place > 0) if over else None, end=end)


@dataclass(frozen=True)
class Random3:
    """A random tree or graph by seed: rewards, values, ends, refusals and priors all drawn from the state's name.

    `mergeable` makes states meet again (a graph); otherwise a state is its whole path (a tree).
    """

    seed: int
    width: int = 3
    values: bool = True
    priors: bool = False
    refusals: bool = False
    mergeable: bool = False

    def actions(self, state: Any) -> Sequence[int]:
        return range(self.width)

    def step(self, moves: Sequence[tuple[Any, int]], rng: Random) -> list[Step[Any] | Refused]:
        return [self._one(state, action) for state, action in moves]

    def _one(self, state: Any, action: int) -> Step[Any] | Refused:
        luck = Random(f"{self.seed} {state} {action}")
        if self.refusals and luck.random() < 0.2:
            return Refused("not here")
        after = luck.randrange(12) if self.mergeable else (*state, action)
        here = Random(f"{self.seed} {after}")
        prior = None
        if self.priors:
            weights = [here.random() + 0.01 for _ in range(self.width)]
            prior = tuple(weight / sum(weights) for weight in weights)
        return Step(
            after,
            reward=luck.choice([-1.0, 0.0, 0.0, 1.0]),
            value=here.uniform(-1, 1) if self.values else None,
            end="goal" if here.random() < 0.15 else None,
            prior=prior,
            tokens=2,
        )


ROOT: tuple[int, ...] = ()


@dataclass(frozen=True)
class Broken:
    """A line world with one thing wrong, by name."""

    fault: str

    def actions(self, state: int) -> Any:
        if self.fault == "no actions":
            return ()
        if self.fault == "actions raise":
            raise RuntimeError("the list is gone")
        if self.fault == "iterator":
            return iter((-1, 1))
        return (-1, 1)

    def step(self, moves: Sequence[tuple[Any, int]], rng: Random) -> Any:
        if self.fault == "raises":
            raise ConnectionError("server gone")
        if self.fault == "raises later" and any(state == 2 for state, _ in moves):
            raise ConnectionError("server gone")
        if self.fault == "too few":
            return []
        if self.fault == "no step":
            return ["somewhere" for _ in moves]
        if self.fault == "chance":
            return [Step(Random().random()) for _ in moves]
        return [self._at(state, action) for state, action in moves]

    def _at(self, state: Any, action: int) -> Any:
        if self.fault == "unhashable":
            return Step([*state, action] if isinstance(state, list) else [action])
        if self.fault == "changes state":
            state.append(action)
            return Step(state)
        if self.fault == "all refused":
            return Refused("never")
        value = {"nan": float("nan"), "infinite": float("inf")}.get(self.fault)
        prior = {"prior sum": (0.2, 0.2), "prior negative": (-0.5, 1.5), "prior length": (0.5, 0.25, 0.25)}
        return Step(state + action, value=value, prior=prior.get(self.fault))

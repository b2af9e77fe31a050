"""Pure core of the permutation problem with hidden items: `look` shows one place, commands may slip.

Nothing is seen but the last look, so an agent keeps a belief over arrangements. Knows no Gymnasium and no planner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from random import Random
from typing import NamedTuple

from envs.domains.permutation_commands import Arrangement, Command
from envs.domains.permutation_core import PermutationCore
from envs.errors import BadEnvOption


class Look(NamedTuple):
    """The action that shows the item at one place."""

    place: int

    def __str__(self) -> str:
        return f"look {self.place}"


class HiddenArrangement(NamedTuple):
    """An arrangement, and the place that was looked at last; None if a command came after it."""

    items: Arrangement
    looked: int | None = None


@dataclass(frozen=True, slots=True)
class HiddenPermutationCore:
    """One permutation problem whose items are hidden."""

    problem: PermutationCore
    slip: float = 0.0
    """Probability that a random command is executed in place of the given one."""
    choices: tuple[Command | Look, ...] = field(init=False, repr=False, compare=False)
    """All actions: the commands, then a look at each place."""

    def __post_init__(self) -> None:
        if not 0 <= self.slip < 1:
            raise BadEnvOption(f"slip={self.slip}: give a probability from 0 to below 1.")
        looks = [Look(place) for place in range(self.problem.items)]
        object.__setattr__(self, "choices", (*self.problem.commands, *looks))

    def initial(self) -> HiddenArrangement:
        """The start, with nothing seen."""
        return HiddenArrangement(self.problem.start)

    def starts(self) -> list[HiddenArrangement]:
        """Every arrangement that the start can be, for an agent that has seen nothing."""
        orders = permutations(sorted(self.problem.goal))
        return [HiddenArrangement(order) for order in orders if order != self.problem.goal]

    def actions(self, state: HiddenArrangement) -> tuple[Command | Look, ...]:
        """All actions, always in the same order; empty at the goal."""
        return () if self.is_goal(state) else self.choices

    def transition(self, state: HiddenArrangement, action: Command | Look, rng: Random) -> HiddenArrangement:
        """The state after one action; a look never slips."""
        if isinstance(action, Look):
            return HiddenArrangement(state.items, action.place)
        if self.slip and rng.random() < self.slip:
            action = rng.choice(self.problem.commands)
        return HiddenArrangement(self.problem.transition(state.items, action))

    def is_goal(self, state: HiddenArrangement) -> bool:
        return self.problem.is_goal(state.items)

    def observe(self, state: HiddenArrangement) -> tuple[int | None, ...]:
        """The item at the place looked at, None at all others; at the goal all items."""
        if self.is_goal(state):
            return state.items
        return tuple(item if place == state.looked else None for place, item in enumerate(state.items))

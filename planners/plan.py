"""What every planner returns, and the one method that makes a planner; knows no search."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar

from planners.limits import Limits, Spent
from planners.model import Model, Step

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Plan(Generic[S, A]):
    """A sequence of actions with what was imagined of it."""

    actions: tuple[A, ...]
    states: tuple[S, ...]
    """The start and the state imagined after each action: always one more than actions."""
    value: float | None
    """Imagined return of the whole plan; None for the empty plan from a state of unknown value."""
    terminal: bool
    """Whether the model called the plan's last state an end of the world."""
    spent: Spent
    visits: tuple[int, ...] = ()
    """How often search went through each action; empty for planners that do not count visits."""
    stopped: str = ""
    """Why search ended: goal, exhausted, simulations, rollouts, limits, or failed."""
    best_terminal: Plan[S, A] | None = None
    """The best path seen that reached an end of the world, when that is another than this one."""
    most_visited: Plan[S, A] | None = None
    """The path that search went most, when that is another than this one; only where visits are counted."""


class Planner(Protocol):
    """Anything that finds a plan; the same result for the same model, state, limits and seed."""

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the best plan found within the limits."""
        ...

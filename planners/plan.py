"""The plan, and the protocols of searches and planners; knows no search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from planners.limits import Limits, Spent
from planners.model import End, Offers, Refused, Step

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Plan(Generic[S, A]):
    """A sequence of actions with its imagined states and return."""

    actions: tuple[A, ...]
    states: tuple[S, ...]
    """The start and the state imagined after each action: always one more than actions."""
    value: float | None
    """Imagined return of the whole plan; None for the empty plan from a state of unknown value."""
    end: End | None
    """The end of the plan's last state: a goal, a failure, a truncation, or None if it is no end."""
    spent: Spent
    visits: tuple[int, ...] = ()
    """Number of visits of each action; empty for planners that do not count visits."""
    stopped: str = ""
    """Why search ended: goal, exhausted, simulations, rollouts, limits, or failed; searching before its end."""
    best_goal: Plan[S, A] | None = None
    """The best path to a goal, if it differs from this plan."""
    most_visited: Plan[S, A] | None = None
    """The most visited path, if it differs from this plan; only for planners that count visits."""


class Leaf(NamedTuple, Generic[S, A]):  # faster to make than a frozen dataclass, and each model call makes one
    """A question of a search: where does `action` lead from `state`?"""

    ticket: int
    state: S
    action: A


@runtime_checkable
class Search(Protocol[S, A]):
    """One search in progress, driven by the caller, who holds the world: ask for leaves, answer them, read the plan."""

    leaves: int
    """Preferred number of leaves in one `ask`."""

    def ask(self, k: int = 1) -> list[Leaf[S, A]]:
        """Return up to k leaves to evaluate.

        An empty list means: answer the leaves in flight first; if there are none, the search is over.
        """
        ...

    def tell(self, answers: Iterable[tuple[Leaf[S, A], Step[S] | Refused]]) -> int:
        """Take answers in any order and return how many were used; answers to released leaves are ignored."""
        ...

    def release(self, leaves: Iterable[Leaf[S, A]] | None = None) -> None:
        """Forget leaves whose answers were lost (all in flight when None); they may be asked again."""
        ...

    def correct(self, actions: Sequence[A], real: Step[S] | Refused) -> None:
        """Overwrite the imagined result of `actions` (from the root) with the real one.

        Raises BadOption if the search never imagined these actions.
        """
        ...

    def plan(self) -> Plan[S, A]:
        """Return the best plan found so far."""
        ...


@runtime_checkable
class Planner(Protocol):
    """Anything that makes searches; the same answers give the same plan for the same limits and seed."""

    def search(self, model: Offers[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Search[S, A]:
        """Return a new search from `state`; it asks `model` for actions and the caller for steps."""
        ...

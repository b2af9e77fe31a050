"""The seam between search and any world, real or imagined; knows no planner and no world.

Words: a *state* is whatever the world says it is; a *move* is a state with an action; a *step* is what a move
leads to; a *value* is the return still to come from a state (at the end of the world: what ending there is
worth); a *return* is the discounted sum of rewards and that value. A value may be unknown (None): search then
believes of the state what it believed of the one before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeAlias, TypeVar

from planners.errors import BadModel

S = TypeVar("S")
A = TypeVar("A")

PRIOR_TOLERANCE = 1e-3
"""How far a prior's sum may be from one: wide enough for a half-precision softmax."""


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """What one move led to."""

    state: S
    reward: float = 0.0
    value: float | None = None
    """Return still to come from `state`; None when unknown. Of a terminal state: what ending there is
    worth."""
    terminal: bool = False
    prior: tuple[float, ...] | None = None
    """Probability of each action, in the order of `actions(state)`; None means uniform."""
    notes: tuple[tuple[str, str], ...] = ()
    """Anything worth keeping beside the node, as (name, text); search passes it on unread."""
    tokens: int = 0
    """What this step cost in tokens, for `Limits.tokens`."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.reward):
            raise BadModel(f"A step's reward is {self.reward!r}; rewards must be finite numbers.")
        if self.value is not None and not math.isfinite(self.value):
            raise BadModel(f"A step's value is {self.value!r}; say None when the value is unknown.")
        if self.prior is not None:
            check_prior(self.prior)


@dataclass(frozen=True, slots=True)
class Refused:
    """The world's answer to an action that cannot be taken there; search will not try it again."""

    reason: str = ""
    tokens: int = 0


Move: TypeAlias = tuple[S, A]
Answer: TypeAlias = Step[S] | Refused


class Model(Protocol[S, A]):
    """All that search may know of a world."""

    def actions(self, state: S) -> Sequence[A]:
        """Return what may be tried in `state`, always in the same order; empty where nothing can."""
        ...

    def step(self, moves: Sequence[tuple[S, A]], rng: Random) -> Sequence[Step[S] | Refused]:
        """Return one answer for each move, in the order of the moves, and change no state."""
        ...


def check_prior(prior: Sequence[float]) -> None:
    """Raise BadModel unless `prior` is a probability for each of its actions."""
    if any(not p >= 0.0 for p in prior):
        raise BadModel(f"A prior holds {min(prior)!r}; probabilities are numbers from 0 to 1.")
    if prior and not abs(sum(prior) - 1.0) <= PRIOR_TOLERANCE:
        raise BadModel(f"A prior sums to {sum(prior):.6g}, not to 1; divide it by its sum, or say None for uniform.")


def root_step(state: S | Step[S]) -> Step[S]:
    """Return the start of a search as a Step: a bare state has unknown value and uniform prior."""
    return state if isinstance(state, Step) else Step(state)

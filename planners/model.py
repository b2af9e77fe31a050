"""The seam between search and any world, real or imagined; knows no planner and no world.

Words: a *state* is whatever the world says it is; a *move* is a state with an action; a *step* is what a move
leads to; a *value* is the return still to come from a state (at the end of the world: what ending there is
worth); a *return* is the discounted sum of rewards and that value; an *end* is why nothing follows a state: the
goal, a failure, or a truncation. A value may be unknown (None): search then takes the estimate of the state before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar, get_args

from planners.errors import BadModel

S = TypeVar("S")
A = TypeVar("A")
S_contra = TypeVar("S_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)

End: TypeAlias = Literal["goal", "failure", "truncated"]
"""Why nothing follows a state: it is what was wanted, it is lost, or the world stopped counting."""
PRIOR_TOLERANCE = 1e-3
"""How far a prior's sum may be from one: wide enough for a half-precision softmax."""


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """What one move led to."""

    state: S
    reward: float = 0.0
    value: float | None = None
    """Return still to come from `state`; None when unknown. Of an end: what ending there is worth."""
    end: End | None = None
    """Why nothing follows `state`; None where something does. Only a goal is ever a success."""
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
        if self.end is not None and self.end not in get_args(End):
            raise BadModel(f"A step's end is {self.end!r}; say 'goal', 'failure' or 'truncated', or None to go on.")
        if self.prior is not None:
            check_prior(self.prior)


@dataclass(frozen=True, slots=True)
class Refused:
    """The world's answer to an action that cannot be taken there; search will not try it again."""

    reason: str = ""
    tokens: int = 0


Move: TypeAlias = tuple[S, A]
Answer: TypeAlias = Step[S] | Refused


class Offers(Protocol[S_contra, A_co]):
    """All that a search may know of a world; the caller of the search asks the world for the steps."""

    def actions(self, state: S_contra) -> Sequence[A_co]:
        """Return what may be tried in `state`, always in the same order; empty where nothing can."""
        ...


class Model(Offers[S, A], Protocol[S, A]):
    """A world that answers batches of moves at once: all that a planner needs to plan by itself."""

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

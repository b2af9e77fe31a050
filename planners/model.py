"""The protocol between search and any world, real or imagined; knows no planner and no world.

Words: a *state* is any object of the world; a *move* is a state with an action; a *step* is the result of a move; a
*value* is the expected return from a state on (at an end: the value of that end); a *return* is the discounted sum of
rewards and that value; an *end* is the reason why nothing follows a state: the goal, a failure, or a truncation. A
value may be unknown (None): search then takes the estimate of the state before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar, get_args, overload

from planners.errors import BadModel, ModelFailed

S = TypeVar("S")
A = TypeVar("A")
S_contra = TypeVar("S_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)

End: TypeAlias = Literal["goal", "failure", "truncated"]
"""The reason why nothing follows a state: the goal is reached, it cannot be reached any more, or the world cut off."""
PRIOR_TOLERANCE = 1e-3
"""Largest distance of a prior's sum from one: wide enough for a half-precision softmax."""


class LatePrior(Sequence[float]):
    """A prior that is computed when it is first read: search opens the actions of few of the states it reaches.

    Storing a search reads the priors of all its states.
    """

    def __init__(self, compute: Callable[[], Iterable[float]]) -> None:
        self._compute = compute

    @cached_property
    def _values(self) -> tuple[float, ...]:
        try:
            values = tuple(self._compute())
        except Exception as error:
            raise ModelFailed(f"The computation of a late prior raised {type(error).__name__}: {error}") from error
        check_prior(values)
        return values

    def __repr__(self) -> str:
        return "LatePrior(...)"

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[float]:
        return iter(self._values)

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[float, ...]: ...
    def __getitem__(self, index: int | slice) -> float | tuple[float, ...]:
        return self._values[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._values == tuple(other)

    def __hash__(self) -> int:
        return hash(self._values)


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """The result of one move."""

    state: S
    reward: float = 0.0
    value: float | None = None
    """Expected return from `state` on; None if unknown. At an end: the value of that end."""
    end: End | None = None
    """The reason why nothing follows `state`; None if something does. Only a goal is a success."""
    prior: tuple[float, ...] | LatePrior | None = None
    """Probability of each action, in the order of `actions(state)`; None means uniform."""
    notes: tuple[tuple[str, str], ...] = ()
    """Notes for the user, as (name, text); search stores them with the node and does not read them."""
    tokens: int = 0
    """The cost of this step in tokens, for `Limits.tokens`."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.reward):
            raise BadModel(f"A step's reward is {self.reward!r}; rewards must be finite numbers.")
        if self.value is not None and not math.isfinite(self.value):
            raise BadModel(f"A step's value is {self.value!r}; say None when the value is unknown.")
        if self.end is not None and self.end not in get_args(End):
            raise BadModel(
                f"A step's end is {self.end!r}; say 'goal', 'failure' or 'truncated', or None if it is no end."
            )
        if self.prior is not None and not isinstance(self.prior, LatePrior):
            check_prior(self.prior)


@dataclass(frozen=True, slots=True)
class Refused:
    """The world's answer to an action that is impossible in that state; search does not try it again."""

    reason: str = ""
    tokens: int = 0


Move: TypeAlias = tuple[S, A]
Answer: TypeAlias = Step[S] | Refused


class Offers(Protocol[S_contra, A_co]):
    """All that a search uses of a world; the caller of the search asks the world for the steps."""

    def actions(self, state: S_contra) -> Sequence[A_co]:
        """Return the actions that may be tried in `state`, always in the same order; empty if there are none."""
        ...


class Model(Offers[S, A], Protocol[S, A]):
    """A world that answers batches of moves: all that a planner needs to plan by itself."""

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

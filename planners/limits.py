"""Limits of a search, and the meter of what it has spent; knows no search.

The meter checks the limits before each batch. The limit on calls is exact (the last batch is cut to fit); tokens and
seconds are known only after a batch, so a search can exceed them by at most one batch. With a limit of zero a search
spends nothing and returns the empty plan.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from planners.errors import BadModel, ModelFailed, require_at_least
from planners.model import Model, Offers, Refused, Step

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search; None is no limit."""

    calls: int | None = 10_000
    """Moves passed to the model."""
    batches: int | None = None
    """Calls of `model.step`, whatever their size."""
    tokens: int | None = None
    seconds: float | None = None
    depth: int = 100
    """Longest plan, in actions."""

    def __post_init__(self) -> None:
        require_at_least(
            0,
            calls=self.calls,
            batches=self.batches,
            tokens=self.tokens,
            seconds=self.seconds,
            depth=self.depth,
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """The costs of one search so far; equal if the counted costs are equal, since time never repeats."""

    calls: int = 0
    batches: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spent):
            return NotImplemented
        return (self.calls, self.batches, self.tokens) == (other.calls, other.batches, other.tokens)

    def __hash__(self) -> int:
        return hash((self.calls, self.batches, self.tokens))


class Meter(Generic[S, A]):
    """Counts the costs of a search and tells how many moves the next batch may hold."""

    def __init__(self, limits: Limits, before: Spent | None = None) -> None:
        before = before or Spent()
        self.limits = limits
        self.calls, self.batches, self.tokens = before.calls, before.batches, before.tokens
        self._began = time.perf_counter() - before.seconds

    @property
    def spent(self) -> Spent:
        return Spent(self.calls, self.batches, self.tokens, time.perf_counter() - self._began)

    def room(self, wanted: int) -> int:
        """Return how many of `wanted` moves the next batch may hold; 0 when a limit is reached."""
        limits = self.limits
        if limits.batches is not None and self.batches >= limits.batches:
            return 0
        if limits.tokens is not None and self.tokens >= limits.tokens:
            return 0
        if limits.seconds is not None and time.perf_counter() - self._began >= limits.seconds:
            return 0
        if limits.calls is None or wanted <= limits.calls - self.calls:
            return wanted
        return max(0, limits.calls - self.calls)

    def count(self, answers: Sequence[Step[S] | Refused]) -> None:
        """Count one batch of answers."""
        self.calls += len(answers)
        self.batches += 1
        for answer in answers:
            self.tokens += answer.tokens

    def step(self, model: Model[S, A], moves: Sequence[tuple[S, A]], rng: Random) -> Sequence[Step[S] | Refused]:
        """Pass one batch to the model, check the answers' number and kind, and count them."""
        answers = ask_model(model, moves, rng)
        self.count(answers)
        return answers


def ask_model(model: Model[S, A], moves: Sequence[tuple[S, A]], rng: Random) -> Sequence[Step[S] | Refused]:
    """Return the model's answers, one for each move; an exception of the model becomes the cause of ModelFailed."""
    try:
        answers = model.step(moves, rng)
    except BadModel:
        raise
    except Exception as error:
        raise ModelFailed(
            f"{type(model).__name__}.step raised {type(error).__name__}: {error} "
            f"(batch of {len(moves)}). The plan until then is in this error's `.plan`."
        ) from error
    if len(answers) != len(moves):
        raise BadModel(f"{type(model).__name__}.step gave {len(answers)} answers to {len(moves)} moves; give one each.")
    for answer in answers:
        if not isinstance(answer, (Step, Refused)):
            raise BadModel(f"{type(model).__name__}.step answered {answer!r}; answer with Step(...) or Refused(...).")
    return answers


def actions_of(model: Offers[S, A], state: S) -> Sequence[A]:
    """Return the model's actions in `state`; an exception of the model becomes the cause of ModelFailed."""
    try:
        return model.actions(state)
    except Exception as error:
        raise ModelFailed(
            f"{type(model).__name__}.actions raised {type(error).__name__}: {error} (state {state!r:.200})."
        ) from error

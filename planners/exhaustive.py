"""Every path up to the depth limit: the reference that other planners are tested against; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeVar

from planners.errors import ModelFailed, require_at_least
from planners.limits import Limits
from planners.model import Model, Step
from planners.path import Book, start_path
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Tries everything; `actions ** depth` model calls, so for small worlds only."""

    discount: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(0, discount=self.discount)

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the best of all paths; the best so far when a limit cut the search."""
        book: Book[S, A] = Book(model, start_path(state), limits, rng, self.discount)
        stack = [book.deepest]
        try:
            while stack and not book.cut:
                stack.extend(reversed(book.grow([stack.pop()])))
        except ModelFailed as error:
            raise book.failed(error) from error.__cause__
        return book.plan("limits" if book.cut else "exhausted")

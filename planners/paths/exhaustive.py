"""Exhaustive search: every path up to the depth limit, as a reference for tests of other planners; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from planners.errors import require_at_least
from planners.paths.path import Book, Growing
from planners.paths.path_search import PathPlanner

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Exhaustive(PathPlanner):
    """Tries every path; takes `actions ** depth` model calls, so it is for small worlds only."""

    discount: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(0, discount=self.discount)

    def paths(self, book: Book[S, A]) -> Growing[S, A, str]:
        """Extend every path, the first of the longest first, until all are tried or a limit is met."""
        stack = [book.start]
        while stack and not book.cut:
            longer = yield from book.grow([stack.pop()])
            stack.extend(reversed(longer))
        return "limits" if book.cut else "exhausted"

"""Best-first search: extends the best open path of all depths; knows no world."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from planners.errors import require_at_least
from planners.paths.path import Book, Growing, Path, Seen
from planners.paths.path_search import PathPlanner

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class BestFirst(PathPlanner):
    """Extends the path with the highest imagined return; without values, it is uniform-cost search."""

    leaves: int = 1
    """Paths extended in one model batch."""
    discount: float = 1.0
    merge: bool = True
    """Keep only the best way to a state; needs hashable states."""

    def __post_init__(self) -> None:
        require_at_least(1, leaves=self.leaves)
        require_at_least(0, discount=self.discount)

    def paths(self, book: Book[S, A]) -> Growing[S, A, str]:
        """Extend the best paths until a goal scores higher than every open path, all are tried, or a limit is met."""
        seen: Seen[S, A] = Seen("BestFirst")
        frontier: _Frontier[S, A] = _Frontier([book.start])
        while (best := frontier.best(book.reopened)) is not None and not book.cut:
            if book.goal_beats([best]):
                return "goal"
            longer = yield from book.grow(frontier.pop(self.leaves))
            for path in longer:
                if not path.is_open or (self.merge and seen.beats(path)):
                    continue
                if self.merge:
                    seen.add(path)
                frontier.push(path)
        return "limits" if book.cut else "goal" if book.goal_beats([]) else "exhausted"


class _Frontier(Generic[S, A]):
    """Open paths, the best first; of equals the one pushed first. Corrections may change their scores."""

    def __init__(self, paths: Sequence[Path[S, A]]) -> None:
        self._order = count()
        self._queue: list[tuple[float, int, Path[S, A]]] = []
        for path in paths:
            self.push(path)

    def push(self, path: Path[S, A]) -> None:
        heapq.heappush(self._queue, (-path.score, next(self._order), path))

    def best(self, reopened: list[Path[S, A]]) -> Path[S, A] | None:
        """Return the best open path, including those that a correction opened again; None if there is none."""
        while reopened:
            self.push(reopened.pop())
        while self._queue:
            score, _, path = self._queue[0]
            if path.is_open and -path.score == score:
                return path
            heapq.heappop(self._queue)
            if path.is_open:
                self.push(path)
        return None

    def pop(self, most: int) -> list[Path[S, A]]:
        """Remove up to `most` of the best paths and return them."""
        found: list[Path[S, A]] = []
        while len(found) < most and self.best([]) is not None:
            found.append(heapq.heappop(self._queue)[2])
        return found

"""Best-first search: the best open path of all depths goes on; knows no world."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TypeVar

from planners.errors import ModelFailed, require_at_least
from planners.limits import Limits
from planners.model import Model, Step
from planners.path import Book, Path, Seen, start_path
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class BestFirst:
    """Lengthens the path with the highest imagined return; without values, uniform-cost search."""

    leaves: int = 1
    """Paths lengthened in one model batch."""
    discount: float = 1.0
    merge: bool = True
    """Keep only the best way to a state; needs hashable states."""

    def __post_init__(self) -> None:
        require_at_least(1, leaves=self.leaves)
        require_at_least(0, discount=self.discount)

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the best path met; ends once an end of the world looks better than every open path."""
        book: Book[S, A] = Book(model, start_path(state), limits, rng, self.discount)
        try:
            return book.plan(self._search(book))
        except ModelFailed as error:
            raise book.failed(error) from error.__cause__

    def _search(self, book: Book[S, A]) -> str:
        """Lengthen best paths until a goal, the end of all paths or a limit, and return which."""
        seen: Seen[S, A] = Seen("BestFirst")
        order = count()
        queue: list[tuple[float, int, Path[S, A]]] = [(-book.deepest.score, next(order), book.deepest)]
        while queue and not book.cut:
            if book.goal_beats([queue[0][2]]):
                return "goal"
            chosen = [heapq.heappop(queue)[2] for _ in range(min(self.leaves, len(queue)))]
            for path in book.grow(chosen):
                if path.terminal or (self.merge and seen.beats(path)):
                    continue
                if self.merge:
                    seen.add(path)
                heapq.heappush(queue, (-path.score, next(order), path))
        return "limits" if book.cut else "goal" if book.goal_beats([]) else "exhausted"

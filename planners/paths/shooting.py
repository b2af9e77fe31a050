"""Random shooting: draws many random paths together and returns the best; knows no world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from planners.errors import BadModel, require_at_least
from planners.limits import actions_of
from planners.paths.path import Book, Growing, Path
from planners.paths.path_search import PathPlanner

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class RandomShooting(PathPlanner):
    """Draws random paths, by the prior if there is one; the baseline that a planner must beat."""

    rollouts: int = 64
    """Number of paths; they advance together, one model batch for each depth."""
    discount: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(1, rollouts=self.rollouts)
        require_at_least(0, discount=self.discount)

    def paths(self, book: Book[S, A]) -> Growing[S, A, str]:
        """Extend all paths by one random action at a time; a path whose action is refused draws again."""
        live = [(book.start, frozenset[int]())] * self.rollouts
        while live and not book.cut:
            drawn: list[tuple[Path[S, A], frozenset[int], int, A]] = []
            for path, refused in live:
                choice = None if self._over(book, path) else _draw(book, path, refused)
                if choice is None:
                    book.end(path)
                else:
                    drawn.append((path, refused, *choice))
            longer = yield from book.step([(path, action) for path, _, _, action in drawn])
            live = [
                (path, refused | {index}) if after is None else (after, frozenset())
                for (path, refused, index, _), after in zip(drawn, longer, strict=False)
            ]
        return "limits" if book.cut else "rollouts"

    @staticmethod
    def _over(book: Book[S, A], path: Path[S, A]) -> bool:
        return path.end is not None or path.dropped or path.depth >= book.limits.depth


def _draw(book: Book[S, A], path: Path[S, A], refused: frozenset[int]) -> tuple[int, A] | None:
    """Return a random action with its index; None if all are refused."""
    actions = actions_of(book.model, path.state)
    left = [index for index in range(len(actions)) if index not in refused]
    if not left:
        return None
    index = book.rng.choices(left, _weights(path, actions, left))[0]
    return index, actions[index]


def _weights(path: Path[S, A], actions: Sequence[A], left: Sequence[int]) -> list[float] | None:
    if path.prior is None:
        return None
    if len(path.prior) != len(actions):
        raise BadModel(
            f"A step's prior has {len(path.prior)} entries and actions() of its state gives {len(actions)}; "
            f"give one probability an action, in the same order. The state: {path.state!r:.200}"
        )
    weights = [path.prior[index] for index in left]
    return weights if sum(weights) > 0.0 else None

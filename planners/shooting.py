"""Random shooting: many random paths side by side, and the best of them; knows no world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from planners.errors import BadModel, ModelFailed, require_at_least
from planners.limits import Limits, actions_of
from planners.model import Model, Step
from planners.path import Book, Path, start_path
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class RandomShooting:
    """Draws random paths, by the prior where there is one; the baseline that a planner must beat."""

    rollouts: int = 64
    """Paths drawn; they advance together, one model batch a depth."""
    discount: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(1, rollouts=self.rollouts)
        require_at_least(0, discount=self.discount)

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the best path drawn, cut where it was worth most if values are known."""
        book: Book[S, A] = Book(model, start_path(state), limits, rng, self.discount)
        try:
            self._shoot(book)
        except ModelFailed as error:
            raise book.failed(error) from error.__cause__
        return book.plan("limits" if book.cut else "rollouts")

    def _shoot(self, book: Book[S, A]) -> None:
        """Lengthen all rollouts by one random action at a time; a refused one draws again."""
        live = [(book.deepest, frozenset[int]())] * self.rollouts
        while live and not book.cut:
            drawn: list[tuple[Path[S, A], frozenset[int], int, A]] = []
            for path, refused in live:
                choice = None if self._over(book, path) else _draw(book, path, refused)
                if choice is None:
                    book.end(path)
                else:
                    drawn.append((path, refused, *choice))
            longer = book.step([(path, action) for path, _, _, action in drawn])
            live = [
                (path, refused | {index}) if after is None else (after, frozenset())
                for (path, refused, index, _), after in zip(drawn, longer, strict=False)
            ]

    @staticmethod
    def _over(book: Book[S, A], path: Path[S, A]) -> bool:
        return path.terminal or path.depth >= book.limits.depth


def _draw(book: Book[S, A], path: Path[S, A], refused: frozenset[int]) -> tuple[int, A] | None:
    """Return a random action with its index, None where all are refused."""
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

"""Beam search: extends the best few paths of each depth; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from planners.errors import require_at_least
from planners.paths.path import Book, Growing, Path, Seen
from planners.paths.path_search import PathPlanner

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Beam(PathPlanner):
    """Keeps the `width` best paths of each depth."""

    width: int = 8
    leaves: int | None = 4
    """Paths extended in one model batch, best first; a depth ends early once the next beam is full of paths that
    beat the parents not yet extended. None extends all at once: most calls, fewest batches."""
    discount: float = 1.0
    merge: bool = True
    """Keep only the best way to a state; needs hashable states."""
    stop_at_goal: bool = True
    """Whether to end once a goal has a strictly higher score than every open path."""

    def __post_init__(self) -> None:
        require_at_least(1, width=self.width, leaves=self.leaves)
        require_at_least(0, discount=self.discount)

    def paths(self, book: Book[S, A]) -> Growing[S, A, str]:
        """Extend the beam depth by depth and return why it ended."""
        seen: Seen[S, A] = Seen("Beam")
        beam = [book.start]
        while beam and not book.cut:
            beam = yield from self._level(book, beam, seen)
            if self.stop_at_goal and book.goal_beats(beam):
                return "goal"
        return "limits" if book.cut else "exhausted"

    def _level(self, book: Book[S, A], beam: list[Path[S, A]], seen: Seen[S, A]) -> Growing[S, A, list[Path[S, A]]]:
        """Return the next beam: parents are extended best first, while the rest may still enter the beam."""
        kept: list[Path[S, A]] = []
        size = self.leaves or len(beam)
        while beam and not book.cut:
            parents, beam = beam[:size], beam[size:]
            longer = yield from book.grow(parents)
            kept = self._keep([*kept, *longer, *_taken(book.reopened)], seen)
            if len(kept) == self.width and beam and kept[-1].score > beam[0].score:
                break
            if self.stop_at_goal and book.goal_beats([*beam, *kept]):
                break
        if self.merge:
            for path in kept:
                seen.add(path)
        return kept

    def _keep(self, paths: list[Path[S, A]], seen: Seen[S, A]) -> list[Path[S, A]]:
        """Return the best paths of one depth, best first, one for each state."""
        beam: list[Path[S, A]] = []
        here: Seen[S, A] = Seen("Beam")
        # The larger gain comes first, so that of two paths to one state the better one is kept.
        for path in sorted(paths, key=lambda path: (-path.score, -path.gain)):
            if len(beam) == self.width:
                break
            if not path.is_open or (self.merge and (seen.beats(path) or here.beats(path))):
                continue
            if self.merge:
                here.add(path)
            beam.append(path)
        return beam


def _taken(reopened: list[Path[S, A]]) -> list[Path[S, A]]:
    """Return the paths that a correction opened again, and empty the list."""
    taken = list(reopened)
    reopened.clear()
    return taken

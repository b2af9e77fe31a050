"""Statistics of one action, and the choice between actions by UCB1; knows no tree and no world.

Preference, highest first: an action never tried, in the model's order; then the larger value (scaled by the range of
values seen) plus an exploration term that shrinks with the visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, sqrt
from typing import Any, Generic, TypeVar

from planners.tree.scores import Range

A = TypeVar("A")
E = TypeVar("E", bound="ActionEdge[Any]")


class ActionEdge(Generic[A]):
    """One action of one node, with its visits and its value."""

    __slots__ = ("action", "q", "share", "started", "total", "visits")

    def __init__(self, action: A) -> None:
        self.action = action
        self.visits = 0
        """Finished simulations through this action."""
        self.started = 0
        """Finished simulations and those under way."""
        self.total = 0.0
        self.q = 0.0
        """The value of the action."""
        self.share = 0.0
        """1 / sqrt(started): the action's own part of the exploration term."""

    def start(self) -> None:
        """Count a simulation that begins."""
        self.started += 1
        self.share = 1.0 / sqrt(self.started)

    def undo(self) -> None:
        """Take back a simulation that never ended."""
        self.started -= 1
        self.share = 1.0 / sqrt(self.started) if self.started else 0.0

    def back_up(self, gain: float, seen: Range) -> None:
        """Count the return of a finished simulation in the mean."""
        self.visits += 1
        self.total += gain
        self.q = q = self.total / self.visits
        if not seen.low <= q <= seen.high:
            seen.include(q)


def choose_edge(edges: Sequence[E], started: int, exploration: float, scale: float) -> E:
    """Return the edge that UCB1 visits next; `started` counts the visits of the node."""
    bonus = exploration * sqrt(log(started + 1.0))
    best, best_score = edges[0], -inf
    for edge in edges:
        if not edge.started:
            return edge
        score = edge.q * scale + bonus * edge.share
        if score > best_score:
            best, best_score = edge, score
    return best


def most_visited_edge(edges: Sequence[E]) -> E | None:
    """Return the edge with most visits, of equals the more valuable; None if none was visited."""
    best = max(edges, key=lambda edge: (edge.visits, edge.q), default=None)
    return best if best is not None and best.visits else None

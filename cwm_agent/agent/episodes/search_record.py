"""The growth of a search: every answer that it was told, in order, as rows from which its tree can be drawn again.

Works with every planner, since it notes answers and not the planner's own tree; visits and priors are read at the end
from planners that count them. Knows no domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from planners import Refused, Search, Step, TreeSearch

MOST_NODES = 400
"""Nodes of a tree that are kept; the most visited ones, those that were run for real, and the paths to them."""
MOST_NOTED = 20_000
"""Answers that are noted at all; later ones are counted."""
_LONGEST_ACTION = 400


@dataclass(slots=True)
class SearchNode:
    """One action that a search was told the result of."""

    parent: int
    """Number of the node before; -1 at the root."""
    action: str
    state: Any
    value: float | None
    end: str | None
    visits: int = 0
    prior: float | None = None
    real: bool = False
    """Whether a real result was written over the imagined one."""
    proposed: bool = False
    """Whether the domain tried it beside the planner."""
    note: str = ""
    """What the domain says of the state."""

    def row(self) -> list[Any]:
        """The node as JSON: parent, action, value, visits, prior, end, flags, note."""
        flags = ("r" if self.real else "") + ("p" if self.proposed else "")
        return [
            self.parent,
            self.action,
            _short(self.value),
            self.visits,
            _short(self.prior),
            self.end,
            flags,
            self.note,
        ]


@dataclass(slots=True)
class SearchRecord:
    """Notes the answers of one search after another; only the last search is kept."""

    nodes: list[SearchNode] = field(default_factory=list)
    searches: int = 0
    dropped: int = 0
    """Answers beyond the most that are noted."""
    _numbers: dict[int, int] = field(default_factory=dict)
    """Node of each state, by the identity of the state; nodes hold the states, so no identity is used twice."""

    def begin(self, root: Step[Any]) -> None:
        """A new search from a root."""
        self.nodes, self._numbers, self.dropped = [], {}, 0
        self.searches += 1
        self._add(-1, "", root)

    def tell(self, state: object, action: object, answer: Step[Any] | Refused) -> None:
        """Note one answer: where an action leads from a state."""
        parent = self._numbers.get(id(state))
        if parent is None or isinstance(answer, Refused):
            return
        if len(self.nodes) >= MOST_NOTED:
            self.dropped += 1
            return
        self._add(parent, _text(action), answer)

    def add_proposed(self, found: Iterable[tuple[Sequence[object], Step[Any]]]) -> None:
        """Note states that the domain reached beside the planner, each below the longest known part of its path."""
        paths = self._paths()
        for path, step in found:
            if len(self.nodes) >= MOST_NOTED:
                self.dropped += 1
                continue
            texts = tuple(map(_text, path))
            known = next((length for length in range(len(texts) - 1, -1, -1) if texts[:length] in paths), None)
            if known is None or not texts:
                continue
            paths.setdefault(texts, len(self.nodes))
            self._add(paths[texts[:known]], " ; ".join(texts[known:]), step)
            self.nodes[-1].proposed = True

    def read(self, search: Search[Any, Any] | None) -> None:
        """Take visits, values and priors from the search, where it counts visits."""
        if not isinstance(search, TreeSearch):
            return
        for _, node in search.tree.walk():
            number = self._numbers.get(id(node.state))
            if number is not None:
                known = self.nodes[number]
                known.visits, known.prior, known.real = node.visits, node.prior, node.real
                known.value = None if node.waiting else node.value

    def rows(self, wanted: Callable[[SearchNode], bool] = lambda node: False) -> dict[str, Any]:
        """The tree as JSON, in the order in which it grew; `wanted` nodes are kept before others."""
        kept = self._kept(wanted)
        numbers = {old: new for new, old in enumerate(kept)}
        rows = [self.nodes[old].row() for old in kept]
        for row in rows:
            row[0] = numbers.get(row[0], -1)
        left_out = len(self.nodes) - len(kept) + self.dropped
        return {"nodes": rows, "left_out": left_out, "searches": self.searches}

    def _kept(self, wanted: Callable[[SearchNode], bool]) -> list[int]:
        """Numbers of the nodes to keep, with all nodes on the way to them."""
        if len(self.nodes) <= MOST_NODES:
            return list(range(len(self.nodes)))
        ranked = sorted(
            range(len(self.nodes)),
            key=lambda at: (not (self.nodes[at].real or wanted(self.nodes[at])), -self.nodes[at].visits, at),
        )
        kept: set[int] = set()
        for at in ranked:
            path = self._path(at)
            if len(kept | path) > MOST_NODES:
                break
            kept |= path
        return sorted(kept)

    def _path(self, at: int) -> set[int]:
        found = set()
        while at >= 0:
            found.add(at)
            at = self.nodes[at].parent
        return found

    def _paths(self) -> dict[tuple[str, ...], int]:
        """Numbers of the nodes by the actions that lead to them."""
        found: dict[tuple[str, ...], int] = {(): 0} if self.nodes else {}
        by_number: list[tuple[str, ...]] = [()]
        for number, node in enumerate(self.nodes[1:], start=1):
            path = (*by_number[node.parent], node.action)
            by_number.append(path)
            found.setdefault(path, number)
        return found

    def _add(self, parent: int, action: str, step: Step[Any]) -> None:
        self._numbers.setdefault(id(step.state), len(self.nodes))
        self.nodes.append(SearchNode(parent, action, step.state, step.value, end=step.end))


def _text(action: object) -> str:
    return str(action)[:_LONGEST_ACTION]


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 5)

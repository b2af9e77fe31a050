"""Backup rules: how a finished simulation updates the values on its path, one function for each rule; knows no search.

Each rule takes a path from the root to a leaf whose own value is set, counts the visit at every node, and updates
the range of values seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from planners.tree.scores import Range
from planners.tree.tree import Node, best_q, best_shared_q

S = TypeVar("S")
A = TypeVar("A")

Backup: TypeAlias = Callable[[Sequence[Node[Any, Any]], float, Range], None]
"""Takes the path, the discount, and the range of values seen."""


def backup_rule(name: Literal["max", "mean"], *, shared: bool) -> Backup:
    """Return the rule of that name; `shared` if equal states share their children."""
    if name == "mean":
        return backup_mean
    return backup_best_shared if shared else backup_best


def backup_mean(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """Mean backup: the value of a state is the mean return of all simulations through it."""
    gain = path[-1].value
    for node in reversed(path):
        node.visits += 1
        node.total += gain
        node.value = node.total / node.visits
        gain = node.reward + discount * gain
        set_q(node, discount, seen)


def backup_best(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """Max backup: the value of a state is that of its best child; above the last change only visits are counted."""
    path[-1].visits += 1
    changed = set_q(path[-1], discount, seen)
    for node in path[-2::-1]:
        node.visits += 1
        if changed:
            node.value = best_q(node)
            changed = set_q(node, discount, seen)


def backup_best_shared(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """Max backup over shared states: every node on the path computes its best child again."""
    for node in reversed(path):
        node.visits += 1
        if node.fan is not None:  # else it is the leaf, and new
            node.fan.value = node.value = best_shared_q(node, discount)
        set_q(node, discount, seen)


def set_q(node: Node[S, A], discount: float, seen: Range) -> bool:
    """Set the value of the node's action from the value of its state, and return whether it changed."""
    q = node.reward + discount * node.value
    if q == node.q:
        return False
    node.q = q
    if not seen.low <= q <= seen.high:
        seen.include(q)
    return True

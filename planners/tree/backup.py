"""How a finished simulation changes what the states on its path are worth: one function a rule; knows no search.

Each rule takes a path from the root to a leaf whose own value is set, counts the visit at every node, and keeps
the range of values that were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from planners.tree.scores import Range
from planners.tree.tree import Node, best_q, best_shared_q

S = TypeVar("S")
A = TypeVar("A")

Backup: TypeAlias = Callable[[Sequence[Node[Any, Any]], float, Range], None]
"""From the path, the discount, and the range of values seen."""


def backup_rule(name: Literal["max", "mean"], *, shared: bool) -> Backup:
    """Return the rule of that name; `shared` where equal states share their children."""
    if name == "mean":
        return backup_mean
    return backup_best_shared if shared else backup_best


def backup_mean(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """A state is worth the mean return of all simulations through it."""
    gain = path[-1].value
    for node in reversed(path):
        node.visits += 1
        node.total += gain
        node.value = node.total / node.visits
        gain = node.reward + discount * gain
        set_q(node, discount, seen)


def backup_best(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """A state is worth its best child; once nothing changes any more, only visits are left to count."""
    path[-1].visits += 1
    changed = set_q(path[-1], discount, seen)
    for node in path[-2::-1]:
        node.visits += 1
        if changed:
            node.value = best_q(node)
            changed = set_q(node, discount, seen)


def backup_best_shared(path: Sequence[Node[S, A]], discount: float, seen: Range) -> None:
    """A state is worth its best child, whichever path made it so: every node on the way looks again."""
    for node in reversed(path):
        node.visits += 1
        if node.fan is not None:  # else it is the leaf, and new
            node.fan.value = node.value = best_shared_q(node, discount)
        set_q(node, discount, seen)


def set_q(node: Node[S, A], discount: float, seen: Range) -> bool:
    """Set what the node's action is worth from what its state is, and return whether that changed."""
    q = node.reward + discount * node.value
    if q == node.q:
        return False
    node.q = q
    if not seen.low <= q <= seen.high:
        seen.include(q)
    return True

"""Corrects an imagined tree by a real step: writes the step, removes what depends on a wrong state, moves the root.

Visits and values that were backed up through a wrong state are subtracted from all nodes above it, so that the tree
is as if they had never been added. If states share their children (transpositions), only the path that was really
taken is corrected; other paths into the same state are updated at their next visit. If steps cost nothing, a wrong
value may survive there in cycles: plan anew, or use a discount.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from planners.errors import BadOption
from planners.model import Refused, Step
from planners.tree.scores import Range
from planners.tree.tree import Node, best_q, expanded, write_step

if TYPE_CHECKING:
    from planners.tree.tree_search import TreeSearch

S = TypeVar("S")
A = TypeVar("A")


def correct(search: TreeSearch[S, A], actions: Sequence[A], real: Step[S] | Refused) -> None:
    """Write the real result of `actions` (from the root) over the imagined one, in place.

    The subtree is kept when the real state is the imagined one, and dropped when it is not. An action refused
    in reality is closed. The last action may be one that search never opened. Leaves in flight are released.
    """
    if not actions:
        raise BadOption("correct() got no actions; the root's own state is real already.")
    search.release()
    path = _path(search, actions)
    if isinstance(real, Refused):
        _replace(search, path, 0, 0.0, reward=0.0)
        expanded(path[-2]).children.remove(path[-1])
    else:
        _write(search, path, real)
    for node in reversed(path[:-1]):
        _revalue(search, node)
    search.tree.range = Range()
    for depth, node in search.tree.walk():
        if depth and not node.waiting:
            search.tree.range.include(node.q)


def advance(search: TreeSearch[S, A], action: A, real: Step[S] | None = None) -> None:
    """Make the child under `action` the root, keep its subtree, and allow a full number of simulations again.

    `real`, when given, is written in first; without it the action must have been imagined. Leaves in flight
    are released. Costs so far still count against the same limits.
    """
    if real is not None:
        correct(search, [action], real)
    search.release()
    child = _child(search.tree.root, action)
    if child is None or child.waiting:
        raise BadOption(
            f"Action {action!r} was never imagined from the root; pass real=Step(...) with its real result."
        )
    child.index, child.prior, child.reward = -1, 1.0, 0.0  # the step to the root is past
    search.tree.root = child
    search.noise = None
    search.remaining = search.config.simulations
    if search.config.transpositions:
        search.shared = {n.state: n.fan for _, n in search.tree.walk() if n.fan is not None}


def _path(search: TreeSearch[S, A], actions: Sequence[A]) -> list[Node[S, A]]:
    """Return the nodes on the path of `actions`; open the last one if it is new."""
    path = [search.tree.root]
    for place, action in enumerate(actions):
        child = _child(path[-1], action)
        if child is None and place == len(actions) - 1:
            child = _open(search, path[-1], action)
        if child is None:
            raise BadOption(
                f"Action {place} of {list(actions)!r:.200} was never imagined; correct what led there first."
            )
        path.append(child)
    return path


def _child(node: Node[S, A], action: A) -> Node[S, A] | None:
    children = node.fan.children if node.fan is not None else []
    return next((child for child in children if child.action == action), None)


def _open(search: TreeSearch[S, A], node: Node[S, A], action: A) -> Node[S, A] | None:
    """Open an action before its turn; return None if the state does not offer it."""
    fan = search.fan_of(node)
    left = list(fan.order[fan.opened :])
    index = next((index for index in left if fan.actions[index] == action), None)
    if index is None:
        return None
    left.remove(index)
    fan.reorder([index, *left])
    return fan.open()


def _write(search: TreeSearch[S, A], path: list[Node[S, A]], real: Step[S]) -> None:
    """Overwrite the last node of the path, and change the sums above it by the difference."""
    node, above = path[-1], path[-2]
    same = not node.waiting and node.end == real.end and bool(node.state == real.state)
    before = node.estimate
    reward, visits, total = node.reward, node.visits, node.total
    write_step(node, real, otherwise=above.estimate)
    node.waiting, node.real = False, True
    childless = node.fan is None or not any(child.visits for child in node.fan.children)
    if not same:
        node.fan = None
        after = 1, node.estimate
    elif childless:
        after = visits, visits * node.estimate
    else:
        after = visits, total + node.estimate - before
    new_reward, node.reward = node.reward, reward
    _replace(search, path, after[0], after[1], reward=new_reward)
    _revalue(search, node)


def _replace(search: TreeSearch[S, A], path: list[Node[S, A]], visits: int, total: float, reward: float) -> None:
    """Give the last node new visits, sum and reward, and every node above it the difference."""
    node, discount = path[-1], search.config.discount
    more = visits - node.visits
    change = (visits * reward + discount * total) - (node.visits * node.reward + discount * node.total)
    node.visits, node.total, node.reward = visits, total, reward
    _count(node, more)
    for above in reversed(path[:-1]):
        above.visits += more
        above.total += change
        _count(above, more)
        change = more * above.reward + discount * change


def _count(node: Node[S, A], more: int) -> None:
    node.started += more
    node.share = node.prior / (1 + node.started)


def _revalue(search: TreeSearch[S, A], node: Node[S, A]) -> None:
    """Set a node's value by the backup rule from its children and sums."""
    if search.config.backup == "max":
        node.value = best_q(node)
    else:
        node.value = node.total / node.visits if node.visits else node.estimate
    if node.fan is not None:
        node.fan.value = node.value
    node.q = node.reward + search.config.discount * node.value

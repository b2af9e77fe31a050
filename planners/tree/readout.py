"""Reads plans out of a search tree: the most visited path, and the best path to a goal."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from planners.plan import Plan
from planners.tree.tree import Node

if TYPE_CHECKING:
    from planners.tree.tree_search import TreeSearch

S = TypeVar("S")
A = TypeVar("A")

_Link: TypeAlias = tuple[Node[S, A], Any, float]
"""A node, the link of its parent (None at the root), and the rewards up to it."""


def read_plan(search: TreeSearch[S, A], stopped: str = "") -> Plan[S, A]:
    """Return the search's plan, with the most visited path and the best path to a goal in it if they differ.

    The plan is the most visited path. With max backup, the plan is the best path to a goal if that has a higher return.
    """
    visited = plan_of(search, most_visited(search), stopped)
    ending = best_goal(search)
    reached = visited if ending is None else plan_of(search, ending, stopped)
    if reached.actions == visited.actions:
        return visited
    assert reached.value is not None
    if search.config.backup == "max" and (visited.value is None or reached.value > visited.value):
        return replace(reached, most_visited=visited)
    return replace(visited, best_goal=reached)


def most_visited(search: TreeSearch[S, A]) -> list[Node[S, A]]:
    """Return the path of most visited children; of equals the more valuable, then the first."""
    node = search.tree.root
    path, on_path = [node], {id(node.fan)}
    while node.fan is not None and node.end is None and len(path) <= search.limits.depth:
        ready = [c for c in node.fan.children if c.visits and (c.fan is None or id(c.fan) not in on_path)]
        if not ready:
            break
        gumbel = search.noise is not None and node is search.tree.root
        node = max(ready, key=lambda c: (c.visits, search.gumbel_score(c) if gumbel else c.q))
        path.append(node)
        on_path.add(id(node.fan))
    return path


def best_goal(search: TreeSearch[S, A]) -> list[Node[S, A]] | None:
    """Return the path to a goal with the highest return; of equals the shortest, then the first.

    Where states share their children, each state is entered by its shortest path only.
    """
    discount, depth_limit = search.config.discount, search.limits.depth
    best, best_gain = None, -math.inf
    level: list[_Link[S, A]] = [(search.tree.root, None, 0.0)]
    seen: set[int] = set()
    weight, depth = 1.0, 0
    while level:
        following: list[_Link[S, A]] = []
        for link in level:
            node, _, gain = link
            if node.end is not None:
                if node.end == "goal" and gain + weight * node.estimate > best_gain:
                    best, best_gain = link, gain + weight * node.estimate
            elif node.fan is not None and depth < depth_limit and id(node.fan) not in seen:
                seen.add(id(node.fan))
                following += [(c, link, gain + weight * c.reward) for c in node.fan.children if not c.waiting]
        level, weight, depth = following, weight * discount, depth + 1
    return None if best is None else _unlink(best)


def _unlink(link: _Link[S, A]) -> list[Node[S, A]]:
    path = [link[0]]
    while link[1] is not None:
        link = link[1]
        path.append(link[0])
    return path[::-1]


def plan_of(search: TreeSearch[S, A], path: list[Node[S, A]], stopped: str = "") -> Plan[S, A]:
    """Return a path of the tree as a plan, valued by its rewards and its last state's own estimate."""
    gain, weight = 0.0, 1.0
    for node in path[1:]:
        gain += weight * node.reward
        weight *= search.config.discount
    end = path[-1]
    return Plan(
        actions=tuple(node.action for node in path[1:]),
        states=tuple(node.state for node in path),
        value=gain + weight * end.estimate if len(path) > 1 or end.known else None,
        end=end.end,
        spent=search.spent,
        visits=tuple(node.visits for node in path[1:]),
        stopped=stopped,
    )

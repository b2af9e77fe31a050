"""A minimal PUCT search for one world, to measure the cost of the library's generality; not part of the library.

The same rules as `planners.MCTS()` (max backup, unvisited value = the parent's, values scaled by their
range), on the same `Permutation` model, one leaf at a time, without anything else: no rewards, priors, batches,
limits or errors.
"""

from __future__ import annotations

import math
from random import Random

from benchmarks.search_worlds.search_worlds import Permutation, State


class _Node:
    __slots__ = ("children", "estimate", "share", "state", "terminal", "value", "visits")

    def __init__(self, state: State, estimate: float, terminal: bool) -> None:
        self.state, self.estimate, self.value, self.terminal = state, estimate, estimate, terminal
        self.visits, self.share = 0, 0.0
        self.children: list[_Node] = []


def search(world: Permutation, start: State, *, simulations: int, exploration: float, depth: int) -> tuple[bool, int]:
    """Return whether the most visited path holds the goal, and the model calls spent."""
    rng, swaps, calls = Random(0), world.swaps, 0
    prior, count = 1.0 / len(swaps), len(swaps)
    first = world.at(start)
    assert first.value is not None
    root = _Node(start, first.value, first.end is not None)
    root.visits, low, high, scale = 1, math.inf, -math.inf, 1.0
    for _ in range(simulations):
        node, path = root, [root]
        while not node.terminal and len(path) <= depth:
            bonus, children = exploration * math.sqrt(node.visits), node.children
            best, best_score = None, -math.inf
            for child in children:
                score = child.value * scale + bonus * child.share
                if score > best_score:
                    best, best_score = child, score
            if len(children) < count and node.value * scale + bonus * prior >= best_score:
                step = world.step([(node.state, swaps[len(children)])], rng)[0]
                calls += 1
                assert step.value is not None
                best = _Node(step.state, step.value, step.end is not None)
                children.append(best)
                path.append(best)
                break
            assert best is not None
            node = best
            path.append(node)
        changed = True
        for node in reversed(path):
            node.visits += 1
            node.share = prior / (1 + node.visits)
            if changed and node.children:
                before, node.value = node.value, max([child.value for child in node.children])
                changed = node.value != before
            if changed and not low <= node.value <= high:
                low, high = min(low, node.value), max(high, node.value)
                scale = 1.0 / (high - low) if high > low else 1.0
    node = root
    while node.children and not node.terminal:
        node = max(node.children, key=lambda child: (child.visits, child.value))
    return node.terminal, calls

"""How long temporaries live: the names whose value may still be read when a line is about to run.

A backward dataflow over the lines of each function, with one bit a name; knows nothing of the rules that introduced the
names. Rewritten programs have one statement a line, so a name belongs to the line it is on. The flow is a graph of all
ways that control can go, exceptions included.
"""

import ast
import heapq
from collections.abc import Iterable, Mapping

from envs.execution.syntax.bindings import accesses
from envs.execution.syntax.control_flow_graph import flow_of
from envs.execution.syntax.line_events import may_jump_inside
from envs.execution.syntax.line_graph import LineGraph
from envs.execution.syntax.program_structure import Function, nodes_of_program, steps_below


def live_temporaries(tree: ast.Module, temporaries: frozenset[str]) -> Mapping[int, frozenset[str]]:
    """For every line that can be about to run inside a function: the temporaries that are live before it."""
    ordered = sorted(temporaries)
    nodes = nodes_of_program(tree)
    reads, writes = _line_names(nodes, {name: 1 << place for place, name in enumerate(ordered)})
    jumping = any(map(may_jump_inside, nodes))
    live: dict[int, frozenset[str]] = {}
    for function in (node for node in steps_below(tree) if isinstance(node, Function)):
        for line, mask in _live(flow_of(function, jumping=jumping), reads, writes).items():
            live[line] = frozenset([ordered[place] for place in _places(mask)])
    return live


def _places(mask: int) -> list[int]:
    """Where the ones of a number stand."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


def _live(flow: LineGraph, reads: Mapping[int, int], writes: Mapping[int, int]) -> dict[int, int]:
    before = dict.fromkeys(flow.after, 0)
    lines = [line for line in flow.after if isinstance(line, int)]
    earlier: dict[object, list[int]] = {}
    for line in lines:
        for following in flow.after[line]:
            earlier.setdefault(following, []).append(line)
    queue = [-line for line in lines]  # from the end backwards most lines settle at once
    heapq.heapify(queue)
    waiting = set(queue)
    while queue:
        line = -heapq.heappop(queue)
        waiting.discard(-line)
        written = ~writes.get(line, 0)
        now = reads.get(line, 0)
        for following, conditions in flow.after[line].items():  # a line that raises has written nothing yet
            now |= before[following] if "exception" in conditions else before[following] & written
        if now == before[line]:
            continue
        before[line] = now
        for each in earlier.get(line, ()):
            if -each not in waiting:
                waiting.add(-each)
                heapq.heappush(queue, -each)
    return {line: before[line] for line in lines}


def _line_names(nodes: Iterable[ast.AST], bits: Mapping[str, int]) -> tuple[dict[int, int], dict[int, int]]:
    """The temporaries that each line reads, and those it writes."""
    reads: dict[int, int] = {}
    writes: dict[int, int] = {}
    for name, line, bound in accesses(nodes):
        if name in bits:
            side = writes if bound else reads
            side[line] = side.get(line, 0) | bits[name]
    return reads, writes

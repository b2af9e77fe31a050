"""How long temporaries live: the names whose value may still be read when a line is about to run.

A backward dataflow over the control-flow graph of each function, exceptions included; knows nothing of the rules that
introduced the names.
"""

import ast
import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from envs.execution.cfg import first_line, flows_of
from envs.execution.structure import Function, Step, functions_of, inner_steps, own_parts

if TYPE_CHECKING:
    import networkx as nx

    from envs.execution.cfg import Node


def live_temporaries(tree: ast.Module, temporaries: frozenset[str]) -> Mapping[int, frozenset[str]]:
    """For every line that can be about to run inside a function: the temporaries that are live before it."""
    graphs = flows_of(tree)
    live: dict[int, frozenset[str]] = {}
    for _, node in functions_of(tree):
        reads, writes = _line_names(node, temporaries)
        live.update(_live(graphs[first_line(node)], reads, writes))
    return live


def _live(
    graph: "nx.DiGraph[Node]", reads: Mapping[int, set[str]], writes: Mapping[int, set[str]]
) -> dict[int, frozenset[str]]:
    before: dict[Node, frozenset[str]] = dict.fromkeys(graph, frozenset())
    queue = [-line for line in graph if isinstance(line, int)]  # from the end backwards most lines settle at once
    heapq.heapify(queue)
    waiting = set(queue)
    while queue:
        line = -heapq.heappop(queue)
        waiting.discard(-line)
        now = _before(graph, line, before, frozenset(writes.get(line, ()))) | frozenset(reads.get(line, ()))
        if now == before[line]:
            continue
        before[line] = now
        for earlier in graph.predecessors(line):
            if isinstance(earlier, int) and -earlier not in waiting:
                waiting.add(-earlier)
                heapq.heappush(queue, -earlier)
    return {line: names for line, names in before.items() if isinstance(line, int)}


def _before(
    graph: "nx.DiGraph[Node]", line: int, before: Mapping["Node", frozenset[str]], writes: frozenset[str]
) -> frozenset[str]:
    """What the lines after this one read; a line that raises has written nothing yet."""
    names: frozenset[str] = frozenset()
    for following in graph.successors(line):
        failed = "exception" in graph.edges[line, following]["conditions"]
        names |= before[following] if failed else before[following] - writes
    return names


def _line_names(node: Function, temporaries: frozenset[str]) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
    reads: dict[int, set[str]] = {}
    writes: dict[int, set[str]] = {}
    for step in _own_steps(node.body):
        line = step.pattern.lineno if isinstance(step, ast.match_case) else step.lineno
        for name, stored in _names(step):
            if name in temporaries:
                (writes if stored else reads).setdefault(line, set()).add(name)
    return reads, writes


def _own_steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if isinstance(step, Function | ast.ClassDef):
            continue
        yield from _own_steps(inner_steps(step))


def _names(step: Step) -> Iterator[tuple[str, bool]]:
    """Names on the statement's own line, each with whether it is written."""
    if isinstance(step, ast.FunctionDef | ast.ExceptHandler) and step.name:
        yield step.name, True
    for part in own_parts(step):
        for node in ast.walk(part):
            if isinstance(node, ast.Name):
                yield node.id, isinstance(node.ctx, ast.Store)
    if isinstance(step, ast.AugAssign) and isinstance(step.target, ast.Name):
        yield step.target.id, False

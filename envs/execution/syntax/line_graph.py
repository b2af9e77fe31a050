"""Lines and the lines that may follow them, as plain dictionaries; a `networkx` graph is made where one is asked for.

Rewriting asks for the flow of every function it writes, thousands of times in a search over edits. Knows no syntax.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

Node = int | str
CALL, RETURN, RAISE = "call", "return", "raise"


@dataclass(slots=True)
class LineGraph:
    """Edges of one function, each with all conditions on which it is taken, the first of them first."""

    after: dict[Node, dict[Node, list[str]]] = field(
        default_factory=lambda: {CALL: {}, RETURN: {}, RAISE: {}},
    )

    def connect(self, source: Node, target: Node, condition: str) -> None:
        following = self.after.setdefault(source, {})
        conditions = following.get(target)
        if conditions is None:
            following[target] = [condition]
            self.after.setdefault(target, {})
        elif condition not in conditions:
            conditions.append(condition)

    def bypass(self, line: Node) -> None:
        """Lines that lead to this line lead to its successors as well."""
        arriving = [(a, following[line]) for a, following in self.after.items() if line in following and a != line]
        leaving = [b for b in self.after.get(line, ()) if b != line]
        for source, conditions in arriving:
            for target in leaving:
                for condition in list(conditions):
                    self.connect(source, target, condition)

    def contract(self, lines: Iterable[Node]) -> None:
        """Takes lines out; their predecessors now lead to their successors."""
        for line in lines:
            if line in self.after:
                self.bypass(line)
                del self.after[line]
                for following in self.after.values():
                    following.pop(line, None)

    def graph(self) -> "nx.DiGraph[Node]":
        """The same as a graph; an edge's `condition` is the one a reader asks about, `conditions` are all of them."""
        import networkx as nx

        graph: nx.DiGraph[Node] = nx.DiGraph()
        graph.add_nodes_from(self.after)
        for source, following in self.after.items():
            for target, conditions in following.items():
                graph.add_edge(source, target, condition=_main(conditions), conditions=frozenset(conditions))
        return graph


def _main(conditions: list[str]) -> str:
    """The first, but rather any other than the exception, which is rarely what a reader asks about."""
    return next((each for each in conditions if each != "exception"), conditions[0])

"""Where the nodes of a syntax tree stand in their text; knows no bugs."""

import ast
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Bug:
    """A span of a program's text and what stands there instead."""

    kind: str
    start: int
    end: int
    text: str


class Lines:
    """A program of ASCII characters, by line and column."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        """What a node is written as."""
        start, end = self.span(node)
        return self.source[start:end]

    def whole(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int]:
        """The whole lines from one statement to another."""
        return self.starts[_first_line(first) - 1], self.starts[(last or first).end_lineno or 0]

    def line_of(self, place: int) -> int:
        """The line of a place, from 1."""
        return sum(start <= place for start in self.starts[:-1])


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])

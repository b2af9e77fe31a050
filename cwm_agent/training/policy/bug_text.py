"""Positions of syntax tree nodes in the source text, and the bug as a replaced span; draws nothing."""

import ast
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Bug:
    """A span of the program text and its replacement."""

    kind: str
    start: int
    end: int
    text: str


class Lines:
    """Source text of ASCII characters, with the start of each line."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Start and end of a node in the text."""
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def text(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def whole(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int]:
        """Start and end of the whole lines from one statement to another."""
        return self.starts[_first_line(first) - 1], self.starts[(last or first).end_lineno or 0]

    def line_of(self, offset: int) -> int:
        """The number of the line at an offset, from 1."""
        return sum(start <= offset for start in self.starts[:-1])


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])

"""Edits of comparisons: the boundary that belongs inside, the wrong direction, the wrong test of membership."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.operator_text import COMPARISONS, between
from envs.editing.source_text import EditDraft, SourceText

_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_ORDERED = ("<", "<=", ">", ">=", "==", "!=")
_OTHERS = {
    "in": ("not in", "=="),
    "not in": ("in", "!="),
    "is": ("is not",),
    "is not": ("is",),
    "==": ("in",),
    "!=": ("not in",),
}


def comparisons(page: SourceText) -> Iterator[EditDraft]:
    """Each comparison sign replaced by each other that can stand there."""
    for node in page.loads(ast.Compare):
        assert isinstance(node, ast.Compare)
        operands = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            sign = COMPARISONS[type(op)]
            for operator, after in _alternatives(page, sign, operands[place + 1]):
                draft = between(page, operator, operands[place], operands[place + 1], sign, after)
                if draft:
                    yield draft


def _alternatives(page: SourceText, sign: str, right: ast.expr) -> Iterator[tuple[str, str]]:
    if sign in _BOUNDARY:
        yield "comparison-boundary", _BOUNDARY[sign]
    if sign in _ORDERED:
        for other in _ORDERED:
            if other not in (sign, _BOUNDARY.get(sign)):
                yield "comparison", other
    for other in _OTHERS.get(sign, ()):
        if other not in ("in", "not in") or not page.kinds.of(right) & {"number", "bool", "none"}:
            yield "membership", other

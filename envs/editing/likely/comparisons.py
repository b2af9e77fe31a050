"""Edits of comparisons: include or exclude the boundary, change the direction, change a membership test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.operator_text import COMPARISONS, sign_replacement
from envs.editing.source_text import Replacement, SourceText

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


def comparisons(code: SourceText) -> Iterator[Replacement]:
    """Replaces each comparison sign by each other sign that is legal there."""
    for node in code.loads(ast.Compare):
        assert isinstance(node, ast.Compare)
        operands = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            sign = COMPARISONS[type(op)]
            for operator, after in _alternatives(code, sign, operands[place + 1]):
                left, right = operands[place : place + 2]
                replacement = sign_replacement(code, operator, left, right, sign=sign, after=after)
                if replacement:
                    yield replacement


def _alternatives(code: SourceText, sign: str, right: ast.expr) -> Iterator[tuple[str, str]]:
    if sign in _BOUNDARY:
        yield "comparison-boundary", _BOUNDARY[sign]
    if sign in _ORDERED:
        for other in _ORDERED:
            if other not in (sign, _BOUNDARY.get(sign)):
                yield "comparison", other
    for other in _OTHERS.get(sign, ()):
        if other not in ("in", "not in") or not code.types.of(right) & {"number", "bool", "none"}:
            yield "membership", other

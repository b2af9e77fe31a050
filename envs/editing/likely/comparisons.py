"""Edits of comparisons: include or exclude the boundary, change the direction, change a membership test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.operator_text import COMPARISONS, sign_replacement
from envs.editing.source_text import Replacement, SourceText

_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_MAX_TEXTS, _MAX_LENGTH, _MAX_LETTERS = 6, 12, 4
"""Texts of the program that a comparison is widened by, their length, and letters that it is narrowed to."""
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


def one_of_several(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x == "a"` by `x in ("a", "b")` with texts of the program, and `x in "ab"` by `x == "a"`."""
    texts = [node for node in code.loads(ast.Constant) if isinstance(node, ast.Constant) and _is_word(node.value)]
    known = list(dict.fromkeys(map(code.text, texts)))[:_MAX_TEXTS]
    for node in code.loads(ast.Compare):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant() as one]):
                if _is_word(one.value):
                    sign = "in" if isinstance(op, ast.Eq) else "not in"
                    for other in known:
                        if other != code.text(one):
                            text = f"{code.text(left)} {sign} ({code.text(one)}, {other})"
                            yield code.replace("one-of", node, text, precedence.COMPARE)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[holder]):
                sign = "==" if isinstance(op, ast.In) else "!="
                for part in _parts(code, holder):
                    yield code.replace("one-of", node, f"{code.text(left)} {sign} {part}", precedence.COMPARE)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_LENGTH


def _parts(code: SourceText, holder: ast.expr) -> list[str]:
    """The constants of a display, or the letters of a short text."""
    match holder:
        case ast.Constant(value=str(text)) if len(text) <= _MAX_LETTERS:
            return [repr(letter) for letter in text]
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return [code.text(each) for each in items[:_MAX_LETTERS] if isinstance(each, ast.Constant)]
    return []


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

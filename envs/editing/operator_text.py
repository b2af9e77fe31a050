"""Tables of operator signs, and the replacement of a sign between its two operands."""

from __future__ import annotations

import ast
import re

from envs.editing.source_text import Replacement, SourceText

COMPARISONS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
"""The sign that says the opposite of each comparison sign."""
BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip


def sign_replacement(
    code: SourceText, operator: str, left: ast.expr, right: ast.expr, *, sign: str, after: str
) -> Replacement | None:
    """The replacement of the sign between two operands; None if the gap holds a comment."""
    start, end = code.span(left)[1], code.span(right)[0]
    gap = code.source[start:end]
    found = re.search(r"\s+".join(map(re.escape, sign.split())), gap)
    if found is None or "#" in gap:
        return None
    return Replacement(operator, start + found.start(), start + found.end(), after)

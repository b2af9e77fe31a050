"""Operators as text: their signs, and where one stands between its operands."""

from __future__ import annotations

import ast
import re

from envs.editing.source_text import EditDraft, SourceText

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.MatMult: "@",
}


def between(
    page: SourceText, operator: str, left: ast.expr, right: ast.expr, sign: str, after: str
) -> EditDraft | None:
    """The draft that replaces the sign between two operands; None where a comment hides it."""
    start, end = page.span(left)[1], page.span(right)[0]
    gap = page.source[start:end]
    found = re.search(r"\s+".join(map(re.escape, sign.split())), gap)
    if found is None or "#" in gap:
        return None
    return EditDraft(operator, start + found.start(), start + found.end(), after)

"""Edits of conditions that confuse an empty value or zero with None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import Replacement, SourceText


def none_tests(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x` by `x is not None` and `not x` by `x is None` in conditions, and the reverse."""
    for node in code.loads():
        match node:
            case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                text = f"not {code.operand(left, precedence.NOT)}"
                yield code.replace("none-test", node, text, precedence.NOT)
            case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                if is_condition(code, node):
                    yield code.replace("none-test", node, code.text(left), precedence.of(left))
            case ast.UnaryOp(
                op=ast.Not(), operand=ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() as value
            ):
                text = f"{code.operand(value, precedence.BIT_OR)} is None"
                yield code.replace("none-test", node, text, precedence.COMPARE)
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                if is_condition(code, node) and code.types.of(node) != {"bool"}:
                    text = f"{code.operand(node, precedence.BIT_OR)} is not None"
                    yield code.replace("none-test", node, text, precedence.COMPARE)

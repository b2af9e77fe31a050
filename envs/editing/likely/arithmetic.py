"""Edits of arithmetic: another operator, swapped operands, a sign more or less."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.operator_text import BINARY, between
from envs.editing.source_text import EditDraft, SourceText

_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_BITS = ("&", "|", "^")
_SHIFTS = ("<<", ">>")
_ORDER_MATTERS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


def operators(page: SourceText) -> Iterator[EditDraft]:
    """Each arithmetic sign, augmented assignments included, replaced by each other one of its group."""
    for node in page.nodes:
        if isinstance(node, ast.BinOp):
            sign = BINARY[type(node.op)]
            for other in _others(page, sign, node.left, node.right):
                draft = between(page, "arithmetic", node.left, node.right, sign, other)
                if draft:
                    yield draft
        elif isinstance(node, ast.AugAssign):
            sign = BINARY[type(node.op)]
            for other in _others(page, sign, node.target, node.value):
                draft = between(page, "arithmetic", node.target, node.value, f"{sign}=", f"{other}=")
                if draft:
                    yield draft


def _others(page: SourceText, sign: str, left: ast.expr, right: ast.expr) -> list[str]:
    group = next((group for group in (_ARITHMETIC, _BITS, _SHIFTS) if sign in group), ())
    if sign == "+" and not (page.kinds.may(left, NUMBERS) and page.kinds.may(right, NUMBERS)):
        return []  # joining texts or lists: no other operator does that
    return [other for other in group if other != sign]


def swapped_operands(page: SourceText) -> Iterator[EditDraft]:
    """`a - b` as `b - a`, wherever that makes a difference."""
    for node in page.loads(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        joins = isinstance(node.op, ast.Add) and not page.kinds.of(node) & NUMBERS
        if isinstance(node.op, _ORDER_MATTERS) or joins:
            binds = precedence.of(node)
            left, right = page.operand(node.right, binds), page.operand(node.left, binds + 1)
            text = f"{left} {BINARY[type(node.op)]} {right}"
            yield page.replace("operand-swap", node, text, binds)


def signs(page: SourceText) -> Iterator[EditDraft]:
    """A minus put before a number or taken away; `~` and `+` taken away."""
    for node in page.loads():
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                yield page.replace("sign", node, page.text(operand), precedence.of(operand))
            case ast.Name() | ast.Subscript() | ast.Call() | ast.BinOp() if _may_be_signed(page, node):
                text = f"-{page.operand(node, precedence.SIGN)}"
                yield page.replace("sign", node, text, precedence.SIGN)


def _may_be_signed(page: SourceText, node: ast.expr) -> bool:
    """A sign is tried where a value is handed on: inside sums an operator edit does the same."""
    parent = page.parents[node]
    place = isinstance(parent, ast.Return | ast.Tuple | ast.Assign | ast.Lambda) or (
        isinstance(parent, ast.Call) and node in parent.args
    )
    return place and page.kinds.may(node, NUMBERS)

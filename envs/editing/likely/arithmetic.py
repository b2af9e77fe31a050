"""Edits of arithmetic: replace an operator, swap operands, add or remove a sign, set parentheses elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.operator_text import BINARY, sign_replacement
from envs.editing.source_text import Replacement, SourceText

_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_BITS = ("&", "|", "^")
_SHIFTS = ("<<", ">>")
_MAX_OPERANDS = 6
_ORDER_MATTERS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


def operators(code: SourceText) -> Iterator[Replacement]:
    """Replaces each arithmetic sign by each other sign of its group; covers augmented assignments too."""
    for node in code.nodes:
        if isinstance(node, ast.BinOp):
            sign = BINARY[type(node.op)]
            for other in _others(code, sign, node.left, node.right):
                replacement = sign_replacement(code, "arithmetic", node.left, node.right, sign=sign, after=other)
                if replacement:
                    yield replacement
        elif isinstance(node, ast.AugAssign):
            sign = BINARY[type(node.op)]
            for other in _others(code, sign, node.target, node.value):
                replacement = sign_replacement(
                    code, "arithmetic", node.target, node.value, sign=f"{sign}=", after=f"{other}="
                )
                if replacement:
                    yield replacement


def _others(code: SourceText, sign: str, left: ast.expr, right: ast.expr) -> list[str]:
    group = next((group for group in (_ARITHMETIC, _BITS, _SHIFTS) if sign in group), ())
    if sign == "+" and not (code.types.may_be(left, NUMBERS) and code.types.may_be(right, NUMBERS)):
        return []  # `+` joins strings or lists here, and no other operator does
    return [other for other in group if other != sign]


def swapped_operands(code: SourceText) -> Iterator[Replacement]:
    """Replaces `a - b` by `b - a`, for operators where the order of the operands matters."""
    for node in code.loads(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        joins = isinstance(node.op, ast.Add) and not code.types.of(node) & NUMBERS
        if isinstance(node.op, _ORDER_MATTERS) or joins:
            level = precedence.of(node)
            left, right = code.operand(node.right, level), code.operand(node.left, level + 1)
            text = f"{left} {BINARY[type(node.op)]} {right}"
            yield code.replace("operand-swap", node, text, level)


def signs(code: SourceText) -> Iterator[Replacement]:
    """Adds or removes a minus before a number; removes `~` and `+`."""
    for node in code.loads():
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert(), operand=operand):
                yield code.replace("sign", node, code.text(operand), precedence.of(operand))
            case ast.Name() | ast.Subscript() | ast.Call() | ast.BinOp() | ast.Attribute() if _may_be_signed(
                code, node
            ):
                text = f"-{code.operand(node, precedence.SIGN)}"
                yield code.replace("sign", node, text, precedence.SIGN)


def _may_be_signed(code: SourceText, node: ast.expr) -> bool:
    """Whether a value is returned, stored, passed on or the item of a comprehension.

    Inside sums an edit of the operator has the same effect.
    """
    match code.parents[node]:
        case ast.Return() | ast.Tuple() | ast.Assign() | ast.Lambda():
            place = True
        case ast.Call(args=args):
            place = node in args
        case ast.GeneratorExp(elt=item) | ast.ListComp(elt=item) | ast.SetComp(elt=item):
            place = node is item
        case _:
            place = False
    return place and code.types.may_be(node, NUMBERS)


def regroupings(code: SourceText) -> Iterator[Replacement]:
    """Sets parentheses around other operands: `a - b * c` as `(a - b) * c`, `a * (b + c)` as `a * b + c`."""
    for node in code.loads(ast.BinOp):
        if isinstance(code.parents[node], ast.BinOp):
            continue
        parts = _parts(code, node)
        operands, signs_between = parts[::2], parts[1::2]
        if not 3 <= len(operands) <= _MAX_OPERANDS or "\n" in code.text(node) or len({*signs_between, "+"}) == 1:
            continue  # sums alone mean the same in any grouping
        for first in range(len(operands)):
            for last in range(first + 1, len(operands)):
                inner = " ".join(parts[2 * first : 2 * last + 1])
                text = " ".join([*parts[: 2 * first], f"({inner})", *parts[2 * last + 1 :]])
                yield code.replace("regrouping", node, text, _level(text))


def _parts(code: SourceText, node: ast.expr) -> list[str]:
    """Operands and signs of nested operations from left to right, without the parentheses between them."""
    if not isinstance(node, ast.BinOp):
        return [code.operand(node, precedence.SIGN)]
    return [*_parts(code, node.left), BINARY[type(node.op)], *_parts(code, node.right)]


def _level(text: str) -> int:
    """The precedence level of an expression that is given as text."""
    return precedence.of(ast.parse(text, mode="eval").body)

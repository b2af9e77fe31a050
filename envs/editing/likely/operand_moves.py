"""Edits that move an operand into a call or out of it, and that exchange calls and operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.operator_text import BINARY
from envs.editing.source_text import Replacement, SourceText

_CHOICES = ("max", "min")
_SHIFTS = ("10", "2")
_MAX_VARIABLES = 3


def into_and_out_of_calls(code: SourceText) -> Iterator[Replacement]:
    """Replaces `f(a, b) - c` by `f(a, b - c)`, and `f(a, b - c)` by `f(a, b) - c`."""
    for node in code.loads(ast.BinOp, ast.Call):
        match node:
            case ast.BinOp(left=ast.Call(args=[*_, last], keywords=[]) as call, op=op, right=right):
                level = precedence.of_operator(op)
                inner = f"{code.operand(last, level)} {BINARY[type(op)]} {code.operand(right, level + 1)}"
                yield code.replace("operand-move", node, _with_last(code, call, last, inner))
            case ast.Call(args=[*_, ast.BinOp(left=left, op=op, right=right) as last], keywords=[]):
                level = precedence.of_operator(op)
                shorter = _with_last(code, node, last, code.text(left))
                text = f"{shorter} {BINARY[type(op)]} {code.operand(right, level + 1)}"
                yield code.replace("operand-move", node, text, level)


def _with_last(code: SourceText, call: ast.Call, last: ast.expr, text: str) -> str:
    """The text of a call with another last argument."""
    start, end = code.span(call)
    first, behind = code.span(last)
    return code.source[start:first] + text + code.source[behind:end]


def choices_and_sums(code: SourceText) -> Iterator[Replacement]:
    """Replaces `max(a, b)` by `a + b` and `a - b`, and `a + b` by `max(a, b)` and `min(a, b)`."""
    for node in code.loads(ast.BinOp, ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="max" | "min"), args=[left, right], keywords=[]):
                for sign in ("+", "-"):
                    text = f"{code.operand(left, precedence.SUM)} {sign} {code.operand(right, precedence.PRODUCT)}"
                    yield code.replace("choice-or-sum", node, text, precedence.SUM)
            case ast.BinOp(left=left, op=ast.Add(), right=right) if code.types.may_be(node, NUMBERS):
                if not isinstance(right, ast.Constant):
                    for name in _CHOICES:
                        yield code.replace("choice-or-sum", node, f"{name}({code.text(left)}, {code.text(right)})")


def shifted_digits(code: SourceText) -> Iterator[Replacement]:
    """Replaces `n = n + d` and `n += d` by `n = n * 10 + d`, as a number is read digit by digit."""
    for statement in code.statements(ast.Assign, ast.AugAssign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=first), op=ast.Add(), right=added)
            ) if name == first:
                pass
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=added):
                pass
            case _:
                continue
        if not code.types.may_be(added, NUMBERS) or not code.types.name_may_be(name, NUMBERS):
            continue
        start, end = code.span(statement)
        known = [each for each in code.near_names(statement, _MAX_VARIABLES * 2) if each != name]
        bases = [each for each in known if code.types.name_may_be(each, NUMBERS)][:_MAX_VARIABLES]
        for base in [*_SHIFTS, *bases]:
            text = f"{name} = {name} * {base} + {code.operand(added, precedence.PRODUCT)}"
            yield Replacement("shift-digits", start, end, text)

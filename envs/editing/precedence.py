"""Precedence levels of Python expressions, and the level that each place needs without parentheses."""

from __future__ import annotations

import ast

LAMBDA, CONDITIONAL, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, POWER = range(14)
ATOM = 20
"""Level of names, calls, subscripts and displays, which never need parentheses."""

_BINARY: dict[type[ast.operator], int] = {
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_XOR,
    ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: PRODUCT,
    ast.Div: PRODUCT,
    ast.FloorDiv: PRODUCT,
    ast.Mod: PRODUCT,
    ast.MatMult: PRODUCT,
    ast.Pow: POWER,
}


def of_operator(operator: ast.operator) -> int:
    """The precedence level of a binary operator."""
    return _BINARY[type(operator)]


def of(node: ast.expr) -> int:
    """The precedence level of an expression."""
    match node:
        case ast.Lambda() | ast.NamedExpr() | ast.Yield() | ast.YieldFrom() | ast.GeneratorExp():
            return LAMBDA
        case ast.IfExp():
            return CONDITIONAL
        case ast.BoolOp(op=ast.Or()):
            return OR
        case ast.BoolOp():
            return AND
        case ast.UnaryOp(op=ast.Not()):
            return NOT
        case ast.Compare():
            return COMPARE
        case ast.BinOp(op=op):
            return of_operator(op)
        case ast.UnaryOp():
            return SIGN
        case ast.Tuple():
            return LAMBDA - 1
    return ATOM


def needed(parent: ast.AST, child: ast.expr) -> int:
    """The least level that an expression needs to replace `child` without parentheses."""
    match parent:
        case ast.BinOp(left=left, op=op):
            own = of_operator(op)
            return own + ((child is left) == isinstance(op, ast.Pow))
        case ast.Compare():
            return BIT_OR
        case ast.BoolOp(op=ast.Or()):
            return AND
        case ast.BoolOp():
            return NOT
        case ast.UnaryOp(op=ast.Not()):
            return NOT
        case ast.UnaryOp():
            return SIGN
        case ast.Attribute() | ast.Await():
            return ATOM
        case ast.Subscript(value=value):
            return ATOM if child is value else LAMBDA - 1
        case ast.Call(func=function):
            return ATOM if child is function else LAMBDA
        case ast.IfExp(orelse=orelse):
            return CONDITIONAL if child is orelse else OR
        case ast.comprehension():
            return OR
        case ast.Starred() | ast.FormattedValue():
            return BIT_OR
        case ast.expr() | ast.keyword() | ast.arguments():
            return LAMBDA
    return LAMBDA - 1

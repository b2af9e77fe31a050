"""The truth of a simple condition on plain values, found without running anything of the program.

Names, constants, lengths, comparisons, sums, `not`, `and`, `or`. Whatever else a condition holds makes it unknown.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

_COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda one, other: one is other,
    ast.IsNot: lambda one, other: one is not other,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_SUMS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mod: operator.mod,
}
_TEXT_METHODS: Final = ("isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum")
_LARGEST: Final = 10**12
"""Numbers beyond this are not calculated with."""


class Unknown(Exception):
    """The condition holds what is not calculated here."""


def truth(condition: str, values: Mapping[str, object]) -> bool | None:
    """Whether a condition holds for variables with these values; None where that is not known."""
    tree = _parsed(condition)
    if tree is None:
        return None
    try:
        return bool(_value(tree, values))
    except (Unknown, TypeError, ValueError, ArithmeticError, LookupError):
        return None


@lru_cache(maxsize=8_192)
def names_of(condition: str) -> tuple[str, ...]:
    """The variables that a condition reads."""
    tree = _parsed(condition)
    names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) if tree else ()
    return tuple(dict.fromkeys(name for name in names if name != "len"))


@lru_cache(maxsize=8_192)
def _parsed(condition: str) -> ast.expr | None:
    try:
        return ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, values: Mapping[str, object]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, values)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(_value(operand, values))
        case ast.BoolOp(op=op, values=parts):
            every = isinstance(op, ast.And)
            return all(_value(each, values) for each in parts) if every else any(_value(each, values) for each in parts)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _COMPARISONS[type(op)](_value(left, values), _value(right, values))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SUMS:
            return _SUMS[type(op)](_number(_value(left, values)), _number(_value(right, values)))
        case ast.Call(func=ast.Name(id="len"), args=[holder], keywords=[]):
            return len(_value(holder, values))
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[], keywords=[]) if method in _TEXT_METHODS:
            text = _value(owner, values)
            return getattr(text, method)() if isinstance(text, str) else _unknown()
    return _unknown()


def _number(value: object) -> int | float:
    if isinstance(value, int | float) and abs(value) < _LARGEST:
        return value
    raise Unknown


def _unknown() -> Any:
    raise Unknown

"""Converts plain values to text and back, without running code.

Tasks keep arguments and expected results as text: they stay hashable and show the text that an oracle must write.
Plain values are None, bool, numbers, str, bytes, and lists, tuples, dicts and sets of them. Reading also folds
constant arithmetic (`3 + 5`, `"ab" * 3`), which tests often contain. Knows no task.
"""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from tasks.errors import NotPlain

MAX_ITEMS = 100_000
"""Largest length of a sequence that folding builds."""
MAX_BITS = 10_000
"""Largest size of an integer that folding builds, in bits."""

_NAMES: dict[str, object] = {"nan": math.nan, "inf": math.inf}
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_CONSTRUCTORS: dict[str, Callable[..., object]] = {
    "float": float,
    "set": set,
    "frozenset": frozenset,
    "list": list,
    "tuple": tuple,
    "dict": dict,
}


def parse(source: str) -> ast.Module:
    """The syntax tree of a source text, without warnings; SyntaxError for every text that does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(f"{type(error).__name__}: {error}") from error


def read_value(text: str) -> object:
    """The plain value of a text; NotPlain if only running it would give its value."""
    try:
        return fold(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotPlain(f"{_shortened(text)} is no plain value ({error})") from error


def fold(node: ast.expr) -> object:
    """The plain value of an expression made of literals; NotPlain for any other."""
    try:
        return _fold(node)
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise NotPlain(f"{_shortened(ast.unparse(node))} has no value ({error})") from error


def _fold(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value) if value is not ...:
            return value
        case ast.List(elts=items):
            return [_fold(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_fold(item) for item in items)
        case ast.Set(elts=items):
            return {_fold(item) for item in items}
        case ast.Dict(keys=keys, values=values):
            return {_fold(_present(key)): _fold(value) for key, value in zip(keys, values, strict=True)}
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_fold(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _binary(type(op), _fold(left), _fold(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CONSTRUCTORS:
            return _CONSTRUCTORS[name](*(_fold(arg) for arg in args))
    raise NotPlain(f"{_shortened(ast.unparse(node))} is no plain value")


def _present(key: ast.expr | None) -> ast.expr:
    if key is None:
        raise NotPlain("`**` in a dict is no plain value")
    return key


def _binary(op: type[ast.operator], left: object, right: object) -> object:
    """The result of a constant operation; NotPlain if it would be huge or would share a mutable item."""
    if op is ast.Mult and (_is_sequence(left) or _is_sequence(right)):
        return _repeated(left, right)
    if op is ast.Mod and isinstance(left, str | bytes):
        raise NotPlain("formatting is not folded")
    if op is ast.Pow and _bits(left) * abs(_int(right)) > MAX_BITS:
        raise NotPlain(f"{left} ** {right} is too large to fold")
    return _BINARY[op](left, right)


def _bits(value: object) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _repeated(left: object, right: object) -> object:
    sequence, times = (left, right) if _is_sequence(left) else (right, left)
    assert isinstance(sequence, Sequence)
    if not isinstance(times, int) or len(sequence) * times > MAX_ITEMS:
        raise NotPlain("a repetition is too long to fold")
    if not isinstance(sequence, str | bytes) and any(isinstance(item, list | dict | set) for item in sequence):
        # [[0] * 3] * 3 holds one row three times; as a literal it would hold three rows.
        raise NotPlain("a repetition of a mutable item is no plain value")
    return operator.mul(sequence, times)  # type: ignore[call-overload, unused-ignore]


def _is_sequence(value: object) -> bool:
    return isinstance(value, list | tuple | str | bytes)


def write_value(value: object) -> str:
    """The text of a plain value: valid Python, equal in every process (sets sorted, nan and inf as calls)."""
    match value:
        case bool() | None | str() | bytes():
            return repr(value)
        case int():  # Python writes no decimals of very long integers
            return repr(value) if value.bit_length() < MAX_BITS else hex(value)
        case float():
            return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
        case list():
            return f"[{_joined(value)}]"
        case tuple():
            return f"({_joined(value)},)" if len(value) == 1 else f"({_joined(value)})"
        case dict():
            return "{" + ", ".join(f"{write_value(k)}: {write_value(v)}" for k, v in value.items()) + "}"
        case set():
            return "{" + ", ".join(_sorted_texts(value)) + "}" if value else "set()"
        case frozenset():
            return "frozenset({" + ", ".join(_sorted_texts(value)) + "})" if value else "frozenset()"
        case complex():
            return repr(value)
    raise NotPlain(f"a value of type {type(value).__name__} is no plain value")


def _joined(items: Sequence[object]) -> str:
    return ", ".join(write_value(item) for item in items)


def _sorted_texts(items: set[object] | frozenset[object]) -> list[str]:
    try:
        return [write_value(item) for item in sorted(items)]  # type: ignore[type-var]
    except TypeError:
        return sorted(write_value(item) for item in items)


def _shortened(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")

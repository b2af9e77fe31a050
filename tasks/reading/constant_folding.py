"""Evaluates expressions of literals, such as `3 + 5` or `"ab" * 3`, within one budget of nodes, sizes and bits.

Every operator pays for the size of its result before the result is built, so the work is bounded whatever is nested in
what. Sets and dicts pay in hashes: keys that were chosen to collide are refused. Knows no task and runs no code.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from tasks.errors import NotPlain, OverBudget, shortened
from tasks.reading.program_text import MAX_BITS, unparsed
from tasks.reading.work_budget import WorkBudget

MAX_UNITS = 1_000_000
"""Work of one expression: its nodes, and items and characters of every value that is built on the way."""
MAX_DEPTH = 200
"""Deepest nesting of an expression."""
MAX_EQUAL_HASHES = 100
"""Most keys of one set or dict, other than texts, that may share a hash."""
_SHOWN_NODES = 100

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


def fold(node: ast.expr) -> object:
    """The plain value of an expression made of literals; NotPlain for any other, OverBudget beyond the budget."""
    try:
        return _Folding().fold(node, 0)
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise NotPlain(f"{_shown(node)} has no value ({shortened(str(error), 100)})") from error


class _Folding:
    """The evaluation of one expression."""

    def __init__(self) -> None:
        self._budget = WorkBudget(MAX_UNITS, f"an expression (at most {MAX_UNITS:,} nodes, items and characters)")

    def fold(self, node: ast.expr, depth: int) -> object:
        """The value of a node."""
        if depth > MAX_DEPTH:
            raise OverBudget(f"an expression is nested more than {MAX_DEPTH} deep")
        self._budget.spend(1)
        match node:
            case ast.Constant(value=value) if value is not ...:
                return self._literal(value)
            case ast.List(elts=items):
                return self._all(items, depth)
            case ast.Tuple(elts=items):
                return tuple(self._all(items, depth))
            case ast.Set(elts=items):
                return set(_checked_keys(self._all(items, depth)))
            case ast.Dict(keys=keys, values=values):
                found = _checked_keys(self._all(map(_present, keys), depth))
                return dict(zip(found, self._all(values, depth), strict=True))
            case ast.Name(id=name) if name in _NAMES:
                return _NAMES[name]
            case ast.UnaryOp(op=op, operand=operand):
                return _small(_UNARY[type(op)](self.fold(operand, depth + 1)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self._binary(type(op), self.fold(left, depth + 1), self.fold(right, depth + 1))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CONSTRUCTORS:
                return self._constructed(name, self._all(args, depth))
        raise NotPlain(f"{_shown(node)} is no plain value")

    def _all(self, nodes: Iterable[ast.expr], depth: int) -> list[object]:
        return [self.fold(node, depth + 1) for node in nodes]

    def _literal(self, value: object) -> object:
        self._budget.spend(len(value) if isinstance(value, str | bytes) else 0)
        return _small(value)

    def _binary(self, op: type[ast.operator], left: object, right: object) -> object:
        """The result of a constant operation, paid for before it is built."""
        if op is ast.Mult and (_is_sequence(left) or _is_sequence(right)):
            return self._repeated(left, right)
        if op is ast.Mod and isinstance(left, str | bytes):
            raise NotPlain("formatting is not folded")
        if op is ast.Pow and _bits(left) * abs(right if isinstance(right, int) else 0) > MAX_BITS:
            raise OverBudget(f"a power has more than {MAX_BITS:,} bits")
        self._budget.spend(weight(left) + weight(right))
        return _small(_BINARY[op](left, right))

    def _repeated(self, left: object, right: object) -> object:
        sequence, times = (left, right) if _is_sequence(left) else (right, left)
        if not isinstance(times, int):
            raise NotPlain("a sequence is repeated by something that is no integer")
        if isinstance(sequence, list | tuple) and any(isinstance(item, list | dict | set) for item in sequence):
            # [[0] * 3] * 3 holds one row three times; as a literal it would hold three rows.
            raise NotPlain("a repetition of a mutable item is no plain value")
        self._budget.spend(weight(sequence) * max(1, times))
        return operator.mul(sequence, times)  # type: ignore[call-overload, unused-ignore]

    def _constructed(self, name: str, given: list[Any]) -> object:
        self._budget.spend(2 * sum(map(weight, given)))
        if name == "dict" and given and not isinstance(given[0], dict):
            given[0] = [tuple(pair) for pair in given[0]]
            _checked_keys([pair[0] for pair in given[0] if pair])
        elif name in ("set", "frozenset") and given:
            given[0] = _checked_keys(list(given[0]))
        return _CONSTRUCTORS[name](*given)


def weight(value: object) -> int:
    """Items and characters of a plain value, written out: an item that occurs twice counts twice."""
    match value:
        case str() | bytes():
            return 1 + len(value)
        case list() | tuple() | set() | frozenset():
            return 1 + sum(map(weight, value))
        case dict():
            return 1 + sum(map(weight, value)) + sum(map(weight, value.values()))
    return 1


def _checked_keys(keys: list[object]) -> list[object]:
    """The keys of a set or dict, unless so many share a hash that building it would take quadratic time."""
    hashes = sorted(hash(key) for key in keys if not isinstance(key, str | bytes))
    if any(map(operator.eq, hashes, hashes[MAX_EQUAL_HASHES:])):
        raise OverBudget(f"more than {MAX_EQUAL_HASHES} keys of a set or dict share a hash")
    return keys


def _present(key: ast.expr | None) -> ast.expr:
    if key is None:
        raise NotPlain("`**` in a dict is no plain value")
    return key


def _small(value: object) -> object:
    if _bits(value) > MAX_BITS:
        raise OverBudget(f"an integer has more than {MAX_BITS:,} bits")
    return value


def _bits(value: object) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _is_sequence(value: object) -> bool:
    return isinstance(value, list | tuple | str | bytes)


def _shown(node: ast.expr) -> str:
    """The beginning of an expression as text, or its kind if it is long."""
    for count, _ in enumerate(ast.walk(node)):
        if count > _SHOWN_NODES:
            return f"a long {type(node).__name__}"
    return repr(shortened(unparsed(node), 60))

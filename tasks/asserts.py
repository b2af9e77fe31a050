"""Reads an assert as a call with its expected result, if it has one of these forms.

    assert f(1, 2) == [3]                  equal            assert f(x)                        truth
    assert [3] == f(1, 2)                  equal            assert not f(x)                    truth
    assert f(x) is None                    exact            assert list(f(x)) == [1, 2]        items
    assert abs(f(x) - 0.5) < 1e-6          close            assert f(x) == pytest.approx(0.5)  close
    assert math.isclose(f(x), 0.5)         close

`call_test` takes a call of the entry with literal arguments in the place of `f(..)`, `observed` any expression: what a
test looks at is returned by a function, and anything else that is asserted is returned as its truth. Knows no file
format.
"""

import ast
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tasks.comparison import EQUAL, Comparison
from tasks.errors import BadTask, NotPlain
from tasks.reading.constant_folding import fold
from tasks.task import CallTest
from tasks.value import read_number, write_value

EXACT = Comparison("exact")
TRUTH = Comparison("truth")
ITEMS = Comparison("items")
APPROX = Comparison("close", absolute=1e-12, relative=1e-6)
"""Default tolerances of pytest.approx."""
ISCLOSE = Comparison("close", relative=1e-9)
"""Default tolerance of math.isclose."""


_BOOLEAN_CALLS = frozenset({"isinstance", "issubclass", "all", "any", "bool", "hasattr", "callable"})
T = TypeVar("T")
Make = Callable[[ast.expr, object, Comparison], T | None]
"""Makes a test of an expression, the plain value that is expected of it, and how the two are compared."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """An expression that a test looks at, and what it expects to see."""

    expression: ast.expr
    expected: object
    comparison: Comparison


def call_test(statement: ast.Assert, entry: str) -> CallTest | None:
    """The assert as a call with its expected result; None if it is no such call."""
    try:
        return _read(statement.test, lambda call, value, comparison: expecting(call, value, comparison, entry))
    except (NotPlain, BadTask):
        return None


def observed(statement: ast.Assert) -> Expectation:
    """What the assert looks at: one side of an equation with a plain value, or else its own truth."""
    with contextlib.suppress(NotPlain, BadTask):
        found = _read(statement.test, _expectation)
        if found is not None:
            return found
    return Expectation(_as_bool(statement.test), True, TRUTH)


def _expectation(expression: ast.expr, expected: object, comparison: Comparison) -> Expectation:
    if comparison == ITEMS:  # the function itself reads an iterator to its end
        listed = ast.Call(ast.Name("list", ast.Load()), [expression], [])
        return Expectation(listed, expected, EQUAL)
    return Expectation(_as_bool(expression) if comparison == TRUTH else expression, expected, comparison)


def _as_bool(test: ast.expr) -> ast.expr:
    match test:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return test
        case ast.Call(func=ast.Name(id=name)) if name in _BOOLEAN_CALLS:
            return test
    return ast.Call(ast.Name("bool", ast.Load()), [test], [])


def is_vacuous(statement: ast.Assert) -> bool:
    """Whether the assert always holds, as `assert True` does."""
    return isinstance(statement.test, ast.Constant) and bool(statement.test.value)


def expecting(call: ast.expr, expected: object, comparison: Comparison, entry: str) -> CallTest | None:
    """The test that a call of the entry returns the expected plain value; None if it is no such call."""
    if not _is_call_of(call, entry):
        return None
    assert isinstance(call, ast.Call)
    parts = [write_value(fold(argument)) for argument in call.args]
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        parts.append(f"{keyword.arg}={write_value(fold(keyword.value))}")
    return CallTest(", ".join(parts), write_value(expected), comparison)


def _read(test: ast.expr, make: Make[T]) -> T | None:
    match test:
        case ast.Call(func=ast.Name(id="isclose") | ast.Attribute(attr="isclose"), args=[left, right]):
            return _close(left, right, _tolerances(test, ISCLOSE, ("rel_tol", "abs_tol")), make)
        case ast.Call():
            return make(test, True, TRUTH)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return make(operand, False, TRUTH)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _equality(left, right, make) or _equality(right, left, make)
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=value)]):
            return make(left, value, EXACT) if value is None or isinstance(value, bool) else None
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="abs"), args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]),
            ops=[ast.Lt() | ast.LtE()],
            comparators=[limit],
        ):
            return _close(left, right, Comparison("close", absolute=_number(limit)), make)
    return None


def _equality(call: ast.expr, expected: ast.expr, make: Make[T]) -> T | None:
    """The test that an expression has the value of the other; None where the other is no plain value."""
    with contextlib.suppress(NotPlain):
        match call, expected:
            case _, ast.Call(func=ast.Name(id="approx") | ast.Attribute(attr="approx"), args=[value]):
                tolerance = _tolerances(expected, APPROX, ("rel", "abs"))
                return make(call, fold(value), tolerance)
            case ast.Call(func=ast.Name(id="list"), args=[inner], keywords=[]), _:
                return make(inner, fold(expected), ITEMS)
        return make(call, fold(expected), EQUAL)
    return None


def _close(left: ast.expr, right: ast.expr, comparison: Comparison, make: Make[T]) -> T | None:
    for call, value in ((left, right), (right, left)):
        with contextlib.suppress(NotPlain):
            if (found := make(call, fold(value), comparison)) is not None:
                return found
    return None


def _tolerances(call: ast.Call, default: Comparison, names: tuple[str, str]) -> Comparison:
    """The comparison of a call of approx or isclose; `names` are its keywords for relative and absolute tolerance."""
    relative_name, absolute_name = names
    relative = default.relative
    given = {keyword.arg: _number(keyword.value) for keyword in call.keywords}
    if unknown := given.keys() - {relative_name, absolute_name}:
        raise NotPlain(f"option {min(map(str, unknown))} is not supported")
    if relative_name == "rel" and "abs" in given and "rel" not in given:
        relative = 0.0  # approx(x, abs=d) drops its default relative tolerance; isclose keeps it
    return Comparison("close", given.get(absolute_name, default.absolute), given.get(relative_name, relative))


def _number(node: ast.expr) -> float:
    return read_number(fold(node))


def _is_call_of(node: ast.expr, entry: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == entry

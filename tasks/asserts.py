"""Reads an assert as a call with its expected result, if it has one of these forms.

    assert f(1, 2) == [3]                  equal            assert f(x)                        truth
    assert [3] == f(1, 2)                  equal            assert not f(x)                    truth
    assert f(x) is None                    exact            assert list(f(x)) == [1, 2]        items
    assert abs(f(x) - 0.5) < 1e-6          close            assert f(x) == pytest.approx(0.5)  close
    assert math.isclose(f(x), 0.5)         close

Anything else stays code. Knows no file format.
"""

import ast

from tasks.comparison import EQUAL, Comparison
from tasks.constant_folding import fold
from tasks.errors import BadTask, NotPlain
from tasks.task import CallTest
from tasks.value import read_number, write_value

EXACT = Comparison("exact")
TRUTH = Comparison("truth")
ITEMS = Comparison("items")
APPROX = Comparison("close", absolute=1e-12, relative=1e-6)
"""Default tolerances of pytest.approx."""
ISCLOSE = Comparison("close", relative=1e-9)
"""Default tolerance of math.isclose."""


def call_test(statement: ast.Assert, entry: str) -> CallTest | None:
    """The assert as a call with its expected result; None if it must stay code."""
    try:
        return _read(statement.test, entry)
    except (NotPlain, BadTask):
        return None


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


def _read(test: ast.expr, entry: str) -> CallTest | None:
    match test:
        case ast.Call(func=ast.Name(id="isclose") | ast.Attribute(attr="isclose"), args=[left, right]):
            return _close(left, right, _tolerances(test, ISCLOSE, ("rel_tol", "abs_tol")), entry)
        case ast.Call():
            return expecting(test, True, TRUTH, entry)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return expecting(operand, False, TRUTH, entry)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _equality(left, right, entry) or _equality(right, left, entry)
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=value)]):
            return expecting(left, value, EXACT, entry) if value is None or isinstance(value, bool) else None
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="abs"), args=[ast.BinOp(left=left, op=ast.Sub(), right=right)]),
            ops=[ast.Lt() | ast.LtE()],
            comparators=[limit],
        ):
            return _close(left, right, Comparison("close", absolute=_number(limit)), entry)
    return None


def _equality(call: ast.expr, expected: ast.expr, entry: str) -> CallTest | None:
    if not _mentions(call, entry):
        return None
    match call, expected:
        case _, ast.Call(func=ast.Name(id="approx") | ast.Attribute(attr="approx"), args=[value]):
            tolerance = _tolerances(expected, APPROX, ("rel", "abs"))
            return expecting(call, fold(value), tolerance, entry)
        case ast.Call(func=ast.Name(id="list"), args=[inner], keywords=[]), _:
            return expecting(inner, fold(expected), ITEMS, entry)
    return expecting(call, fold(expected), EQUAL, entry)


def _close(left: ast.expr, right: ast.expr, comparison: Comparison, entry: str) -> CallTest | None:
    call, value = (left, right) if _is_call_of(left, entry) else (right, left)
    return expecting(call, fold(value), comparison, entry)


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


def _mentions(node: ast.expr, entry: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == entry for part in ast.walk(node))

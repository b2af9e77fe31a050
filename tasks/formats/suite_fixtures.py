"""Fixtures of pytest as plain functions, called at the beginning of the tests that ask for them.

    @pytest.fixture                               def fixture_words():
    def words(): return ["a", "b"]         ->         return ["a", "b"]
    def test_f(words): assert f(words)            def test_f(): words = fixture_words(); assert f(words)

A fixture runs with the test in the sandbox. One that yields gives what it yields first; what it does afterwards is left
out. Fixtures with parameters of their own (`params=`), and those that pytest itself provides, are not known here.
"""

import ast
import copy
from collections.abc import Iterator, Sequence

from tasks.errors import TaskError
from tasks.reading.program_text import parse, unparsed

PREFIX = "fixture_"
MOST_NESTED = 20
"""Fixtures that ask for one another in a row."""


def is_fixture(statement: ast.stmt) -> bool:
    """Whether a statement defines a fixture that can be called as a function."""
    return isinstance(statement, ast.FunctionDef) and any(map(_marks_fixture, statement.decorator_list))


def _marks_fixture(mark: ast.expr) -> bool:
    call = mark.func if isinstance(mark, ast.Call) else mark
    parameters = isinstance(mark, ast.Call) and any(keyword.arg == "params" for keyword in mark.keywords)
    return unparsed(call).rpartition(".")[2] == "fixture" and not parameters


def fixture_functions(body: Sequence[ast.stmt]) -> dict[str, ast.FunctionDef]:
    """The fixtures of a file by the name that tests ask for them by; each a function without decorators."""
    found: dict[str, ast.FunctionDef] = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and is_fixture(statement):
            function = copy.deepcopy(statement)
            function.name, function.decorator_list = f"{PREFIX}{statement.name}", []
            function.body = list(_returning(function.body))
            found[statement.name] = function
    return found


def _returning(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The body with `return x` in the place of its first `yield x`."""
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Yield(value=value)):
                yield ast.copy_location(ast.Return(value), statement)
                return
            case ast.With(body=[ast.Expr(value=ast.Yield(value=value))]):
                statement.body = [ast.copy_location(ast.Return(value), statement)]
        yield statement


def autouse_names(body: Sequence[ast.stmt]) -> list[str]:
    """The fixtures that every test of a file begins with."""
    marked = (part for part in body if isinstance(part, ast.FunctionDef) and is_fixture(part))
    return [part.name for part in marked if any("autouse=True" in unparsed(mark) for mark in part.decorator_list)]


def fixture_calls(names: Sequence[str], fixtures: dict[str, ast.FunctionDef]) -> list[ast.stmt]:
    """The statements that give names the values of fixtures, each called once and after those that it asks for.

    TaskError for a name that no file defines as a fixture, and for fixtures that ask for each other in a circle.
    """
    found: dict[str, list[ast.stmt]] = {}
    for name in names:
        _add_calls(name, fixtures, found, ())
    return [statement for call in found.values() for statement in call]


def _add_calls(
    name: str, fixtures: dict[str, ast.FunctionDef], found: dict[str, list[ast.stmt]], above: tuple[str, ...]
) -> None:
    if name in found:
        return
    if name not in fixtures or name in above or len(above) > MOST_NESTED:
        raise TaskError(
            f"parameter {name!r} is a fixture that no conftest.py defines plainly; write its value into the test"
        )
    wanted = [argument.arg for argument in fixtures[name].args.args]
    for each in wanted:
        _add_calls(each, fixtures, found, (*above, name))
    found[name] = parse(f"{name} = {PREFIX}{name}({', '.join(wanted)})").body

"""Reads a pytest file as single tests of a program, without running pytest.

Each assert of a test function or test method becomes one test; `parametrize` with a literal list is expanded; imports
of the tested module are dropped, since tests run in its namespace. Tests that need pytest itself (fixtures, parameters
computed at run time) are reported as problems.
"""

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tasks.errors import TOO_DEEP, Problem, TaskError, shortened
from tasks.program_text import parse, unparsed
from tasks.source_file import read_source
from tasks.suites import TEST_UNITS, Renamed, read_suite, suite_budget
from tasks.task import Test
from tasks.work_budget import spend_on

Binding = dict[str, ast.expr]

NOTHING_RAISED = "try: pass\nexcept E: pass\nelse: raise AssertionError('nothing was raised')"


def read_pytest(
    path: Path, module: str, entry: str, inlined: Mapping[str, str] | None = None
) -> Iterator[Test | Problem]:
    """The tests of a pytest file for a module, and a problem for each function that cannot be read.

    `inlined` maps module names to source; an import of such a module is replaced by its source.
    """
    try:
        tree = parse(read_source(path).text)
    except TaskError as error:
        yield Problem(path, getattr(error, "line", None), "tests", f"does not parse: {error}")
        return
    ours = Renamed(*_imported(tree, module))
    kept: list[ast.stmt] = []
    for part in _without_imports(tree.body, module, inlined or {}):
        try:
            kept.append(ours.visit(_Raises().visit(part)))
        except RecursionError:
            yield Problem(path, part.lineno, getattr(part, "name", "tests"), TOO_DEEP)
    setup = [part for part in kept if not _is_test(part)]
    budget = suite_budget()
    for function, is_method in _functions(kept):
        try:
            for case in _cases(function, is_method):
                budget.spend(TEST_UNITS)
                spend_on(function, budget)
                body = [Renamed(case).visit(copy.deepcopy(part)) for part in function.body]
                spend_on(ast.Module(body, []), budget)
                yield from read_suite(body, entry, setup, budget)
        except TaskError as error:
            yield Problem(path, function.lineno, function.name, shortened(str(error)))
        except RecursionError:
            yield Problem(path, function.lineno, function.name, TOO_DEEP)
    try:
        yield from read_suite(_top_level(kept), entry, budget=budget)
    except TaskError as error:
        yield Problem(path, None, "tests", shortened(str(error)))


class _Raises(ast.NodeTransformer):
    """Rewrites `with pytest.raises(E):` as try and except, so that the test runs without pytest."""

    def visit_With(self, node: ast.With) -> ast.stmt:
        """The statement without pytest."""
        match node:
            case ast.With(items=[ast.withitem(ast.Call(func=raises, args=[kind], keywords=[]), None)]) if unparsed(
                raises
            ).endswith("raises"):
                (written,) = parse(NOTHING_RAISED).body
                assert isinstance(written, ast.Try)
                written.body, written.handlers[0].type = node.body, kind
                return written
        return node


def _top_level(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a script with top-level asserts; empty if the file has test functions."""
    return [] if any(map(_is_test, body)) else list(body)


def _is_test(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef(name=name):
            return name.startswith("test")
        case ast.ClassDef(name=name, bases=bases):
            return name.startswith("Test") or any("TestCase" in unparsed(base) for base in bases)
    return False


def _functions(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """The test functions in order, each with True if it is a method."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and _is_test(statement):
            yield statement, False
        elif isinstance(statement, ast.ClassDef) and _is_test(statement):
            for part in statement.body:
                if isinstance(part, ast.FunctionDef) and part.name.startswith("test"):
                    yield part, True


def _cases(function: ast.FunctionDef, is_method: bool) -> Iterator[Binding]:
    """The parameter values of each expanded case; TaskError if they are not literal."""
    tables = [_table(mark) for mark in function.decorator_list if _is_parametrize(mark)]
    known = {name for table in tables for case in table for name in case}
    parameters = [argument.arg for argument in function.args.args][is_method:]
    if missing := [name for name in parameters if name not in known]:
        raise TaskError(
            f"parameter {missing[0]!r} is a fixture, which only pytest provides; write its value into the test"
        )
    if is_method and any(isinstance(part, ast.Name) and part.id == "self" for part in ast.walk(function)):
        raise TaskError("uses `self`, which only a test runner provides; write it as a function with assert")
    for chosen in itertools.product(*reversed(tables)):
        yield {name: value for case in chosen for name, value in case.items()}


def _is_parametrize(mark: ast.expr) -> bool:
    return isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "parametrize"


def _table(mark: ast.expr) -> list[Binding]:
    match mark:
        case ast.Call(args=[names, ast.List(elts=rows) | ast.Tuple(elts=rows)]):
            fields = _names(names)
            return [dict(zip(fields, _cells(row, len(fields)), strict=True)) for row in rows]
    raise TaskError("its parametrize has no literal list of cases; write the cases as a list")


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",") if name.strip()]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [name for item in items for name in _names(item)]
    raise TaskError("the names in its parametrize are no literal strings")


def _cells(row: ast.expr, count: int) -> list[ast.expr]:
    match row:
        case ast.Call(func=ast.Attribute(attr="param"), args=cells):
            pass
        case ast.List(elts=cells) | ast.Tuple(elts=cells) if count > 1:
            pass
        case _:
            cells = [row]
    if len(cells) != count:
        raise TaskError(f"its parametrize has {len(cells)} values for {count} names: {unparsed(row)}")
    return cells


def _imported(tree: ast.Module, module: str) -> tuple[Binding, frozenset[str]]:
    """The aliases of the program's functions in the file, and the names of the module itself."""
    names: Binding = {}
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(source), names=aliases) if _last(source) == module:
                names |= {alias.asname: ast.Name(alias.name, ast.Load()) for alias in aliases if alias.asname}
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                modules |= {alias.asname or alias.name for alias in aliases if _last(alias.name) == module}
    return names, frozenset(modules)


def _without_imports(body: Sequence[ast.stmt], module: str, inlined: Mapping[str, str]) -> Iterator[ast.stmt]:
    """The statements without imports of the program, and with the source of inlined modules."""
    for statement in body:
        match statement:
            case ast.ImportFrom(module=str(source)) if _last(source) in inlined:
                yield from parse(inlined[_last(source)]).body
            case ast.If(body=chosen, orelse=other) if all(_imports(part, module) for part in [*chosen, *other]):
                continue
            case _ if not _imports(statement, module):
                yield statement


def _imports(statement: ast.stmt, module: str) -> bool:
    match statement:
        case ast.ImportFrom(module=source, names=aliases):
            return _last(source or "") == module or all(alias.name == module for alias in aliases)
        case ast.Import(names=aliases):
            return all(_last(alias.name) == module for alias in aliases)
    return False


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]

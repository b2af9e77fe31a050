"""Reads a test file of pytest or unittest as single tests of a program, without running either.

Each assert of a test function or test method becomes one test; `parametrize` with a literal list is expanded, fixtures
of the file and its `conftest.py` are called, and imports of the tested module are dropped, since tests run in its
namespace. Tests that need pytest itself (its own fixtures, parameters computed at run time) are reported as problems.
"""

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import TOO_DEEP, Problem, TaskError, shortened
from tasks.formats.class_suites import functions_of, is_test_class
from tasks.formats.suite_fixtures import autouse_names, fixture_calls, fixture_functions, is_fixture
from tasks.formats.suite_places import fixture_files
from tasks.reading.program_text import parse, unparsed
from tasks.reading.source_file import read_source
from tasks.reading.work_budget import WorkBudget, spend_on
from tasks.suites import TEST_UNITS, Renamed, read_suite, suite_budget
from tasks.task import Test

Binding = dict[str, ast.expr]
RUNNERS = ("pytest", "unittest")
"""Modules whose imports are dropped: nothing of them is left in the tests."""

NOTHING_RAISED = "try: pass\nexcept E as raised: pass\nelse: raise AssertionError('nothing was raised')"


@dataclass(frozen=True, slots=True)
class TestedModule:
    """The module that a test file imports, which is dropped from it."""

    name: str
    packages: frozenset[str] = frozenset()
    """Packages that it is in: what they import from it may be imported from them."""
    names: frozenset[str] = frozenset()
    """The names that it defines."""


def read_pytest(
    path: Path, module: TestedModule | str, entry: str, inlined: Mapping[str, str] | None = None
) -> Iterator[Test | Problem]:
    """The tests of a test file for a module, and a problem for each function that cannot be read.

    `inlined` maps module names to source; an import of such a module is replaced by its source.
    """
    module = TestedModule(module) if isinstance(module, str) else module
    try:
        tree = parse(read_source(path).text)
    except TaskError as error:
        yield Problem(path, getattr(error, "line", None), "tests", f"does not parse: {error}")
        return
    given = [part for file in fixture_files(path) for part in _readable_body(file)]
    ours = Renamed(*_imported(tree, module.name))
    kept: list[ast.stmt] = []
    budget = suite_budget()
    for part in _without_imports([*given, *tree.body], module, inlined or {}):
        try:
            kept += [ours.visit(_Raises().visit(each)) for each in _unclassed(part, budget)]
        except TaskError as error:
            yield Problem(path, part.lineno, getattr(part, "name", "tests"), shortened(str(error)))
        except RecursionError:
            yield Problem(path, part.lineno, getattr(part, "name", "tests"), TOO_DEEP)
    fixtures = fixture_functions(kept)
    everywhere = autouse_names(kept)
    setup = [*(part for part in kept if not _is_test(part) and not is_fixture(part)), *fixtures.values()]
    tables = _literal_tables(kept)
    for function in _functions(kept):
        try:
            for case in _cases(function, tables):
                budget.spend(TEST_UNITS)
                spend_on(function, budget)
                wanted = [each.arg for each in function.args.args if each.arg not in case]
                made = fixture_calls([*everywhere, *wanted], fixtures)
                own = (part for part in function.body if not _imports(part, module))
                body = [*made, *(Renamed(case).visit(copy.deepcopy(part)) for part in own)]
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


def _unclassed(statement: ast.stmt, budget: WorkBudget) -> Iterator[ast.stmt]:
    """The statement, or the test functions of a class, each of which repeats what runs before it: the budget pays."""
    if isinstance(statement, ast.ClassDef) and is_test_class(statement):
        for function in functions_of(statement):
            spend_on(function, budget)
            yield function
    else:
        yield statement


class _Raises(ast.NodeTransformer):
    """Rewrites `pytest.raises(E)` as try and except, so that the test runs without pytest."""

    def visit_With(self, node: ast.With) -> ast.stmt:
        """The statement without pytest."""
        self.generic_visit(node)
        match node:
            case ast.With(items=[ast.withitem(ast.Call(args=[kind]) as call, name)]) if _is_raises(call):
                return _raising(kind, node.body, call, name)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """The same for `pytest.raises(E, f, x)`."""
        match node.value:
            case ast.Call(args=[kind, function, *rest]) as call if _is_raises(call):
                return _raising(kind, [ast.Expr(ast.Call(function, rest, call.keywords))], ast.Call(kind, [], []), None)
        return node


def _is_raises(call: ast.Call) -> bool:
    return unparsed(call.func).rpartition(".")[2] == "raises"


def _raising(kind: ast.expr, body: list[ast.stmt], call: ast.Call, name: ast.expr | None) -> ast.stmt:
    """A try statement that fails unless its body raises; `match=` is searched in the message, `as name` is kept."""
    (written,) = parse(NOTHING_RAISED).body
    assert isinstance(written, ast.Try)
    written.body, written.handlers[0].type = body, kind
    handled: list[ast.stmt] = []
    for keyword in call.keywords:
        if keyword.arg == "match":
            handled += parse("assert __import__('re').search(PATTERN, str(raised))").body
            handled = [Renamed({"PATTERN": keyword.value}).visit(part) for part in handled]
    if isinstance(name, ast.Name):
        handled += parse(f"{name.id} = type('Raised', (), {{'value': raised, 'type': type(raised)}})").body
    written.handlers[0].body = handled or [ast.Pass()]
    return written


def _readable_body(path: Path) -> list[ast.stmt]:
    """The fixtures and imports of a `conftest.py`; nothing where it cannot be read."""
    try:
        body = parse(read_source(path).text).body
    except TaskError:
        return []
    return [part for part in body if not _is_test(part)]


def _top_level(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a script with top-level asserts; empty if the file has test functions."""
    return [] if any(map(_is_test, body)) else list(body)


def _is_test(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef(name=name):
            return name.startswith("test")
        case ast.ClassDef():
            return is_test_class(statement)
    return False


def _functions(body: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The test functions in order."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and _is_test(statement):
            yield statement


def _literal_tables(body: Sequence[ast.stmt]) -> Binding:
    """The lists and tuples that a file gives names to, for `parametrize` with such a name."""
    return {
        part.targets[0].id: part.value
        for part in body
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)
        and isinstance(part.value, ast.List | ast.Tuple)
    }  # fmt: skip


def _cases(function: ast.FunctionDef, named: Binding) -> Iterator[Binding]:
    """The parameter values of each expanded case; TaskError if they are not literal."""
    tables = [_table(mark, named) for mark in function.decorator_list if _is_parametrize(mark)]
    if any(isinstance(part, ast.Name) and part.id == "self" for part in ast.walk(function)):
        raise TaskError("uses `self` in a way that only a test runner provides; write it as a function with assert")
    for chosen in itertools.product(*reversed(tables)):
        yield {name: value for case in chosen for name, value in case.items()}


def _is_parametrize(mark: ast.expr) -> bool:
    return isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "parametrize"


def _table(mark: ast.expr, named: Binding) -> list[Binding]:
    match mark:
        case ast.Call(args=[names, ast.Name(id=name)]) if name in named:
            return _table(ast.Call(ast.Name("parametrize", ast.Load()), [names, named[name]], []), {})
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


def _without_imports(body: Sequence[ast.stmt], module: TestedModule, inlined: Mapping[str, str]) -> Iterator[ast.stmt]:
    """The statements without imports of the program, and with the source of inlined modules."""
    for statement in body:
        match statement:
            case ast.ImportFrom(module=str(source)) if _last(source) in inlined:
                yield from parse(inlined[_last(source)]).body
            case ast.If(body=chosen, orelse=other) if all(_imports(part, module) for part in [*chosen, *other]):
                continue
            case _ if not _imports(statement, module):
                yield statement


def _imports(statement: ast.stmt, module: TestedModule) -> bool:
    """Whether a statement imports the tested module, names of it, or what only a test runner needs."""
    match statement:
        case ast.ImportFrom(module=source, names=aliases):
            listed = {alias.name for alias in aliases}
            from_package = _last(source or "") in module.packages and listed <= module.names
            return _last(source or "") == module.name or from_package or listed == {module.name} or source in RUNNERS
        case ast.Import(names=aliases):
            return all(_last(alias.name) == module.name or alias.name in RUNNERS for alias in aliases)
    return False


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]

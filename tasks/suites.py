"""Splits a body of test statements into single tests, each of which can pass or fail on its own.

An assert of a call with an expected result becomes a CallTest. Any other check becomes a CodeTest together with the
earlier statements that it needs. Used for `check` functions, pytest functions and scripts. Knows no file format.
"""

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

from tasks.asserts import call_test, is_vacuous
from tasks.program_text import parse, unparsed
from tasks.task import CodeTest, Test
from tasks.work_budget import WorkBudget, spend_on, tree_size

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
"""Statements that only bind names; a test that reads none of the names does not need them."""


MAX_UNITS = 1_000_000
"""Work of reading the tests of one file or row: a check repeats the statements before it, a table its function."""
FACTS = 4096
"""Statements whose names are remembered: every check looks at all statements before it."""
TEST_UNITS = 100
"""Work of a test beside the size of its statements."""


def suite_budget() -> WorkBudget:
    """The budget for the tests of one file or row."""
    return WorkBudget(MAX_UNITS, f"a test suite (at most {MAX_UNITS:,} nodes and characters in all its single tests)")


def read_suite(
    body: Iterable[ast.stmt], entry: str, setup: Sequence[ast.stmt] = (), budget: WorkBudget | None = None
) -> Iterator[Test]:
    """The tests of a body in order; `setup` are the statements before the body. OverBudget beyond the budget."""
    budget = budget or suite_budget()
    before: list[ast.stmt] = []
    calls = 0
    size = 0
    for statement in body:
        calls += _calls(statement, entry)
        size += tree_size(statement)
        if isinstance(statement, ast.Assert):
            budget.spend(size if calls == 1 else 0)
            written = _substituted(before, statement) if calls == 1 else statement
            if not is_vacuous(statement):
                yield call_test(written, entry) or code_test(before, statement, setup, budget)
            continue
        if is_check(statement):
            yield code_test(before, statement, setup, budget)
        if not _is_docstring(statement):
            before.append(statement)


def _substituted(before: Sequence[ast.stmt], statement: ast.Assert) -> ast.Assert:
    """The assert with earlier assignments substituted: `r = f(1)`, `assert r == 2` as `assert f(1) == 2`.

    The caller substitutes only after a single call of the entry: a second call could see changes of the first.
    """
    values: dict[str, ast.expr] = {}
    for earlier in before:
        match earlier:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = Renamed(values).visit(copy.deepcopy(value))
            case ast.Import() | ast.ImportFrom():
                pass
            case _:
                return statement
    uses = Counter(part.id for line in (*before, statement) for part in ast.walk(line) if _is_read(part))
    if any(uses[name] > 1 and not isinstance(value, ast.Constant) for name, value in values.items()):
        return statement  # a name used twice is one object; substituted twice it would be two
    written = Renamed(values).visit(copy.deepcopy(statement))
    assert isinstance(written, ast.Assert)
    return written


def _calls(statement: ast.stmt, entry: str) -> int:
    return sum(isinstance(part, ast.Name) and part.id == entry for part in ast.walk(statement))


def code_test(
    before: Sequence[ast.stmt], statement: ast.stmt, setup: Sequence[ast.stmt], budget: WorkBudget
) -> CodeTest:
    """The statement as a test, after the earlier statements that it needs; they are paid from the budget."""
    budget.spend(TEST_UNITS + len(before) + len(setup))
    inner = [*_needed(before, statement), statement]
    outer = _needed(setup, ast.Module(inner, []))
    spend_on(ast.Module([*outer, *inner], []), budget)
    if any(map(bound_names, inner)):
        # Names of a test must stay local: a `str = ...` here must not change the program's `str`.
        inner = [*_function("check_program", inner), *parse("check_program()").body]
    return CodeTest(unparsed(ast.Module([*outer, *inner], [])))


def _function(name: str, body: list[ast.stmt]) -> list[ast.stmt]:
    (function,) = parse(f"def {name}(): pass").body
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return [function]


@lru_cache(FACTS)
def is_check(statement: ast.AST) -> bool:
    """Whether the statement contains an assert, a raise or `pytest.raises`, so that it can fail."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(map(_can_fail, ast.walk(statement)))


def _can_fail(part: ast.AST) -> bool:
    if isinstance(part, ast.Attribute):
        return part.attr == "raises"
    return isinstance(part, ast.Assert | ast.Raise)


def _needed(before: Sequence[ast.stmt], statement: ast.AST) -> list[ast.stmt]:
    """The earlier statements that must run first: all except unused definitions and unused checks."""
    used, kept = set(read_names(statement)), []
    for earlier in reversed(before):
        optional = isinstance(earlier, DEFINITIONS) or is_check(earlier)
        if not optional or bound_names(earlier) & used:
            kept.append(earlier)
            used |= read_names(earlier)
    return kept[::-1]


@lru_cache(FACTS)
def read_names(node: ast.AST) -> frozenset[str]:
    """The names that a node reads."""
    return frozenset(part.id for part in ast.walk(node) if _is_read(part))


def _is_read(part: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)


@lru_cache(FACTS)
def bound_names(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds for later statements."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return frozenset({name})
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return frozenset((alias.asname or alias.name).partition(".")[0] for alias in aliases)
    names = (part for part in ast.walk(statement) if isinstance(part, ast.Name))
    return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))


class Renamed(ast.NodeTransformer):
    """Replaces names by expressions, and `module.name` by the plain name."""

    def __init__(self, names: dict[str, ast.expr], modules: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.modules = modules

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression for a name that is read."""
        return self.names.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """The plain name of an attribute of one of the modules."""
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return self.visit_Name(ast.Name(node.attr, node.ctx))
        visited = self.generic_visit(node)
        assert isinstance(visited, ast.expr)
        return visited


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

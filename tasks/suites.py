"""Splits a body of test statements into single tests, each of which can pass or fail on its own.

An assert of a call with an expected result becomes a CallTest. Any other check becomes a FunctionTest together with the
earlier statements that it needs: a function that returns what the check looks at. What cannot stand in a function, or
is judged better outside the program's process, stays a CodeTest. Used for `check` functions, pytest functions and
scripts. Knows no file format.
"""

import ast
import builtins
import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

from tasks.asserts import EXACT, Expectation, call_test, is_vacuous, observed
from tasks.reading.program_text import parse, unparsed
from tasks.reading.work_budget import WorkBudget, spend_on, tree_size
from tasks.task import CodeTest, FunctionTest, Test
from tasks.value import write_value

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
                yield call_test(written, entry) or _built_test(before, statement, setup, (entry, budget))
                before.append(statement)
            continue
        if is_check(statement):
            yield _built_test(before, statement, setup, (entry, budget))
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
            case ast.Import() | ast.ImportFrom() | ast.Assert():
                pass
            case _:
                return statement
    assigned = (line for line in before if not isinstance(line, ast.Assert))
    uses = Counter(part.id for line in (*assigned, statement) for part in ast.walk(line) if _is_read(part))
    if any(uses[name] > 1 and not isinstance(value, ast.Constant) for name, value in values.items()):
        return statement  # a name used twice is one object; substituted twice it would be two
    written = Renamed(values).visit(copy.deepcopy(statement))
    assert isinstance(written, ast.Assert)
    return written


def _calls(statement: ast.stmt, entry: str) -> int:
    return sum(isinstance(part, ast.Name) and part.id == entry for part in ast.walk(statement))


def _built_test(
    before: Sequence[ast.stmt], statement: ast.stmt, setup: Sequence[ast.stmt], reader: tuple[str, WorkBudget]
) -> Test:
    """A check that is no single call: a function where that is possible, else code."""
    entry, budget = reader
    bound = frozenset[str]().union(*map(bound_names, (*before, *setup)))
    if isinstance(statement, ast.Assert) and _judged_by_values(statement, entry) and not read_names(statement) & bound:
        return code_test(before, statement, setup, budget)
    return function_test(before, statement, setup, budget) or code_test(before, statement, setup, budget)


def _judged_by_values(statement: ast.Assert, entry: str) -> bool:
    """Whether the assert is an expression over calls of the entry alone, which is evaluated outside their process."""
    return read_names(statement) <= {entry, "math", *dir(builtins)}


def function_test(
    before: Sequence[ast.stmt], statement: ast.stmt, setup: Sequence[ast.stmt], budget: WorkBudget
) -> FunctionTest | None:
    """The statement as a function that returns what it looks at; None where its statements fit into no function."""
    seen = observed(statement) if isinstance(statement, ast.Assert) else Expectation(ast.Constant(True), True, EXACT)
    last = [] if isinstance(statement, ast.Assert) else [statement]
    return function_of(before, [*last, ast.Return(seen.expression)], setup, budget, seen=seen)


def function_of(
    before: Sequence[ast.stmt],
    ending: Sequence[ast.stmt],
    setup: Sequence[ast.stmt],
    budget: WorkBudget,
    *,
    seen: Expectation,
) -> FunctionTest | None:
    """A function of the earlier statements that its ending needs, and the ending, which returns what is compared."""
    budget.spend(TEST_UNITS + len(before) + len(setup))
    inner = [*_needed(before, ast.Module(list(ending), [])), *ending]
    outer = _needed(setup, ast.Module(inner, []))
    if any(map(_fits_no_function, inner)):
        return None
    spend_on(ast.Module([*outer, *inner], []), budget)
    body, module = unparsed(ast.Module(inner, [])), unparsed(ast.Module(outer, []))
    return FunctionTest(body, write_value(seen.expected), seen.comparison, module)


def _fits_no_function(statement: ast.stmt) -> bool:
    """Whether a statement means something else inside a function, or nothing there."""
    for part in ast.walk(statement):
        match part:
            case ast.ImportFrom(names=[ast.alias(name="*")]) | ast.Global() | ast.Nonlocal():
                return True
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                return True
    return False


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
    """The earlier statements that must run first: all except unused definitions and checks that change nothing."""
    used, kept = set(read_names(statement)), []
    objects = frozenset[str]().union(*(bound_names(each) for each in before if not isinstance(each, DEFINITIONS)))
    for earlier in reversed(before):
        optional = (isinstance(earlier, DEFINITIONS) and "*" not in bound_names(earlier)) or is_check(earlier)
        if not optional or (bound_names(earlier) & used and not isinstance(earlier, ast.Assert)):
            kept.append(earlier)
        elif objects & read_names(earlier) and (effects := _effects(earlier)) is not None:
            kept.append(effects)
        else:
            continue
        used |= read_names(earlier)
    return kept[::-1]


def _effects(check: ast.stmt) -> ast.stmt | None:
    """A check that calls something, without its verdict: it may change the objects that later checks look at."""
    match check:
        case ast.Assert(test=test) if any(isinstance(part, ast.Call) for part in ast.walk(test)):
            return ast.Expr(test)
        case ast.Try(orelse=[ast.Raise()]):
            return ast.Try(check.body, check.handlers, [], check.finalbody)
    return None


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

"""Edits that add what a loop or a branch forgot: a variable brought up to date, a condition before a statement.

Everything is made of variables, operations and conditions of the function itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.likely.booleans import is_condition
from envs.editing.operator_text import BINARY
from envs.editing.source_text import EditDraft, Function, SourceText
from envs.editing.variable_scopes import bound_by

_LOOPS = (ast.For, ast.While)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_MOST_NAMES = 4
_MOST_CONDITIONS = 10
_SIGNS = ("+", "-", "//", "%", "*")


def updates(page: SourceText) -> Iterator[EditDraft]:
    """In a loop: a variable that it reads and never sets is set, to another variable or to an operation on some."""
    for loop in page.statements(*_LOOPS):
        function = page.function(loop)
        if function is None:
            continue
        for name in _stale(page, loop):
            for statement in _places(page, loop):
                for text in _values(page, function, statement, name):
                    yield page.insert_after("insert-update", statement, f"{name} = {text}")


def _stale(page: SourceText, loop: ast.stmt) -> list[str]:
    """Variables bound before a loop and read in it or behind it, but not set in it."""
    inside = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
    set_inside = {node.id for node in inside if isinstance(node.ctx, ast.Store)}
    read = dict.fromkeys(node.id for node in inside if isinstance(node.ctx, ast.Load))
    own = {name for name in page.names(loop) if name not in page.scopes.data}
    function = page.function(loop)
    assert function is not None
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return [name for name in read if name in own - set_inside - given]


def _places(page: SourceText, loop: ast.stmt) -> list[ast.stmt]:
    """Statements of the loop's own body behind which another may stand."""
    body: list[ast.stmt] = loop.body  # type: ignore[attr-defined]
    return [each for each in body if page.own_lines(each) is not None and not isinstance(each, ast.Return | ast.Break)]


def _values(page: SourceText, function: Function, statement: ast.stmt, name: str) -> list[str]:
    """What a variable may be set to: a variable of its kind, or an operation of the function with any sign."""
    target = ast.Name(name, ast.Load())
    names = {*page.names(statement), *bound_by(statement)}
    near = [each for each in [*bound_by(statement), *page.near_names(statement, _MOST_NAMES)] if each != name]
    found = [each for each in near if page.kinds.alike(target, each)]
    if page.kinds.of(target) & NUMBERS or not page.kinds.of(target):
        for node in ast.walk(function):
            match node:
                case ast.BinOp(left=ast.Name(id=left), op=op, right=ast.Name() | ast.Constant(value=int()) as right):
                    needed = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                    if needed <= names and type(op) in BINARY:
                        found += [f"{left} {sign} {page.text(right)}" for sign in _SIGNS]
    return list(dict.fromkeys(found))


def conditions_before(page: SourceText) -> Iterator[EditDraft]:
    """A simple statement that is done only under a condition; or, where it holds, the rest of a loop is left out."""
    for function in page.scopes.functions.values():
        known = _conditions(page, function)
        for block in page.blocks:
            if block.owner is not function and page.function(block.owner) is not function:
                continue
            for statement in block.statements:
                lines = page.own_lines(statement)
                if not isinstance(statement, _SIMPLE) or lines is None:
                    continue
                names = set(page.names(statement))
                for text in _fitting(page, statement, known, names):
                    yield _guarded(page, statement, text)
                    if block.statements[0] is statement and isinstance(block.owner, _LOOPS):
                        unit = page.indent(statement)[len(page.indent(block.owner)) :] or "    "
                        yield page.insert_before("insert-skip", statement, f"if {text}:\n{unit}continue")


def _guarded(page: SourceText, statement: ast.stmt, condition: str) -> EditDraft:
    start, end = page.span(statement)
    indent = page.indent(statement)
    inner = page.source[start:end].replace("\n", "\n    ")
    return EditDraft("insert-if", start, end, f"if {condition}:\n{indent}    {inner}")


def _conditions(page: SourceText, function: Function) -> dict[str, frozenset[str]]:
    """Conditions of a function and their opposites, with the variables they read."""
    found: dict[str, frozenset[str]] = {}
    for node in page.loads():
        if page.function(node) is not function or not is_condition(page, node):
            continue
        if isinstance(node, ast.BoolOp | ast.Constant | ast.Name) or len(page.text(node)) > 40:
            continue
        names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name)) & set(page.names(node))
        found.setdefault(page.text(node), names)
        found.setdefault(f"not ({page.text(node)})", names)
    return found


def _fitting(page: SourceText, statement: ast.stmt, known: dict[str, frozenset[str]], names: set[str]) -> list[str]:
    """Conditions that can be asked before a statement: of variables that it reads first, then the function's own."""
    read = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    variables = [name for name in dict.fromkeys(read) if name in names and name not in page.scopes.data][:3]
    found: list[str] = []
    for name in variables:
        kinds = page.kinds.of(ast.Name(name, ast.Load()))
        if kinds & SIZED or not kinds:
            found.append(name)
        if kinds & NUMBERS:
            found += [f"{name} > 0", f"{name} != 0"]
        for other in page.near_names(statement, _MOST_NAMES):
            if other != name and page.kinds.of(ast.Name(other, ast.Load())) & {"list", "set", "dict"}:
                found.append(f"{name} not in {other}")
    found += [text for text, used in known.items() if used <= names]
    return list(dict.fromkeys(found))[:_MOST_CONDITIONS]

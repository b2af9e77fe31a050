"""Edits that add a missing update in a loop, or a missing condition before a statement.

They are built from variables, operations and conditions of the function itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.likely.booleans import is_condition
from envs.editing.operator_text import BINARY
from envs.editing.source_text import Replacement, SourceText
from envs.editing.variable_scopes import Function, bound_by

_LOOPS = (ast.For, ast.While)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_MAX_NAMES = 4
_MAX_CONDITIONS = 10
_SIGNS = ("+", "-", "//", "%", "*")


def updates(code: SourceText) -> Iterator[Replacement]:
    """Assigns a variable that a loop reads and never assigns: another variable, or an operation on variables."""
    for loop in code.statements(*_LOOPS):
        function = code.function(loop)
        if function is None:
            continue
        for name in _never_updated(code, loop):
            for statement in _places(code, loop):
                for text in _values(code, function, statement, name):
                    yield code.insert_after("insert-update", statement, f"{name} = {text}")


def _never_updated(code: SourceText, loop: ast.stmt) -> list[str]:
    """Variables that are bound before a loop and read in it, but not assigned in it."""
    inside = [node for node in ast.walk(loop) if isinstance(node, ast.Name)]
    set_inside = {node.id for node in inside if isinstance(node.ctx, ast.Store)}
    read = dict.fromkeys(node.id for node in inside if isinstance(node.ctx, ast.Load))
    own = {name for name in code.names(loop) if name not in code.scopes.module_names}
    function = code.function(loop)
    assert function is not None
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return [name for name in read if name in own - set_inside - given]


def _places(code: SourceText, loop: ast.stmt) -> list[ast.stmt]:
    """Statements of the loop's own body after which another statement can be inserted."""
    body: list[ast.stmt] = loop.body  # type: ignore[attr-defined]
    return [each for each in body if code.own_lines(each) is not None and not isinstance(each, ast.Return | ast.Break)]


def _values(code: SourceText, function: Function, statement: ast.stmt, name: str) -> list[str]:
    """Values for a variable: a variable of its type, or an operation of the function with any sign."""
    target = ast.Name(name, ast.Load())
    names = {*code.names(statement), *bound_by(statement)}
    near = [each for each in [*bound_by(statement), *code.near_names(statement, _MAX_NAMES)] if each != name]
    found = [each for each in near if code.types.compatible(target, each)]
    if code.types.of(target) & NUMBERS or not code.types.of(target):
        for node in ast.walk(function):
            match node:
                case ast.BinOp(left=ast.Name(id=left), op=op, right=ast.Name() | ast.Constant(value=int()) as right):
                    needed = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                    if needed <= names and type(op) in BINARY:
                        found += [f"{left} {sign} {code.text(right)}" for sign in _SIGNS]
    return list(dict.fromkeys(found))


def conditions_before(code: SourceText) -> Iterator[Replacement]:
    """Puts a simple statement under a condition; or adds `if condition: continue` at the start of a loop body."""
    for function in code.scopes.bodies:
        known = _conditions(code, function)
        for block in code.blocks:
            if block.owner is not function and code.function(block.owner) is not function:
                continue
            for statement in block.statements:
                lines = code.own_lines(statement)
                if not isinstance(statement, _SIMPLE) or lines is None:
                    continue
                names = set(code.names(statement))
                for text in _fitting(code, statement, known, names):
                    yield _guarded(code, statement, text)
                    if block.statements[0] is statement and isinstance(block.owner, _LOOPS):
                        unit = code.indent(statement)[len(code.indent(block.owner)) :] or "    "
                        yield code.insert_before("insert-skip", statement, f"if {text}:\n{unit}continue")


def _guarded(code: SourceText, statement: ast.stmt, condition: str) -> Replacement:
    start, end = code.span(statement)
    indent = code.indent(statement)
    inner = code.source[start:end].replace("\n", "\n    ")
    return Replacement("insert-if", start, end, f"if {condition}:\n{indent}    {inner}")


def _conditions(code: SourceText, function: Function) -> dict[str, frozenset[str]]:
    """Conditions of a function and their negations, each with the variables that it reads."""
    found: dict[str, frozenset[str]] = {}
    for node in code.loads():
        if code.function(node) is not function or not is_condition(code, node):
            continue
        if isinstance(node, ast.BoolOp | ast.Constant | ast.Name) or len(code.text(node)) > 40:
            continue
        names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name)) & set(code.names(node))
        found.setdefault(code.text(node), names)
        found.setdefault(f"not ({code.text(node)})", names)
    return found


def _fitting(code: SourceText, statement: ast.stmt, known: dict[str, frozenset[str]], names: set[str]) -> list[str]:
    """Conditions that are legal before a statement: first on variables that it reads, then those of the function."""
    read = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    variables = [name for name in dict.fromkeys(read) if name in names and name not in code.scopes.module_names][:3]
    found: list[str] = []
    for name in variables:
        types = code.types.of_name(name)
        if types & SIZED or not types:
            found.append(name)
        if types & NUMBERS:
            found += [f"{name} > 0", f"{name} != 0"]
        for other in code.near_names(statement, _MAX_NAMES):
            if other != name and code.types.of_name(other) & {"list", "set", "dict"}:
                found.append(f"{name} not in {other}")
    found += [text for text, used in known.items() if used <= names]
    return list(dict.fromkeys(found))[:_MAX_CONDITIONS]

"""Edits that insert the update of a variable that remembers something: a record, an item, a flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Replacement, SourceText
from envs.editing.variable_scopes import Function, parameters

_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.NotEq)


def records(code: SourceText) -> Iterator[Replacement]:
    """Inserts `best = x` under `if x > best:`, where nothing there assigns `best`."""
    for statement in code.statements(ast.If):
        function = code.function(statement)
        if not isinstance(statement, ast.If) or function is None:
            continue
        first = statement.body[0]
        if code.own_lines(first) is None or code.own_lines(statement.body[-1]) is None:
            continue
        for old, new in _compared(statement.test):
            if not _is_variable(function, old) or _is_stored(code, statement.body, code.text(old)):
                continue
            text = f"{code.text(old)} = {code.text(new)}"
            yield code.insert_before("insert-record", first, text)
            if len(statement.body) > 1 and not isinstance(statement.body[-1], _EXITS):
                yield code.insert_after("insert-record", statement.body[-1], text)


def _compared(test: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Both sides of each comparison by order in a condition, in both directions."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDER):
                yield right, left
                yield left, right


def _is_variable(function: Function, node: ast.expr) -> bool:
    """Whether an expression is an attribute, or a variable that its function assigns."""
    if isinstance(node, ast.Attribute):
        return True
    if not isinstance(node, ast.Name) or node.id in parameters(function):
        return False
    stores = (each for each in ast.walk(function) if isinstance(each, ast.Assign | ast.AugAssign))
    return any(_stores(each, node.id) for each in stores)


def _stores(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return any(isinstance(each, ast.Name) and each.id == name for target in targets for each in ast.walk(target))


def _is_stored(code: SourceText, block: list[ast.stmt], text: str) -> bool:
    """Whether a statement of a block stores to a variable or an attribute."""
    nodes = (node for statement in block for node in ast.walk(statement))
    return any(
        isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store) and code.text(node) == text
        for node in nodes
    )

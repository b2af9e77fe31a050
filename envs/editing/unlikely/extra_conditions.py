"""Edits that join a condition with another one, or put a condition before a statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import Replacement, SourceText
from envs.editing.unlikely.place_conditions import candidate_conditions

_MAX_RESULTS = 4
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def joined_conditions(code: SourceText) -> Iterator[Replacement]:
    """Joins the condition of an `if`, `while` or filter with another one, by `and` and by `or`."""
    for node in code.loads():
        if not is_condition(code, node) or isinstance(code.parents[node], ast.BoolOp) or code.function(node) is None:
            continue
        bound = _bound_around(code, node)
        for text in candidate_conditions(code, code.statement(node), bound):
            yield code.replace("ask-also", node, f"{code.operand(node, precedence.NOT)} and {text}", precedence.AND)
            yield code.replace("ask-also", node, f"{code.operand(node, precedence.AND)} or {text}", precedence.OR)


def _bound_around(code: SourceText, node: ast.expr) -> tuple[str, ...]:
    """Names that the comprehension around a filter binds."""
    parent = code.parents[node]
    if isinstance(parent, ast.comprehension):
        return tuple(each.id for each in ast.walk(parent.target) if isinstance(each, ast.Name))
    return ()


def before_statements(code: SourceText) -> Iterator[Replacement]:
    """Puts a simple statement under a condition."""
    for statement in code.statements(*_SIMPLE):
        lines = code.own_lines(statement)
        if lines is None or code.function(statement) is None or statement.lineno != statement.end_lineno:
            continue
        start, end = code.span(statement)
        indent, text = code.indent(statement), code.source[start:end]
        for condition in candidate_conditions(code, statement):
            yield Replacement("ask-before", start, end, f"if {condition}:\n{indent}    {text}")


def early_returns(code: SourceText) -> Iterator[Replacement]:
    """Adds `if condition: return value` before a `return`, with variables and constants as values."""
    for statement in code.statements(ast.Return):
        if not isinstance(statement, ast.Return) or statement.value is None or code.own_lines(statement) is None:
            continue
        if code.function(statement) is None:
            continue
        names = [
            each for each in code.near_names(statement, _MAX_RESULTS) if code.types.compatible(statement.value, each)
        ]
        values = [each for each in dict.fromkeys([*names, *code.expected]) if each != code.text(statement.value)]
        for condition in candidate_conditions(code, statement):
            for value in values[:_MAX_RESULTS]:
                yield code.insert_before("early-return", statement, f"if {condition}:\n    return {value}")


def loop_exits(code: SourceText) -> Iterator[Replacement]:
    """Adds `if condition: continue` or `if condition: break` before a statement of a loop."""
    for block in code.blocks:
        for statement in block.statements:
            if code.loop(statement) is None or code.own_lines(statement) is None:
                continue
            for condition in candidate_conditions(code, statement):
                for word in ("continue", "break"):
                    yield code.insert_before("ask-before", statement, f"if {condition}:\n    {word}")

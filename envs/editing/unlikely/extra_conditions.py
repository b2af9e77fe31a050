"""A condition that also asks something else, or one more before a statement: any question that has a meaning there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.unlikely.place_conditions import questions

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def joined(page: SourceText) -> Iterator[EditDraft]:
    """A condition of an `if`, `while` or filter, `and` or `or` another question."""
    for node in page.loads():
        if not is_condition(page, node) or isinstance(page.parents[node], ast.BoolOp) or page.function(node) is None:
            continue
        bound = _bound_around(page, node)
        for text in questions(page, page.statement(node), bound):
            plain = f"{page.operand(node, precedence.NOT)} and {text}"
            yield page.replace("ask-also", node, plain, precedence.AND)
            yield page.replace("ask-also", node, f"{page.operand(node, precedence.AND)} or {text}", precedence.OR)


def _bound_around(page: SourceText, node: ast.expr) -> tuple[str, ...]:
    """Names of the comprehension that a filter stands in."""
    parent = page.parents[node]
    if isinstance(parent, ast.comprehension):
        return tuple(each.id for each in ast.walk(parent.target) if isinstance(each, ast.Name))
    return ()


def before_statements(page: SourceText) -> Iterator[EditDraft]:
    """A simple statement that is done only where a question is answered with yes."""
    for statement in page.statements(*_SIMPLE):
        lines = page.own_lines(statement)
        if lines is None or page.function(statement) is None or statement.lineno != statement.end_lineno:
            continue
        start, end = page.span(statement)
        indent, text = page.indent(statement), page.source[start:end]
        for question in questions(page, statement):
            yield EditDraft("ask-before", start, end, f"if {question}:\n{indent}    {text}")


def leaving_loops(page: SourceText) -> Iterator[EditDraft]:
    """In a loop: where a question is answered with yes, the rest of it is left out, or all of it."""
    for block in page.blocks:
        for statement in block.statements:
            if page.loop(statement) is None or page.own_lines(statement) is None:
                continue
            for question in questions(page, statement):
                for word in ("continue", "break"):
                    yield page.insert_before("ask-before", statement, f"if {question}:\n    {word}")

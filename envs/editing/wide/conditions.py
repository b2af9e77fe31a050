"""A condition that also asks something else, or asks only that: any question that has a meaning there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.booleans import is_condition
from envs.editing.page import Draft, Page
from envs.editing.wide.asking import questions


def joined(page: Page) -> Iterator[Draft]:
    """A condition of an `if`, `while` or filter, `and` or `or` another question."""
    for node in page.loads():
        if not is_condition(page, node) or isinstance(page.parents[node], ast.BoolOp) or page.function(node) is None:
            continue
        bound = _bound_around(page, node)
        for text in questions(page, page.statement(node), bound):
            plain = f"{page.operand(node, precedence.NOT)} and {text}"
            yield page.replace("ask-also", node, plain, precedence.AND)
            yield page.replace("ask-also", node, f"{page.operand(node, precedence.AND)} or {text}", precedence.OR)


def _bound_around(page: Page, node: ast.expr) -> tuple[str, ...]:
    """Names of the comprehension that a filter stands in."""
    parent = page.parents[node]
    if isinstance(parent, ast.comprehension):
        return tuple(each.id for each in ast.walk(parent.target) if isinstance(each, ast.Name))
    return ()

"""Edits of what is asked: a condition joined with another, replaced, always or never true; `if` for `while`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import EditDraft, SourceText

_MOST_VARIABLES = 8


def fixed(page: SourceText) -> Iterator[EditDraft]:
    """A condition replaced by True and by False."""
    for node in _tests(page):
        parent = page.parents[node]
        for text in ("True", "False"):
            if not (isinstance(parent, ast.While) and text == "True"):  # a loop without end is no repair
                yield page.replace("condition-fixed", node, text)


def joined(page: SourceText) -> Iterator[EditDraft]:
    """A condition that also asks, or asks instead, for a variable or for another condition of the program."""
    known = _conditions_of(page)
    for node in _tests(page):
        names = page.names(node)
        written = page.text(node)
        for text, used in known.items():
            if text != written and used <= set(names) and text not in written:
                yield from _joins(page, node, "condition-join", f"({text})" if " or " in text else text)
                yield page.replace("condition-other", node, text, precedence.OR)
        for name in _asked(page, node):
            yield from _joins(page, node, "variable-join", name)
            yield from _joins(page, node, "variable-join", f"not {name}")


def joined_parts(page: SourceText) -> Iterator[EditDraft]:
    """One part of a condition that also asks for a variable."""
    for node in page.loads(ast.Compare, ast.Name, ast.Call):
        if isinstance(page.parents[node], ast.BoolOp):
            for name in _asked(page, node):
                text = f"{name} and {page.operand(node, precedence.NOT)}"
                yield page.replace("variable-join", node, text, precedence.AND)


def _joins(page: SourceText, node: ast.expr, operator: str, guard: str) -> Iterator[EditDraft]:
    """The guard comes first, so that it protects what follows."""
    yield page.replace(operator, node, f"{guard} and {page.operand(node, precedence.NOT)}", precedence.AND)
    yield page.replace(operator, node, f"{guard} or {page.operand(node, precedence.AND)}", precedence.OR)


def _tests(page: SourceText) -> Iterator[ast.expr]:
    for node in page.loads():
        if is_condition(page, node) and not isinstance(page.parents[node], ast.BoolOp):
            yield node


def _asked(page: SourceText, node: ast.expr) -> list[str]:
    """Variables whose truth may be asked for: the function's own, not mentioned yet."""
    mentioned = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return [name for name in page.near_names(node, _MOST_VARIABLES) if name not in mentioned]


def _conditions_of(page: SourceText) -> dict[str, frozenset[str]]:
    """The conditions of a program, with the variables they read."""
    found: dict[str, frozenset[str]] = {}
    for node in page.loads():
        if is_condition(page, node) and not isinstance(node, ast.BoolOp | ast.Constant | ast.Name):
            names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            variables = names & set(page.names(node))
            found.setdefault(page.text(node), variables)
    return found


def keywords(page: SourceText) -> Iterator[EditDraft]:
    """`while` for `if`, `if` for `while`, `elif` for `if` and back."""
    for statement in page.statements(ast.If, ast.While):
        start, _ = page.span(statement)
        word = page.source[start : start + 5].split(" ")[0].split("(")[0]
        others = {"if": ["while"], "while": ["if"], "elif": ["if"]}.get(word, [])
        for other in others:
            if other == "while" and getattr(statement, "orelse", None):
                continue
            yield EditDraft("keyword", start, start + len(word), other)
        block = page.block_of.get(statement)
        if word == "if" and block is not None:
            place = block.statements.index(statement)
            earlier = block.statements[place - 1] if place else None
            if isinstance(earlier, ast.If) and not earlier.orelse:
                yield EditDraft("keyword", start, start + 2, "elif")


def filters(page: SourceText) -> Iterator[EditDraft]:
    """A comprehension without its filter."""
    for node in page.nodes:
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                start, end = page.span(test)
                word = page.source.rindex("if", 0, start)
                yield EditDraft("filter-drop", word, end, "")

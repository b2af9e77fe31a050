"""Edits of conditions: join one with another, replace it, fix it to True or False; `if` for `while`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.likely.booleans import is_condition
from envs.editing.source_text import Replacement, SourceText

_MAX_VARIABLES = 8


def fixed(code: SourceText) -> Iterator[Replacement]:
    """Replaces a condition by True and by False."""
    for node in _tests(code):
        parent = code.parents[node]
        for text in ("True", "False"):
            if not (isinstance(parent, ast.While) and text == "True"):  # non-termination is no repair
                yield code.replace("condition-fixed", node, text)


def joined(code: SourceText) -> Iterator[Replacement]:
    """Joins a condition with a variable or with another condition of the program, or replaces it by the latter."""
    known = _conditions_of(code)
    for node in _tests(code):
        names = code.names(node)
        written = code.text(node)
        for text, used in known.items():
            if text != written and used <= set(names) and text not in written:
                yield from _joins(code, node, "condition-join", f"({text})" if " or " in text else text)
                yield code.replace("condition-other", node, text, precedence.OR)
        for name in _unmentioned(code, node):
            yield from _joins(code, node, "variable-join", name)
            yield from _joins(code, node, "variable-join", f"not {name}")


def joined_parts(code: SourceText) -> Iterator[Replacement]:
    """Joins one part of a condition with a variable."""
    for node in code.loads(ast.Compare, ast.Name, ast.Call):
        if isinstance(code.parents[node], ast.BoolOp):
            for name in _unmentioned(code, node):
                text = f"{name} and {code.operand(node, precedence.NOT)}"
                yield code.replace("variable-join", node, text, precedence.AND)


def _joins(code: SourceText, node: ast.expr, operator: str, guard: str) -> Iterator[Replacement]:
    """Puts the guard first, so that it protects the evaluation of the rest."""
    yield code.replace(operator, node, f"{guard} and {code.operand(node, precedence.NOT)}", precedence.AND)
    yield code.replace(operator, node, f"{guard} or {code.operand(node, precedence.AND)}", precedence.OR)


def _tests(code: SourceText) -> Iterator[ast.expr]:
    for node in code.loads():
        if is_condition(code, node) and not isinstance(code.parents[node], ast.BoolOp):
            yield node


def _unmentioned(code: SourceText, node: ast.expr) -> list[str]:
    """The nearest variables of the function that the condition does not mention."""
    mentioned = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return [name for name in code.near_names(node, _MAX_VARIABLES) if name not in mentioned]


def _conditions_of(code: SourceText) -> dict[str, frozenset[str]]:
    """The conditions of a program, each with the variables that it reads."""
    found: dict[str, frozenset[str]] = {}
    for node in code.loads():
        if is_condition(code, node) and not isinstance(node, ast.BoolOp | ast.Constant | ast.Name):
            names = frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            variables = names & set(code.names(node))
            found.setdefault(code.text(node), variables)
    return found


def keywords(code: SourceText) -> Iterator[Replacement]:
    """Replaces `if` by `while`, `while` by `if`, `if` by `elif` and `elif` by `if`."""
    for statement in code.statements(ast.If, ast.While):
        start, _ = code.span(statement)
        word = code.source[start : start + 5].split(" ")[0].split("(")[0]
        others = {"if": ["while"], "while": ["if"], "elif": ["if"]}.get(word, [])
        for other in others:
            if other == "while" and getattr(statement, "orelse", None):
                continue
            yield Replacement("keyword", start, start + len(word), other)
        block = code.block_of.get(statement)
        if word == "if" and block is not None:
            place = block.statements.index(statement)
            earlier = block.statements[place - 1] if place else None
            if isinstance(earlier, ast.If) and not earlier.orelse:
                yield Replacement("keyword", start, start + 2, "elif")


def added_filters(code: SourceText) -> Iterator[Replacement]:
    """Filters a comprehension by the truth of its item, or by the item not being None."""
    for node in code.nodes:
        if isinstance(node, ast.comprehension) and isinstance(node.target, ast.Name) and not node.ifs:
            _, end = code.span(node.iter)
            for test in (node.target.id, f"{node.target.id} is not None"):
                yield Replacement("filter-add", end, end, f" if {test}")


def filters(code: SourceText) -> Iterator[Replacement]:
    """Removes the filter of a comprehension."""
    for node in code.nodes:
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                start, end = code.span(test)
                word = code.source.rindex("if", 0, start)
                yield Replacement("filter-drop", word, end, "")

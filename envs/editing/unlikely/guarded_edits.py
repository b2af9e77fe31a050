"""Edits under a condition: the edited code runs if the condition holds, the old code otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.class_priors import CONDITIONAL
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from envs.editing.source_text import Replacement, SourceText
from envs.editing.unlikely.place_conditions import candidate_conditions
from envs.editing.variable_scopes import bound_by

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def conditional_edits(source: str, edit: Edit) -> tuple[Edit, ...]:
    """The edit under every condition that is legal at its place; empty unless it changes one simple statement."""
    code = SourceText(source)
    found: dict[bytes, Edit] = {}
    for replacement in _replacements(code, edit):
        each = code.edit(replacement)
        result = fingerprint(each.apply(source))
        if result is not None:
            found.setdefault(result, each)
    return tuple(found.values())


def accepts_condition(edit: Edit) -> bool:
    """Whether an edit inserts one line or changes text within one line, so that a condition can guard it."""
    return _is_line(edit) or (bool(edit.before) and "\n" not in edit.before + edit.after)


def _is_line(edit: Edit) -> bool:
    return not edit.before and edit.after.count("\n") == 1 and bool(edit.after.strip())


def _replacements(code: SourceText, edit: Edit) -> Iterator[Replacement]:
    if accepts_condition(edit):
        yield from (_of_insertion if _is_line(edit) else _of_replacement)(code, edit)


def _of_insertion(code: SourceText, edit: Edit) -> Iterator[Replacement]:
    """The inserted line under each condition."""
    text = edit.after.strip()
    after_statement = edit.after.startswith("\n")
    statement = _statement_on(code, edit.line, ends=after_statement)
    if statement is None:
        return
    indent = edit.after.strip("\n")[: -len(text)] if edit.after.strip("\n").endswith(text) else ""
    bound = bound_by(statement) if after_statement else ()
    for condition in candidate_conditions(code, statement, bound):
        lines = [f"{indent}if {condition}:", f"{indent}    {text}"]
        after = "".join(f"\n{line}" for line in lines) if after_statement else "".join(f"{line}\n" for line in lines)
        start = code.offset(edit.line, 0) + edit.column
        yield Replacement(CONDITIONAL, start, start, after)


def _of_replacement(code: SourceText, edit: Edit) -> Iterator[Replacement]:
    """The edited statement under each condition, with the old statement as the alternative."""
    start = code.offset(edit.line, 0) + edit.column
    end = start + len(edit.before)
    for statement in code.statements(*_SIMPLE):
        first, last = code.span(statement)
        lines = code.own_lines(statement)
        if first <= start and end <= last and lines is not None and statement.lineno == statement.end_lineno:
            break
    else:
        return
    edited = code.source[first:start] + edit.after + code.source[end:last]
    indent, old = code.indent(statement), code.source[first:last]
    for condition in candidate_conditions(code, statement):
        otherwise = f"\n{indent}{old}" if isinstance(statement, ast.Return) else f"\n{indent}else:\n{indent}    {old}"
        yield Replacement(CONDITIONAL, first, last, f"if {condition}:\n{indent}    {edited}{otherwise}")


def _statement_on(code: SourceText, line: int, *, ends: bool) -> ast.stmt | None:
    """The first statement in a function that ends on a line; with `ends=False`, that begins on it."""
    fitting = (node for node in code.nodes if isinstance(node, ast.stmt) and code.function(node) is not None)
    found = [node for node in fitting if (node.end_lineno if ends else node.lineno) == line]
    return found[0] if found else None

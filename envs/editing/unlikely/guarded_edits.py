"""An edit made under a condition: what it does happens in some cases, and in the others what the program did before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.class_priors import CONDITIONAL
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint
from envs.editing.source_text import EditDraft, SourceText
from envs.editing.unlikely.place_conditions import questions
from envs.editing.variable_scopes import bound_by

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def conditional_edits(source: str, edit: Edit) -> tuple[Edit, ...]:
    """The same edit under every question that can be asked at its place; nothing where it is no simple statement's."""
    page = SourceText(source)
    found: dict[bytes, Edit] = {}
    for draft in _drafts(page, edit):
        each = page.edit(draft)
        mark = fingerprint(each.apply(source))
        if mark is not None:
            found.setdefault(mark, each)
    return tuple(found.values())


def conditionable(edit: Edit) -> bool:
    """Whether an edit has the form that a condition can be put before: a line more, or a change within one."""
    return _is_line(edit) or (bool(edit.before) and "\n" not in edit.before + edit.after)


def _is_line(edit: Edit) -> bool:
    return not edit.before and edit.after.count("\n") == 1 and bool(edit.after.strip())


def _drafts(page: SourceText, edit: Edit) -> Iterator[EditDraft]:
    if conditionable(edit):
        yield from (_of_insertion if _is_line(edit) else _of_replacement)(page, edit)


def _of_insertion(page: SourceText, edit: Edit) -> Iterator[EditDraft]:
    """A line put in, under a condition."""
    text = edit.after.strip()
    behind = edit.after.startswith("\n")
    statement = _statement_on(page, edit.line, behind=behind)
    if statement is None:
        return
    indent = edit.after.strip("\n")[: -len(text)] if edit.after.strip("\n").endswith(text) else ""
    bound = bound_by(statement) if behind else ()
    for question in questions(page, statement, bound):
        lines = [f"{indent}if {question}:", f"{indent}    {text}"]
        after = "".join(f"\n{line}" for line in lines) if behind else "".join(f"{line}\n" for line in lines)
        start = page.offset(edit.line, 0) + edit.column
        yield EditDraft(CONDITIONAL, start, start, after)


def _of_replacement(page: SourceText, edit: Edit) -> Iterator[EditDraft]:
    """A simple statement as edited where the condition holds, as it was elsewhere."""
    start = page.offset(edit.line, 0) + edit.column
    end = start + len(edit.before)
    for statement in page.statements(*_SIMPLE):
        first, last = page.span(statement)
        lines = page.own_lines(statement)
        if first <= start and end <= last and lines is not None and statement.lineno == statement.end_lineno:
            break
    else:
        return
    edited = page.source[first:start] + edit.after + page.source[end:last]
    indent, old = page.indent(statement), page.source[first:last]
    for question in questions(page, statement):
        leaves = isinstance(statement, ast.Return)
        otherwise = f"\n{indent}{old}" if leaves else f"\n{indent}else:\n{indent}    {old}"
        yield EditDraft(CONDITIONAL, first, last, f"if {question}:\n{indent}    {edited}{otherwise}")


def _statement_on(page: SourceText, line: int, *, behind: bool) -> ast.stmt | None:
    """The statement that ends on a line, or begins on it."""
    fitting = (node for node in page.nodes if isinstance(node, ast.stmt) and page.function(node) is not None)
    found = [node for node in fitting if (node.end_lineno if behind else node.lineno) == line]
    return found[0] if found else None

"""Edits of assignments and returns: `=` for `+=`, a value kept or given back instead of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.operator_text import BINARY, between
from envs.editing.source_text import EditDraft, SourceText


def augmented(page: SourceText) -> Iterator[EditDraft]:
    """`x = y` as `x += y`, `x -= y` or `x *= y`; `x += y` as `x = y`."""
    for statement in page.statements(ast.Assign, ast.AugAssign):
        if page.function(statement) is None:
            continue
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Subscript() | ast.Attribute() as target], value=value):
                for sign in _signs(page, value):
                    draft = between(page, "augment", target, value, "=", f"{sign}=")
                    if draft:
                        yield draft
            case ast.AugAssign(target=target, op=op, value=value):
                draft = between(page, "unaugment", target, value, f"{BINARY[type(op)]}=", "=")
                if draft:
                    yield draft


def resets(page: SourceText) -> Iterator[EditDraft]:
    """`x -= 1` as `x = 0`: what is changed starts again from the plain value that the function gave it first."""
    first: dict[tuple[ast.AST, str], ast.expr] = {}
    for statement in page.statements(ast.Assign, ast.AugAssign):
        function = page.function(statement)
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if function and _is_plain(value):
                first.setdefault((function, name), value)
            case ast.AugAssign(target=ast.Name(id=name)) if function and (function, name) in first:
                start, end = page.span(statement)
                yield EditDraft("reset", start, end, f"{name} = {page.text(first[function, name])}")


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or (isinstance(value, ast.List | ast.Tuple) and not value.elts)


def _signs(page: SourceText, value: ast.expr) -> list[str]:
    known = page.kinds.of(value)
    if known and not known & (NUMBERS | SIZED):
        return []
    if known and not known & NUMBERS:
        return ["+"] if known & {"text", "list", "tuple"} else ["|"] if known & {"set"} else []
    return ["+", "-", "*"]


def results(page: SourceText) -> Iterator[EditDraft]:
    """Another variable, constant or expression given back: those that the program gives back elsewhere."""
    returned: dict[str, None] = {}
    for statement in page.statements(ast.Return):
        if isinstance(statement, ast.Return) and statement.value is not None:
            returned.setdefault(page.text(statement.value))
    for statement in page.statements(ast.Return):
        assert isinstance(statement, ast.Return)
        value = statement.value
        if value is None:
            continue
        names = [name for name in page.names(statement) if not isinstance(value, ast.Name)]
        bools = [] if page.kinds.of(value) - {"bool"} else ["True", "False"]
        constants = page.wanted if isinstance(value, ast.Constant) else ()
        for text in dict.fromkeys([*returned, *names, *bools, *constants]):
            if text != page.text(value):
                yield page.replace("result", value, text, 0)


def initial_values(page: SourceText) -> Iterator[EditDraft]:
    """A variable that starts from an item or another value of the program: `best = 0` as `best = xs[0]`."""
    for statement in page.statements(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() | float() | None) as value):
                for name in page.names(statement):
                    if page.kinds.name_may(name, frozenset({"list", "tuple"})) and page.function(statement):
                        yield page.replace("initial-value", value, f"{name}[0]")
                yield page.replace("initial-value", value, "float('-inf')")
                yield page.replace("initial-value", value, "float('inf')")

"""Edits of assignments and returns: `=` for `+=`, another initial value, another returned value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.guessed_types import NUMBERS, SIZED
from envs.editing.operator_text import BINARY, sign_replacement
from envs.editing.source_text import Replacement, SourceText


def augmented(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x = y` by `x += y`, `x -= y` or `x *= y`, and `x += y` by `x = y`."""
    for statement in code.statements(ast.Assign, ast.AugAssign):
        if code.function(statement) is None:
            continue
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Subscript() | ast.Attribute() as target], value=value):
                for sign in _signs(code, value):
                    replacement = sign_replacement(code, "augment", target, value, sign="=", after=f"{sign}=")
                    if replacement:
                        yield replacement
            case ast.AugAssign(target=target, op=op, value=value):
                replacement = sign_replacement(code, "unaugment", target, value, sign=f"{BINARY[type(op)]}=", after="=")
                if replacement:
                    yield replacement


def resets(code: SourceText) -> Iterator[Replacement]:
    """Replaces `x -= 1` by `x = 0`: the variable gets its first constant value in the function again."""
    first: dict[tuple[ast.AST, str], ast.expr] = {}
    for statement in code.statements(ast.Assign, ast.AugAssign):
        function = code.function(statement)
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if function and _is_plain(value):
                first.setdefault((function, name), value)
            case ast.AugAssign(target=ast.Name(id=name)) if function and (function, name) in first:
                start, end = code.span(statement)
                yield Replacement("reset", start, end, f"{name} = {code.text(first[function, name])}")


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or (isinstance(value, ast.List | ast.Tuple) and not value.elts)


def _signs(code: SourceText, value: ast.expr) -> list[str]:
    known = code.types.of(value)
    if known and not known & (NUMBERS | SIZED):
        return []
    if known and not known & NUMBERS:
        return ["+"] if known & {"text", "list", "tuple"} else ["|"] if known & {"set"} else []
    return ["+", "-", "*"]


def results(code: SourceText) -> Iterator[Replacement]:
    """Replaces a returned value by a variable, a constant, or an expression that the program returns elsewhere."""
    returned: dict[str, None] = {}
    for statement in code.statements(ast.Return):
        if isinstance(statement, ast.Return) and statement.value is not None:
            returned.setdefault(code.text(statement.value))
    for statement in code.statements(ast.Return):
        assert isinstance(statement, ast.Return)
        value = statement.value
        if value is None:
            continue
        names = [name for name in code.names(statement) if not isinstance(value, ast.Name)]
        bools = [] if code.types.of(value) - {"bool"} else ["True", "False"]
        constants = code.expected if isinstance(value, ast.Constant) else ()
        for text in dict.fromkeys([*returned, *names, *bools, *constants]):
            if text != code.text(value):
                yield code.replace("result", value, text, 0)


def initial_values(code: SourceText) -> Iterator[Replacement]:
    """Replaces the initial value of a variable: `best = 0` by `best = xs[0]`, or by plus or minus infinity."""
    for statement in code.statements(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int() | float() | None) as value):
                for name in code.names(statement):
                    if code.types.name_may_be(name, frozenset({"list", "tuple"})) and code.function(statement):
                        yield code.replace("initial-value", value, f"{name}[0]")
                yield code.replace("initial-value", value, "float('-inf')")
                yield code.replace("initial-value", value, "float('inf')")

"""Edits with `super()`: a missing call of the base class's method, or one in place of a method's own result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Replacement, SourceText
from envs.editing.variable_scopes import Function, parameters

_OPERATOR = "super-call"


def base_calls(code: SourceText) -> Iterator[Replacement]:
    """Calls the overridden method: at the start, as the result, joined with the result, or as the whole body."""
    for function in code.scopes.bodies:
        found = code.method(function.body[-1])
        if found is None or found[1] is not function:
            continue
        base = code.members.inherited_method(found[0], function.name)
        block = next((each for each in code.blocks if each.owner is function), None)
        if base is None or block is None or any(code.own_lines(each) is None for each in block.statements):
            continue
        for arguments in dict.fromkeys(_arguments(code, base, function)):
            yield from _with_call(code, block.statements, f"super().{function.name}({', '.join(arguments)})")


def _with_call(code: SourceText, body: tuple[ast.stmt, ...], call: str) -> Iterator[Replacement]:
    if call not in code.source:
        yield code.insert_before(_OPERATOR, body[0], call)
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Return) and node.value is not None and "super()" not in code.text(node):
                yield code.replace(_OPERATOR, node.value, call, 0)
    start, end = code.span(body[0])[0], code.span(body[-1])[1]
    if isinstance(body[-1], ast.Return):
        yield Replacement(_OPERATOR, start, end, f"return {call}")


def _arguments(code: SourceText, base: Function, own: Function) -> Iterator[tuple[str, ...]]:
    """Arguments for the base's parameters: those of the same name, else the parameters in their order."""
    wanted, given = parameters(base)[1:], parameters(own)[1:]
    needed = len(wanted) - len(base.args.defaults)
    same = [name for name in wanted if name in given]
    if set(wanted[:needed]) <= set(same):
        yield tuple(name if wanted[place] == name else f"{name}={name}" for place, name in enumerate(same))
    if len(given) >= needed:
        yield tuple(given[: len(wanted)])

"""Edits of generators and default values: `yield` for `return` or `yield from`, no mutable default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.source_text import Replacement, SourceText


def yields(code: SourceText) -> Iterator[Replacement]:
    """Replaces `yield x` by `yield from x` and by `return x`, and the reverse in functions that yield."""
    generators = {code.function(node) for node in code.nodes if isinstance(node, ast.Yield | ast.YieldFrom)} - {None}
    for statement in code.statements(ast.Expr, ast.Return):
        start = code.span(statement)[0]
        words: tuple[str, ...]
        match statement:
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                words = ("yield from", "return")
            case ast.Expr(value=ast.YieldFrom(value=value)):
                words = ("yield",)
            case ast.Return(value=ast.expr() as value) if code.function(statement) in generators:
                words = ("yield", "yield from")
            case _:
                continue
        for word in words:
            yield Replacement("yield", start, code.span(value)[0], f"{word} ")


def mutable_defaults(code: SourceText) -> Iterator[Replacement]:
    """Replaces a mutable default by None, and makes a new value at the start of the function where none is given."""
    for function in code.scopes.bodies:
        arguments = [*function.args.posonlyargs, *function.args.args]
        defaults = zip(arguments[len(arguments) - len(function.args.defaults) :], function.args.defaults, strict=True)
        block = next((each for each in code.blocks if each.owner is function), None)
        if block is None or code.own_lines(first := block.statements[0]) is None:
            continue
        for argument, default in defaults:
            if isinstance(default, ast.List | ast.Dict | ast.Set) or _is_empty_call(default):
                (start, end), body, indent = code.span(default), code.span(first)[0], code.indent(first)
                unit = indent[len(code.indent(function)) :] or "    "
                new = f"if {argument.arg} is None:\n{indent}{unit}{argument.arg} = {code.text(default)}\n{indent}"
                yield Replacement("mutable-default", start, body, f"None{code.source[end:body]}{new}")


def _is_empty_call(default: ast.expr) -> bool:
    """Whether a default is a new container: `set()`, `dict()`, `deque()`."""
    match default:
        case ast.Call(func=ast.Name(id="set" | "dict" | "list" | "deque" | "Counter"), args=[], keywords=[]):
            return True
    return False

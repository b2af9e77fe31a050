"""Code that is left as it is, one statement a line; knows nothing of operations."""

import ast
from collections.abc import Callable, Sequence

from envs.execution.decompose.function_body import text
from envs.execution.decompose.line_writer import LineWriter

Hook = Callable[[ast.stmt], bool]
"""Writes a statement in its own way and says so, or leaves it."""


def verbatim(writer: LineWriter, node: ast.stmt, reason: str | None, hook: Hook = lambda _: False) -> None:
    """Writes a statement unchanged in meaning, each simple statement on one line."""
    if hook(node):
        return
    writer.origin = node.lineno
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            for decorator in node.decorator_list:
                writer.write(f"@{text(decorator)}")
            _block(writer, _header(node), node.body, reason, hook=hook)
        case ast.Try() | ast.TryStar():
            _block(writer, "try:", node.body, None, hook=hook)
            for handler in node.handlers:
                writer.origin = handler.lineno
                _block(writer, _handler(handler, isinstance(node, ast.TryStar)), handler.body, reason, hook=hook)
            _rest(writer, "else:", node.orelse, reason, hook=hook)
            _rest(writer, "finally:", node.finalbody, reason, hook=hook)
        case ast.Match():
            with writer.block(f"match {text(node.subject)}:", reason):
                for case in node.cases:
                    writer.origin = case.pattern.lineno
                    guard = f" if {text(case.guard)}" if case.guard else ""
                    _block(writer, f"case {text(case.pattern)}{guard}:", case.body, reason, hook=hook)
        case ast.If():
            _choice(writer, node, reason, hook)
        case ast.While() | ast.For() | ast.AsyncFor() | ast.With() | ast.AsyncWith():
            _block(writer, _header(node), node.body, reason, hook=hook)
            _rest(writer, "else:", getattr(node, "orelse", []), reason, hook=hook)
        case ast.Expr(value=ast.Constant(value=words)):
            writer.write(repr(words))
        case _:
            writer.write(text(node), reason)


def _choice(writer: LineWriter, node: ast.If, reason: str | None, hook: Hook) -> None:
    """`if`, every `elif` after it, and `else`, all at the same depth."""
    word = "if"
    while True:
        writer.origin = node.lineno
        _block(writer, f"{word} {text(node.test)}:", node.body, reason, hook=hook)
        match node.orelse:
            case [ast.If() as following]:
                node, word = following, "elif"
            case rest:
                _rest(writer, "else:", rest, reason, hook=hook)
                return


def _block(writer: LineWriter, header: str, body: Sequence[ast.stmt], reason: str | None, hook: Hook) -> None:
    with writer.block(header, reason):
        for inner in body:
            verbatim(writer, inner, reason, hook)


def _rest(writer: LineWriter, header: str, body: Sequence[ast.stmt], reason: str | None, hook: Hook) -> None:
    if body:
        _block(writer, header, body, None, hook=lambda inner: hook(inner) or _written(writer, inner, reason, hook))


def _written(writer: LineWriter, node: ast.stmt, reason: str | None, hook: Hook) -> bool:
    verbatim(writer, node, reason, hook)
    return True


def _handler(node: ast.ExceptHandler, star: bool) -> str:
    kind = f" {text(node.type)}" if node.type else ""
    return f"except{'*' if star else ''}{kind}{f' as {node.name}' if node.name else ''}:"


def _header(node: ast.stmt) -> str:
    """The first line of a compound statement, without its body."""
    hollow = {"body": [ast.Pass()], "decorator_list": [], "orelse": []}
    fields = {name: hollow.get(name, value) for name, value in ast.iter_fields(node)}
    return text(type(node)(**fields, lineno=1, col_offset=0)).split("\n", 1)[0]

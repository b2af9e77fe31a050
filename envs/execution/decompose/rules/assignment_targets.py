"""Stores a value into the targets left of `=`, one store a line and in Python's order."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.expressions import atom, keep
from envs.execution.decompose.rules.object_fields import item_place


def store(body: FunctionBody, target: ast.expr, value: ast.expr) -> None:
    """Writes the lines that store an atom into a target."""
    match target:
        case ast.Name():
            _store_name(body, target.id, value)
        case ast.Attribute():
            body.writer.write(f"{text(atom(body, target.value))}.{target.attr} = {text(value)}")
        case ast.Subscript():
            body.writer.write(f"{text(item_place(body, target))} = {text(value)}")
        case ast.Tuple() | ast.List():
            unpack(body, target.elts, value)
        case _:
            raise AssertionError(f"no such target: {ast.dump(target)}")


def _store_name(body: FunctionBody, identifier: str, value: ast.expr) -> None:
    name = body.name(identifier)
    if text(value) != name:
        body.writer.write(f"{name} = {text(value)}")
    body.bind([identifier])


def unpack(body: FunctionBody, targets: Sequence[ast.expr], value: ast.expr) -> None:
    """`a, *b = value`: names are bound at once, from the first other target on by way of temporaries."""
    written: list[str] = []
    waiting: list[tuple[ast.expr, str]] = []
    for target in targets:
        inner = target.value if isinstance(target, ast.Starred) else target
        if isinstance(inner, ast.Name) and not waiting:
            name = body.name(inner.id)
        else:
            name = body.temporary()
            waiting.append((inner, name))
        written.append(f"*{name}" if isinstance(target, ast.Starred) else name)
    body.writer.write(f"{_listed(written)} = {text(value)}")
    body.bind(t.id for t in _plain(targets))
    for inner, name in waiting:
        store(body, inner, ast.Name(name, ast.Load()))


def _plain(targets: Sequence[ast.expr]) -> list[ast.Name]:
    inner = [t.value if isinstance(t, ast.Starred) else t for t in targets]
    return [t for t in inner if isinstance(t, ast.Name)]


def _listed(written: list[str]) -> str:
    if not written:
        return "[]"
    return ", ".join(written) if len(written) > 1 else f"{written[0]},"


def loop_name(body: FunctionBody, target: ast.expr) -> tuple[str, ast.expr | None]:
    """The one name that a `for` binds, and the target it must be unpacked into afterwards, if any."""
    if isinstance(target, ast.Name):
        return body.name(target.id), None
    return body.temporary(), target


def enter_loop(body: FunctionBody, target: ast.expr, name: str, rest: ast.expr | None) -> None:
    """First lines of a loop's body: from the bound name to the real target."""
    if rest is None:
        body.bind([target.id] if isinstance(target, ast.Name) else [])
    else:
        store(body, rest, ast.Name(name, ast.Load()))


def iterator(body: FunctionBody, node: ast.expr) -> ast.Name:
    """A temporary that holds the iterator of an iterable, so that a loop hides nothing."""
    return keep(body, ast.Call(ast.Name("iter", ast.Load()), [atom(body, node)], []))

"""Edits of items that a dict may lack: `d[k] = v` as `d[k] = d.get(k, 0) + v`, `d[k].append(v)` by `setdefault`.

An item counts as one of a dict where the container is guessed to be one, or nothing is known of it and its key is no
number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.guessed_types import NUMBERS
from envs.editing.operator_text import BINARY
from envs.editing.source_text import Replacement, SourceText

_LONGEST_ITEM = 60
"""Characters of an item that is written twice."""
_EMPTY = {"append": "[]", "extend": "[]", "insert": "[]", "add": "set()", "update": "set()"}
"""The empty container that a method needs."""


def accumulated(code: SourceText) -> Iterator[Replacement]:
    """Replaces `d[k] = v`, `d[k] += v` and `d[k] = d[k] + v` by `d[k] = d.get(k, 0) + v`, with its own sign."""
    for statement in code.statements(ast.Assign, ast.AugAssign):
        match statement:
            case ast.Assign(targets=[ast.Subscript() as item], value=value) if _may_be_missing(code, item):
                if isinstance(value, ast.BinOp) and code.text(value.left) == code.text(item):
                    for default in _defaults(code, value.op, value.right):
                        yield code.replace("accumulate", value.left, _get(code, item, default))
                elif ".get(" not in code.text(value):
                    yield from _sums(code, item, statement, ast.Add(), value)
            case ast.AugAssign(target=ast.Subscript() as item, op=op, value=value) if _may_be_missing(code, item):
                yield from _sums(code, item, statement, op, value)


def _sums(
    code: SourceText, item: ast.Subscript, statement: ast.stmt, op: ast.operator, value: ast.expr
) -> Iterator[Replacement]:
    start, end = code.span(statement)
    for default in _defaults(code, op, value):
        operand = code.operand(value, precedence.of_operator(op) + 1)
        text = f"{code.text(item)} = {_get(code, item, default)} {BINARY[type(op)]} {operand}"
        yield Replacement("accumulate", start, end, text)


def collected(code: SourceText) -> Iterator[Replacement]:
    """Replaces `d[k].append(v)`, `d[k] = [v]` and `d[k] = v` by `d.setdefault(k, []).append(v)`; likewise for sets."""
    for statement in code.statements(ast.Expr, ast.Assign):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript() as item, attr=method))):
                if method in _EMPTY and _may_be_missing(code, item):
                    yield code.replace("setdefault", item, _setdefault(code, item, _EMPTY[method]))
            case ast.Assign(targets=[ast.Subscript() as item], value=value) if _may_be_missing(code, item):
                for method, part in _collections_of(code, value):
                    start, end = code.span(statement)
                    text = f"{_setdefault(code, item, _EMPTY[method])}.{method}({code.text(part)})"
                    yield Replacement("setdefault", start, end, text)


def stored(code: SourceText) -> Iterator[Replacement]:
    """Replaces the statement `d.setdefault(k, v)` by `d[k] = v`."""
    for statement in code.statements(ast.Expr):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="setdefault"), args=[key, value])):
                text = f"{code.operand(owner, precedence.ATOM)}[{code.text(key)}] = {code.text(value)}"
                yield Replacement("setdefault", *code.span(statement), text)


def _collections_of(code: SourceText, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """How a value is collected: the method of the collection, and what it takes."""
    match value:
        case ast.List(elts=[part]):
            yield "append", part
        case ast.Set(elts=[part]):
            yield "add", part
        case ast.Name() if not code.types.of(value) & NUMBERS:
            yield "append", value


def _may_be_missing(code: SourceText, item: ast.Subscript) -> bool:
    """Whether an item is one of a dict, and short enough to be written twice."""
    if isinstance(item.slice, ast.Slice) or len(code.text(item)) > _LONGEST_ITEM or "\n" in code.text(item):
        return False
    known = code.types.of(item.value)
    return "dict" in known if known else not code.types.of(item.slice) & NUMBERS


def _defaults(code: SourceText, op: ast.operator, value: ast.expr) -> list[str]:
    """What a missing item counts as, by the sign and the type of the other operand."""
    known = code.types.of(value)
    if known and not known & NUMBERS:
        texts = {"text": "''", "list": "[]", "tuple": "()"} if isinstance(op, ast.Add) else {"set": "set()"}
        return [text for name, text in texts.items() if name in known and isinstance(op, ast.Add | ast.BitOr)]
    return ["1"] if isinstance(op, ast.Mult) else ["0"] if isinstance(op, ast.Add | ast.Sub) else []


def _get(code: SourceText, item: ast.Subscript, default: str) -> str:
    return f"{code.operand(item.value, precedence.ATOM)}.get({_key(code, item)}, {default})"


def _setdefault(code: SourceText, item: ast.Subscript, default: str) -> str:
    return f"{code.operand(item.value, precedence.ATOM)}.setdefault({_key(code, item)}, {default})"


def _key(code: SourceText, item: ast.Subscript) -> str:
    """The key as an argument; a tuple in parentheses."""
    text = code.text(item.slice)
    return f"({text})" if isinstance(item.slice, ast.Tuple) and not text.startswith("(") else text

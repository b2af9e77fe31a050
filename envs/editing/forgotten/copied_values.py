"""Edits that make a copy where several places share one value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing import precedence
from envs.editing.source_text import Replacement, SourceText

_HOLDERS = frozenset({"list", "dict", "set"})
_KEEPING_METHODS = ("append", "add", "appendleft", "insert", "setdefault")


def copied_rows(code: SourceText) -> Iterator[Replacement]:
    """Copies the rows too: `list(xs)` as `[row[:] for row in xs]`, and `[row] * n` as a row of its own each time."""
    for node in code.loads():
        match node:
            case (
                ast.Call(func=ast.Name(id="list" | "copy"), args=[rows], keywords=[])
                | ast.Call(func=ast.Attribute(value=rows, attr="copy"), args=[], keywords=[])
                | ast.Subscript(value=rows, slice=ast.Slice(lower=None, upper=None, step=None))
            ):
                yield code.replace("copy-rows", node, f"[row[:] for row in {code.operand(rows, precedence.OR)}]")
            case ast.BinOp(left=ast.List(elts=[row]), op=ast.Mult(), right=count) if not isinstance(row, ast.Constant):
                yield code.replace("copy-rows", node, f"[{code.text(row)} for _ in range({code.text(count)})]")


def copied_when_kept(code: SourceText) -> Iterator[Replacement]:
    """Copies a collection that is assigned, returned or put into another one: `kept.append(path)`."""
    for node in code.loads(ast.Name, ast.Attribute):
        types = code.types.of(node)
        if (types and not types & _HOLDERS) or code.is_callee(node) or not _is_kept(code, node):
            continue
        if not isinstance(node, ast.Name) or node.id in code.names(node):
            yield code.replace("copy-value", node, f"{code.text(node)}.copy()")


def _is_kept(code: SourceText, node: ast.expr) -> bool:
    """Whether a value gets another name or a place in a collection."""
    match code.parents[node]:
        case ast.Assign(value=value) | ast.Yield(value=value):
            return node is value
        case ast.Return():
            return isinstance(node, ast.Attribute)
        case ast.Call(func=ast.Attribute(attr=method), args=args):
            return method in _KEEPING_METHODS and node in args
    return False

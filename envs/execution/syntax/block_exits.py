"""Which jumps lead out of a block: facts about syntax that decide how loops and `with` are written."""

import ast
from collections.abc import Sequence

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def leaves_outer(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` or `continue` in here belongs to a loop further out."""
    for node in statements:
        if isinstance(node, ast.Break | ast.Continue):
            return True
        inner = node.orelse if isinstance(node, _LOOPS) else _statements(node)
        if leaves_outer(inner):
            return True
    return False


def breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` in here belongs to a loop further out."""
    return any(
        isinstance(node, ast.Break) or breaks(node.orelse if isinstance(node, _LOOPS) else _statements(node))
        for node in statements
    )


def leaves_block(statements: Sequence[ast.stmt]) -> bool:
    """Whether control can leave in the middle, by `return`, `break` or `continue`."""
    return _returns(statements) or leaves_outer(statements)


def _returns(statements: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) or _returns(_statements(node)) for node in statements)


def _statements(node: ast.stmt) -> list[ast.stmt]:
    """Statements in all blocks of a statement; a function's or class's own are none of ours."""
    if isinstance(node, _SCOPES):
        return []
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found.extend(child.body)
    return found

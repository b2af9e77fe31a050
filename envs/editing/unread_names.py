"""Names that a function binds and never reads: parameters, and variables it assigns, unpacks or walks over.

Such a name says more of a mistake than most of a program. Left out are names that programs often leave unread: those
that begin with `_`, the number of `for i in range(n)`, and parameters of functions that only stand for others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envs.editing.variable_scopes import Function, parameters


def unread(function: Function, *, with_parameters: bool = True) -> list[str]:
    """The names that a function binds and never reads, parameters first; adding to a name is no read."""
    nodes = list(ast.walk(function))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    known = {node.id for node in names if not isinstance(node.ctx, ast.Store)} | shared | {"self", "cls"}
    known |= {name for node in nodes for name in _counters(node)}
    own = parameters(function) if with_parameters and not _is_empty(function) else []
    bound = dict.fromkeys([*own, *(node.id for node in names)])
    return [name for name in bound if name not in known and not name.startswith("_")]


def _counters(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
            yield name


def _is_empty(function: Function) -> bool:
    """Whether a function raises or does nothing, apart from saying what it stands for."""
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    return all(isinstance(each, ast.Pass | ast.Raise) for each in body)

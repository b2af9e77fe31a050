"""Variables that are bound at each place: parameters, variables bound before, and names of the module.

A variable counts as bound at a place if its binding is above it, or below it in a loop around both. This is an
estimate: edits do not use names that are probably unbound. Knows the syntax tree and no source text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envs.execution.syntax import bindings

Function = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


class Scopes:
    """The names that each function, lambda and comprehension of a module binds."""

    def __init__(self, tree: ast.Module) -> None:
        methods = {each for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for each in node.body}
        self.bodies = [node for node in ast.walk(tree) if isinstance(node, Function)]
        """Every function and method."""
        self.functions = {node.name: node for node in self.bodies if node not in methods}
        """Functions that can be called by their names."""
        self.module_names = [name for statement in tree.body for name, _ in _bindings(statement)]
        """Variables of the module."""
        self._bound: dict[ast.AST, dict[str, int]] = {}
        """For each scope its names with the line of the first binding; 0 for parameters."""
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.Lambda):
                self._bound[node] = dict.fromkeys(parameters(node), 0)
            elif isinstance(node, _COMPREHENSIONS):
                targets = [each.target for each in node.generators]
                self._bound[node] = {name: 0 for target in targets for name in _targets(target)}
            if isinstance(node, Function):
                for name, line in _bindings_in(node):
                    self._bound[node].setdefault(name, line)

    def visible(self, node: ast.AST, statement: ast.stmt, parents: Mapping[ast.AST, ast.AST]) -> tuple[str, ...]:
        """Names that are bound at a node, innermost scope first."""
        found: dict[str, None] = {}
        loop: ast.AST | None = None
        while True:
            if isinstance(node, _LOOPS):
                loop = node
            if node in self._bound:
                limit = statement.lineno if loop is None else (getattr(loop, "end_lineno", 0) or 0) + 1
                bound = self._bound[node].items()
                found.update(dict.fromkeys(name for name, line in bound if line < limit))
                if isinstance(node, Function):
                    loop = None
                    statement = node
            if node not in parents:
                break
            node = parents[node]
        found.update(dict.fromkeys(self.module_names))
        return tuple(name for name in found if name not in ("self", "cls", "_"))


def parameters(node: Function | ast.Lambda) -> list[str]:
    """The names of a function's parameters, in order."""
    return bindings.parameters(node.args)


def _targets(target: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _bindings(statement: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that a statement itself binds, each with its line."""
    targets: list[ast.AST] = []
    match statement:
        case ast.Assign(targets=each):
            targets = list(each)
        case ast.AugAssign(target=each) | ast.AnnAssign(target=each, value=ast.expr()) | ast.For(target=each):
            targets = [each]
        case ast.NamedExpr(target=each):
            targets = [each]
        case ast.With(items=items):
            targets = [item.optional_vars for item in items if item.optional_vars]
        case ast.ExceptHandler(name=str(name)):
            yield name, statement.lineno
    for target in targets:
        for node in bindings.stored_nodes(target):
            yield node.id, node.lineno


def _bindings_in(function: Function) -> Iterator[tuple[str, int]]:
    """Bindings in a function's own body, in source order; nested functions and classes are left out."""
    pending: list[ast.AST] = list(reversed(function.body))
    while pending:
        node = pending.pop()
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        yield from _bindings(node)
        pending.extend(reversed(list(ast.iter_child_nodes(node))))


def bound_by(statement: ast.stmt) -> tuple[str, ...]:
    """The names that an assignment binds; none for any other statement."""
    return tuple(bindings.stored_names(statement)) if isinstance(statement, ast.Assign | ast.AugAssign) else ()

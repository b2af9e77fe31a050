"""Where a program asks `decimal` for its context: how many digits results have and how they are rounded.

The library keeps the context for all lines, and no frame shows it. Knows only syntax.
"""

import ast
from collections.abc import Iterator

from envs.execution.syntax.program_structure import Function, children_of, nodes_of, nodes_of_program

_ASKING = frozenset({"getcontext", "setcontext", "localcontext", "DefaultContext"})


class DecimalContexts:
    """The uses of the context in one program."""

    def __init__(self, tree: ast.Module) -> None:
        imports = [node for node in nodes_of_program(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        self._modules = {
            alias.asname or alias.name
            for node in imports
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name == "decimal"
        }
        self._names = {
            alias.asname or alias.name
            for node in imports
            if isinstance(node, ast.ImportFrom) and node.module == "decimal"
            for alias in node.names
            if alias.name in _ASKING
        }
        asking = (part.lineno for part in _outside(tree) if self._asks(part))
        self.module_line = next(asking, None) if self else None
        """The line of the module that may have changed the context before any function ran; None if there is none."""

    def __bool__(self) -> bool:
        return bool(self._modules or self._names)

    def asks(self, node: ast.AST) -> bool:
        """Whether a line asks for the context."""
        return any(map(self._asks, nodes_of(node)))

    def _asks(self, node: ast.AST) -> bool:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                return name in self._names
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                return module in self._modules and name in _ASKING
        return False


def _outside(tree: ast.Module) -> Iterator[ast.expr]:
    """The expressions that run when the module is loaded."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.expr):
            yield node
        pending += [] if isinstance(node, Function | ast.Lambda) else children_of(node)

"""What rules say of a function of the program by its definition: its name, its docstring, which attributes it lacks.

A frame writes a function as its name and line. A line that sets an attribute of one is refused
(`hidden_attributes.py`), so a function has no more attributes than all have, but for those that are set while the
module is loaded: in a program that does so nothing is said. Knows syntax and texts.
"""

import ast
import re
import types
from collections.abc import Callable
from functools import cached_property

from envs.execution.syntax.bindings import binds
from envs.execution.syntax.program_structure import nodes_of, nodes_of_program

_OF_ALL = frozenset(dir(types.FunctionType))
_INNER = re.compile(r"[^\W\d]\w*@(\d+)\(")
_CHANGING = frozenset({"setattr", "wraps", "update_wrapper", "__dict__", "vars", "partial", "hasattr"})
"""Names by which a program could give functions attributes without a line that says so; `hasattr` if it is bound."""


class FunctionAttributes:
    """The functions of one program."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @cached_property
    def _definitions(self) -> dict[int, ast.FunctionDef]:
        return {node.lineno: node for node in nodes_of_program(self._tree) if isinstance(node, ast.FunctionDef)}

    @cached_property
    def _is_plain(self) -> bool:
        """Whether no function has an attribute that not all have."""
        nodes = nodes_of_program(self._tree)
        named = {node.id for node in nodes if isinstance(node, ast.Name)} - {"hasattr"}
        named |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        named |= {name for node in nodes if not isinstance(node, ast.alias) for name in binds(node)}
        return not _CHANGING & named and not _sets_while_loading(self._tree)

    def text(self, node: ast.expr, read: Callable[[ast.Name], str]) -> str | None:
        """The text of a docstring, or whether an inner function has an attribute; None where no rule says it."""
        match node:
            case ast.Attribute(ast.Name() as owner, "__doc__"):
                return self._docstring(read(owner))
            case ast.Call(func=ast.Name("hasattr"), args=[ast.Name() as owner, ast.Constant(str(name))], keywords=[]):
                known = self._is_plain and self._definition(read(owner)) is not None
                return repr(name in _OF_ALL) if known else None
        return None

    def _definition(self, text: str) -> ast.FunctionDef | None:
        """The definition of an inner function that is no lambda and that no decorator has changed."""
        match = _INNER.match(text)
        found = self._definitions.get(int(match[1])) if match else None
        return None if found is None or found.decorator_list else found

    def _docstring(self, text: str) -> str | None:
        node = self._definition(text)
        if node is None or not self._is_plain:
            return None
        said = ast.get_docstring(node, clean=False)
        return None if said is not None and "\n" in said else repr(said)  # Python 3.13 takes the indentation off


def _sets_while_loading(tree: ast.Module) -> bool:
    """Whether a line of the module itself sets an attribute."""
    plain = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        for statement in plain
        for node in nodes_of(statement)
    )

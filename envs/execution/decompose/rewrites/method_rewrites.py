"""`queue.rotate(2)` of a deque, written as a function that moves one item at a time.

The function looks at the exact type that it is given, and leaves anything else to Python.
"""

import ast

from envs.execution.decompose.rewrites.library_names import (
    fresh_name,
    hides_names,
    library_functions,
    occurring_names,
    rebound_builtins,
)
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed

_ROTATE = """
def NAME(queue, count):
    if type(queue) is OWNER and len(queue) > 1:
        turns = count % len(queue)
        if turns:
            for turn in range(turns):
                queue.appendleft(queue.pop())
            return None
    return queue.rotate(count)
"""
_DEQUE = "collections.deque"
_USED = frozenset({"type", "len", "range"})
_MOST_PLACES = 2**31
"""More places than that may be more than the library can take."""


@rewriting({"collections"}, {"rotate"})
def with_written_methods(tree: ast.Module) -> ast.Module:
    """The program with such lines as calls; the same tree where there is none."""
    deques = list(library_functions(tree, [_DEQUE]))
    if not deques or hides_names(tree) or rebound_builtins(tree) & _USED:
        return tree
    if any(isinstance(node, ast.FunctionDef) and node.name == "rotate" for node in ast.walk(tree)):
        return tree
    rewriting = _Methods(fresh_name("_rotate", occurring_names(tree)), deques[0])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.made) if rewriting.made else tree


class _Methods(ast.NodeTransformer):
    """The rewriting of one program."""

    def __init__(self, name: str, deque: str) -> None:
        self._name = name
        self._deque = deque
        self.made: list[ast.stmt] = []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call, or that of a function that does the same line by line."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=queue, attr="rotate"), args=[count], keywords=[]):
                return self._called(node, [queue, count]) if _is_written(count) else node
        return node

    def _called(self, node: ast.expr, given: list[ast.expr]) -> ast.expr:
        if not self.made:
            source = _ROTATE.replace("NAME", self._name).replace("OWNER", self._deque)
            self.made = placed(ast.parse(source).body, node.lineno)
        called = ast.Call(ast.Name(self._name, ast.Load()), given, [])
        return ast.fix_missing_locations(ast.copy_location(called, node))


def _is_written(count: ast.expr) -> bool:
    """Whether the number of places is written down: then nothing can fail before the method is looked up."""
    value = count.operand if isinstance(count, ast.UnaryOp) and isinstance(count.op, ast.USub) else count
    if not isinstance(value, ast.Constant) or type(value.value) is not int:
        return False
    return value.value < _MOST_PLACES

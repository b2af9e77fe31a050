"""The dict of an object that a function keeps under a name, asked for anew wherever the name stands.

    fields = vars(point)                    vars(point)
    for name in fields: ...         ->      for name in vars(point): ...

It is the same dict each time, and rules know a line that asks an object for it. The name and the object's must be bound
once, the name by a line of the function's own body in front of all its uses. Knows only syntax.
"""

import ast
from collections import Counter
from collections.abc import Sequence

from envs.execution.decompose.rewrites.library_names import hides_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_SHARING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal)
"""What could use the names at another time, or bind them elsewhere."""
_BOUND_ELSEWHERE = (ast.NamedExpr, ast.Delete, ast.ExceptHandler, ast.Match)


@rewriting({"vars", "__dict__"}, in_place=True)
def with_asked_dicts(tree: ast.Module) -> ast.Module:
    """The program with such names replaced; changes its functions."""
    nodes = nodes_of(tree)
    if not any(isinstance(node, ast.Assign) and _asked(node.value) for node in nodes):
        return tree
    if hides_names(tree) or "vars" in rebound_builtins(tree):
        return tree
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            _replace(node)
    return ast.fix_missing_locations(tree)


def _asked(node: ast.expr) -> str:
    """The name of the object whose dict an expression asks for; empty for any other."""
    match node:
        case ast.Call(func=ast.Name("vars"), args=[ast.Name(id=owner)], keywords=[]):
            return owner
        case ast.Attribute(value=ast.Name(id=owner), attr="__dict__"):
            return owner
    return ""


def _replace(function: ast.FunctionDef) -> None:
    inside = [node for statement in function.body for node in nodes_of(statement)]
    if any(isinstance(node, _SHARING + _BOUND_ELSEWHERE) for node in inside):
        return
    times = Counter(bound_in(function))
    for place, statement in enumerate(function.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if owner := _asked(value):
                before = _named(function.body[:place])
                if times[name] == times[owner] == 1 and name not in before and (owner in before | _given(function)):
                    body = [_Replacing(name, value).visit(each) for each in function.body[place + 1 :]]
                    asked = ast.copy_location(ast.Expr(value), statement)
                    function.body[place:] = [asked, *body]


def _named(statements: Sequence[ast.stmt]) -> set[str]:
    return {node.id for each in statements for node in nodes_of(each) if isinstance(node, ast.Name)}


def _given(function: ast.FunctionDef) -> set[str]:
    return {node.arg for node in nodes_of(function.args) if isinstance(node, ast.arg)}


class _Replacing(ast.NodeTransformer):
    """Writes the question for the dict in the place of the name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._asked_again() if node.id == self._name else node

    def _asked_again(self) -> ast.expr:
        return ast.parse(ast.unparse(self._value), mode="eval").body

"""Classes that a decorator puts a function in the place of: the class stays, and the function gets a name of its own.

    @singleton                  class Palette: ...
    class Palette: ...          _decorated_Palette = singleton(Palette)     and every use means `_decorated_Palette`

Frames write a class by its name in the module, which such a decorator takes away. It counts if it is a function of the
program that returns a function made in it and sets no attribute of the class. Knows only syntax.
"""

import ast
from collections import Counter

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names
from envs.execution.decompose.rewrites.preconditions import DECORATED_CLASS, rewriting
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.program_structure import nodes_of

_CHANGING = frozenset({"setattr", "delattr", "vars", "type", "wraps", "update_wrapper"})


@rewriting({DECORATED_CLASS})
def with_named_classes(tree: ast.Module) -> ast.Module:
    """The program with such classes named; the same tree where there is none."""
    if not any(isinstance(node, ast.ClassDef) and node.decorator_list for node in tree.body):
        return tree
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    times = Counter(bound_in(tree))
    found: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name, decorator_list=[ast.Name(id=decorator)]) if decorator in functions:
                if times[name] == times[decorator] == 1 and _replaces(functions[decorator]):
                    found[name] = fresh_name(f"_decorated_{name}", occurring_names(tree))
    if not found or hides_names(tree):
        return tree
    renaming = _Renaming(found)
    body: list[ast.stmt] = []
    for node in tree.body:
        body.append(renaming.visit(node))
        if isinstance(node, ast.ClassDef) and node.name in found:
            made = ast.Call(node.decorator_list.pop(), [ast.Name(node.name, ast.Load())], [])
            body.append(ast.copy_location(ast.Assign([ast.Name(found[node.name], ast.Store())], made), node))
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _replaces(function: ast.FunctionDef) -> bool:
    """Whether a function of one class returns a function that it makes, and leaves the class as it is."""
    inner = [each.name for each in function.body if isinstance(each, ast.FunctionDef)]
    last, given = function.body[-1], function.args
    if function.decorator_list or len(given.args) != 1 or given.vararg or given.kwarg or given.kwonlyargs:
        return False
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Name) and last.value.id in inner):
        return False
    for node in nodes_of(function):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), ctx=ast.Store() | ast.Del()) if owner == given.args[0].arg:
                return False
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _CHANGING:
                return False
    return True


class _Renaming(ast.NodeTransformer):
    """Lets uses of a class mean what its decorator made of it."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

"""Names of classes that mean more than one thing, so that a value's text does not tell its class. Knows only syntax."""

import ast

from envs.execution.syntax.bindings import imported_name
from envs.execution.syntax.program_structure import Function, nodes_of


def shared_name(tree: ast.Module, name: str) -> str:
    """Why the name of a class of the module does not tell which class an object is of; empty where it does."""
    if any(_deletes(node, name) for node in tree.body):
        return "a class that the module deletes"
    if _times_bound(tree, name) > 1:
        return "a class bound twice"
    return "a class with the name of one of the library's" if _means_library(tree, name) else ""


def _deletes(node: ast.stmt, name: str) -> bool:
    parts = node.targets if isinstance(node, ast.Delete) else []
    return any(isinstance(each, ast.Name) and each.id == name for part in parts for each in ast.walk(part))


def _times_bound(tree: ast.Module, name: str) -> int:
    return sum(
        1
        for node in tree.body
        for each in ([node] if isinstance(node, Function | ast.ClassDef) else ast.walk(node))
        if (isinstance(each, Function | ast.ClassDef) and each.name == name)
        or (isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load))
    )


def _means_library(tree: ast.Module, name: str) -> bool:
    """Whether the program takes something of that name from a module: `collections.deque`, `import deque as queue`."""
    nodes = nodes_of(tree)
    modules = {imported_name(alias) for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=attr) if attr == name and module in modules:
                return True
            case ast.ImportFrom(names=aliases) if any(alias.name == name for alias in aliases):
                return True
    return False

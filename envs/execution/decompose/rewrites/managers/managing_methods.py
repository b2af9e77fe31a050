"""Methods that `contextlib.contextmanager` decorates, and the names that surely hold objects which have them.

A method counts if nothing else in the program has its name; a name counts if it is a method's first parameter, or bound
by nothing but a call of the class. Knows no `with`; `context_managers.py` puts the method's lines in its place.
"""

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envs.execution.syntax.bindings import binds
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of


@dataclass(frozen=True, slots=True)
class ManagingMethod:
    """A method that manages a `with`, and its class."""

    owner: str
    node: ast.FunctionDef

    def remove(self, body: Sequence[ast.stmt]) -> None:
        """Take the method out of its class, once nothing asks for it any more."""
        for each in body:
            if isinstance(each, ast.ClassDef) and each.name == self.owner:
                each.body = [part for part in each.body if part is not self.node] or [ast.Pass()]


def managing_methods(tree: ast.Module, manages: Callable[[ast.FunctionDef], bool]) -> dict[str, ManagingMethod]:
    """Such methods by name, of classes without bases that are bound once."""
    nodes = nodes_of(tree)
    times = Counter(name for node in nodes for name in binds(node))
    stored = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}
    found: dict[str, ManagingMethod] = {}
    if any(isinstance(node, ast.Name) and node.id == "setattr" for node in nodes):
        return found
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef) or owner.bases or owner.keywords or times[owner.name] > 1:
            continue
        if owner.decorator_list and not all(map(_is_dataclass, owner.decorator_list)):
            continue
        for node in owner.body:
            if not (isinstance(node, ast.FunctionDef) and node.decorator_list and node.args.args and manages(node)):
                continue
            if times[node.name] == 1 and node.name not in stored and not _needs_class(node):
                found[node.name] = ManagingMethod(owner.name, node)
    return found


def _is_dataclass(node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    return ast.unparse(made) in ("dataclass", "dataclasses.dataclass")


def _needs_class(node: ast.FunctionDef) -> bool:
    """Whether its lines mean something else outside their class: private names, `super`."""
    private = [each.attr for each in nodes_of(node) if isinstance(each, ast.Attribute)]
    private += [each.id for each in nodes_of(node) if isinstance(each, ast.Name)]
    return any(name.startswith("__") and not name.endswith("__") for name in private) or "super" in private


def receivers(node: ast.FunctionDef, around: str) -> dict[str, str]:
    """Names of a function that surely hold an object of a class, with the class; `around` is the one it stands in."""
    bound: Counter[str] = Counter()
    made: dict[str, str] = {}
    for each in own_nodes(node):
        bound.update(binds(each))
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=kind))):
                made[name] = kind
    found = {name: kind for name, kind in made.items() if bound[name] == 1 and name not in _parameters(node)}
    first = node.args.args[0].arg if node.args.args else ""
    is_static = any(isinstance(each, ast.Name) and each.id != "property" for each in node.decorator_list)
    if around and first and not bound[first] and not is_static:
        found[first] = around
    return found


def _parameters(node: ast.FunctionDef) -> set[str]:
    return {each.arg for each in nodes_of(node.args) if isinstance(each, ast.arg)}

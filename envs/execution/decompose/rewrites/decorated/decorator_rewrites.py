"""Decorated functions written as a plain function and a call: the decorator's lines become steps.

    @logged                 def add(a, b): ...
    def add(a, b): ...      _logged_add = logged(add)      and every use of `add` means `_logged_add`

A decorator counts if it is a function of the program, a method of one of its objects, or a call of either. In a
function the decorated name is bound again behind the `def`. `functools.wraps` is left out where nothing can ask for
what it copies. The decorated entry of a program stays as it is.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Set

from envs.execution.decompose.rewrites.decorated.cache_rewrites import CACHES, cached_functions
from envs.execution.decompose.rewrites.library_names import hides_names, library_functions, occurring_names
from envs.execution.decompose.rewrites.preconditions import DECORATED_FUNCTION, rewriting_with_entry
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.name_scopes import own_nodes
from envs.execution.syntax.program_structure import nodes_of, steps_below

_WRAPS = frozenset({"wraps", "functools.wraps"})
_COPIED = frozenset({"__name__", "__doc__", "__wrapped__", "__qualname__", "__module__", "__dict__", "inspect", "help"})
"""What may tell a function that `wraps` has changed from one that it has not."""


@rewriting_with_entry({DECORATED_FUNCTION})
def with_plain_functions(tree: ast.Module, entry: str) -> ast.Module:
    """The program with such functions rewritten; the same tree where no function of its own decorates."""
    if not any(map(_decorators, steps_below(tree))):
        return tree
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} | set(_registering(tree))
    inner = [each for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) for each in own_nodes(node)]
    decorators = [each for node in tree.body for each in _decorators(node)]
    if not any(map(_decorators, inner)) and not any(_decorates(each, functions) for each in decorators):
        return tree
    times = Counter(bound_in(tree))
    if not _is_copied_name_seen(tree):
        _Unwrapping().visit(tree)
    taken = {node.id for node in nodes_of(tree) if isinstance(node, ast.Name)} | set(times)
    body: list[ast.stmt] = []
    renamed: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list or node.name == entry:
            body.append(node)
            continue
        if times[node.name] != 1 or not all(_decorates(each, functions) for each in node.decorator_list):
            body.append(node)
            continue
        if _calls_in_defaults(node):
            body.append(node)
            continue
        name = f"_decorated_{node.name}"
        while name in taken:
            name += "_"
        renamed[node.name] = name
        body += _split(node, name)
    renaming = _Renaming(renamed)
    nested = _Nested(_cached(tree))
    made = ast.Module([renaming.visit(nested.visit(each)) for each in body], tree.type_ignores)
    return ast.fix_missing_locations(made)


def _cached(tree: ast.Module) -> Set[str]:
    """Functions that another rewriting writes out, with the results that they keep."""
    library = library_functions(tree, CACHES)
    return set() if hides_names(tree) else cached_functions(tree, library, occurring_names(tree)).keys()


def _decorators(node: ast.AST) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, ast.FunctionDef) else []


def _calls_in_defaults(node: ast.FunctionDef) -> bool:
    """Whether defaults or annotations may do something, which comes after what makes the decorators."""
    parts = nodes_of(node.args) + (nodes_of(node.returns) if node.returns else [])
    made = any(isinstance(each, ast.Call) for each in node.decorator_list)
    return made and any(isinstance(each, ast.Call) for each in parts)


def _decorates(node: ast.expr, functions: set[str]) -> bool:
    """Whether a decorator is a function of the program, or what a call of one gives, or one of an object's methods."""
    made = node.func if isinstance(node, ast.Call) else node
    return isinstance(made, ast.Name | ast.Attribute) and ast.unparse(made) in functions


def _registering(tree: ast.Module) -> Iterator[str]:
    """Methods of the module's own objects, `registry.register`, whose classes and names are bound once."""
    times = Counter(bound_in(tree))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and not node.bases}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=owner))) if owner in classes:
                methods = [each.name for each in classes[owner].body if isinstance(each, ast.FunctionDef)]
                if times[name] == times[owner] == 1:
                    yield from (f"{name}.{each}" for each in methods)


def _split(node: ast.FunctionDef, name: str) -> list[ast.stmt]:
    """The bare function, and the name that holds what its decorators make of it."""
    value: ast.expr = _Bare(node.name, ast.Load())
    for decorator in reversed(node.decorator_list):
        value = ast.Call(decorator, [value], [])
    node.decorator_list = []
    bound = ast.Assign([ast.Name(name, ast.Store())], value)
    return [node, ast.fix_missing_locations(ast.copy_location(bound, node))]


class _Bare(ast.Name):
    """The name of the function itself, which is not renamed."""


class _Renaming(ast.NodeTransformer):
    """Lets uses of a decorated function mean the decorated one."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit__Bare(self, node: _Bare) -> ast.Name:
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)


class _Nested(ast.NodeTransformer):
    """Binds a decorated function of a function's body again behind its `def`."""

    def __init__(self, left: Set[str]) -> None:
        """Functions of these names keep their decorators."""
        self._left = left
        self._inside = False

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                self._enter(each)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | list[ast.stmt]:
        inside = self._inside
        self._enter(node)
        if not inside or not node.decorator_list or node.name in self._left:
            return node
        decorators, node.decorator_list = node.decorator_list, []
        held = [f"_decorator_{node.name}_{place}" for place in range(len(decorators))]
        before = [
            ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], each), each)
            for name, each in zip(held, decorators, strict=True)
        ]
        value: ast.expr = ast.Name(node.name, ast.Load())
        for name in reversed(held):
            value = ast.Call(ast.Name(name, ast.Load()), [value], [])
        after = ast.copy_location(ast.Assign([ast.Name(node.name, ast.Store())], value), node)
        return [*before, node, after]

    def _enter(self, node: ast.FunctionDef) -> None:
        inside, self._inside = self._inside, True
        node.body = [part for each in node.body for part in _as_list(self.visit(each))]
        self._inside = inside


def _as_list(found: ast.stmt | list[ast.stmt]) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


class _Unwrapping(ast.NodeTransformer):
    """Leaves `functools.wraps` out."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.decorator_list = [
            each
            for each in node.decorator_list
            if not (isinstance(each, ast.Call) and ast.unparse(each.func) in _WRAPS)
        ]
        return node


def _is_copied_name_seen(tree: ast.Module) -> bool:
    """Whether some line asks a function for its name or the like, other than a parameter of a decorator."""
    parameters = {node.arg for node in nodes_of(tree) if isinstance(node, ast.arg)}
    stacked = any(len(_decorators(node)) > 1 for node in nodes_of(tree))
    for node in nodes_of(tree):
        if isinstance(node, ast.Attribute) and node.attr in _COPIED:
            if stacked or not (isinstance(node.value, ast.Name) and node.value.id in parameters):
                return True
        elif isinstance(node, ast.Name) and node.id in _COPIED:
            return True
    return False

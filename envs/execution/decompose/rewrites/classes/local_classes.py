"""Classes of a function's body moved to the module, where nothing can tell the difference: rules know classes there.

A class is moved if it reads no variable of the functions around it, holds nothing that changes, and is bound once in
the program. Any other class stays where it is, and the line that makes it is unsupported.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator

from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import binds
from envs.execution.syntax.program_structure import nodes_of, steps_below

_LOOKS = frozenset({"__qualname__", "locals", "globals", "pickle", "inspect", "vars"})
_DECORATORS = frozenset({"dataclass", "dataclasses"})
_PLAIN = (ast.Constant, ast.UnaryOp, ast.Name)


@rewriting({ast.ClassDef})
def with_module_classes(tree: ast.Module) -> ast.Module:
    """The program with such classes at module level, in front of the function that made them."""
    inner = [
        node for top in tree.body if isinstance(top, ast.FunctionDef) for node in steps_below(top) if _is_class(node)
    ]
    if not inner:
        return tree
    nodes = nodes_of(tree)
    if {node.id for node in nodes if isinstance(node, ast.Name)} & _LOOKS:
        return tree
    if any(isinstance(node, ast.FunctionDef) and node.name == "__init_subclass__" for node in nodes):
        return tree  # making a class runs it
    times = Counter(name for node in nodes for name in bound_names(node))
    known = {name for top in tree.body for name in _bound_at_top(top)} | set(dir(builtins))
    stored = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
    }
    movable: set[str] = set()
    for node in inner:
        assert isinstance(node, ast.ClassDef)
        if (
            times[node.name] == 1
            and node.name not in stored
            and "cls" not in stored
            and _is_free(node, known | movable)
        ):
            movable.add(node.name)
    if not movable:
        return tree
    body = [part for top in tree.body for part in _split(top, movable)]
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _is_class(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef)


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, parameters too."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif not isinstance(node, ast.Name):
        yield from binds(node)


def _bound_at_top(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign):
        yield from (each.id for target in node.targets for each in nodes_of(target) if isinstance(each, ast.Name))


def _is_free(node: ast.ClassDef, known: set[str]) -> bool:
    """Whether a class means the same at module level, and holds nothing that changes."""
    outside = [*node.bases, *node.decorator_list]
    if node.keywords or any(isinstance(each, ast.Call) for each in node.bases):
        return False
    if any(not _decorates(each) for each in node.decorator_list):
        return False
    for statement in node.body:
        match statement:
            case ast.FunctionDef() | ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                if value is not None and not _is_constant(value):
                    return False
            case _:
                return False
    own = {name for inner in nodes_of(node) for name in bound_names(inner)} | {node.name}
    read = {inner.id for part in (node, *outside) for inner in nodes_of(part) if isinstance(inner, ast.Name)}
    return read - own <= known


def _decorates(node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else node
    return isinstance(made, ast.Name | ast.Attribute) and ast.unparse(made).partition(".")[0] in _DECORATORS


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):  # `field(default_factory=list)` of a dataclass
        return isinstance(node.func, ast.Name) and node.func.id == "field"
    return isinstance(node, _PLAIN) or (isinstance(node, ast.Tuple) and all(map(_is_constant, node.elts)))


def _split(top: ast.stmt, movable: set[str]) -> list[ast.stmt]:
    """A statement of the module, behind the classes that were taken out of it."""
    if not isinstance(top, ast.FunctionDef):
        return [top]
    taking = _Taking(movable)
    rest = taking.visit(top)
    return [*taking.found, rest]


class _Taking(ast.NodeTransformer):
    """Takes classes out of a function; their place is a `pass`."""

    def __init__(self, movable: set[str]) -> None:
        self._movable = movable
        self.found: list[ast.stmt] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        if node.name not in self._movable:
            return node
        self.found.append(node)
        return ast.copy_location(ast.Pass(), node)

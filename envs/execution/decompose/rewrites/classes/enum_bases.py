"""An enum without members that only gives methods to others, written into them: rules know enums without such a base.

    class Named(Enum):                          class Color(Enum):
        def label(self): ...                        def label(self): ...
    class Color(Named):                             RED = 1
        RED = 1

Only for a base that nothing else mentions, whose methods no enum below it writes anew, in a program that does not ask
classes for what they derive from. Knows only syntax.
"""

import ast
import copy
from collections.abc import Sequence

from envs.execution.decompose.rewrites.library_names import hides_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.bindings import binds
from envs.execution.syntax.program_structure import nodes_of

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "enum.Enum", "enum.IntEnum", "enum.StrEnum"})
_LOOKS = frozenset(
    "__mro__ mro __base__ __bases__ __subclasses__ __qualname__ __dict__ inspect pickle issubclass".split()
)
"""What tells that a class has another base."""
_SPECIAL = frozenset("__str__ __repr__ __format__ __lt__ __le__ __gt__ __ge__".split())
_WRAPPERS = frozenset({"property", "classmethod", "staticmethod"})


@rewriting({ast.ClassDef}, {"Enum", "IntEnum", "StrEnum"})
def with_joined_enums(tree: ast.Module) -> ast.Module:
    """The program with such methods in the enums below; the same tree where it has none, or where it could tell."""
    nodes = nodes_of(tree)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    below = {
        node.name: children
        for node in classes
        if _gives_methods(node) and (children := _children(node, classes, nodes))
    }
    if not below or hides_names(tree) or any(map(_looks, nodes)):
        return tree
    methods = {node.name: node for node in classes if node.name in below}
    base_of = {child.name: name for name, children in below.items() for child in children}
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in base_of:
            base = methods[base_of[node.name]]
            given = [copy.deepcopy(each) for each in base.body if isinstance(each, ast.FunctionDef)]
            joined = copy.copy(node)
            joined.bases, joined.body = base.bases, [*given, *node.body]
            body.append(joined)
        elif not (isinstance(node, ast.ClassDef) and node.name in below):
            body.append(node)
    return ast.fix_missing_locations(ast.Module(body, tree.type_ignores))


def _looks(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
            return name in _LOOKS
    return False


def _gives_methods(node: ast.ClassDef) -> bool:
    """Whether it is an enum with nothing but plain methods."""
    if [ast.unparse(each) in _ENUMS for each in node.bases] != [True] or node.keywords or node.decorator_list:
        return False
    return all(
        _is_method(each)
        or isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def _is_method(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or (node.name.startswith("_") and node.name not in _SPECIAL):
        return False
    inside = nodes_of(node)
    names = [each.attr for each in inside if isinstance(each, ast.Attribute)]
    names += [each.id for each in inside if isinstance(each, ast.Name)]
    mangled = any(name.startswith("__") and not name.endswith("__") for name in names)
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
    plain = all(isinstance(each, ast.Constant) for each in defaults) and {"super", "__class__"}.isdisjoint(names)
    return plain and not mangled and {ast.unparse(each) for each in node.decorator_list} <= _WRAPPERS


def _children(
    node: ast.ClassDef, classes: Sequence[ast.ClassDef], nodes: Sequence[ast.AST]
) -> list[ast.ClassDef] | None:
    """The enums that derive from a class alone; None where others mention it, or where they change its methods."""
    found = [each for each in classes if [ast.unparse(base) for base in each.bases] == [node.name]]
    mentions = [each for each in nodes if isinstance(each, ast.Name) and each.id == node.name]
    texts = any(isinstance(each, ast.Constant) and each.value == node.name for each in nodes)
    times = sum(name == node.name for each in nodes for name in binds(each))
    if len(mentions) != len(found) or texts or times != 1:
        return None
    given = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    for child in found:
        written = {name for each in nodes_of(child)[1:] for name in binds(each)}
        if child.keywords or child.decorator_list or written & given or child.lineno < node.lineno:
            return None
    return found

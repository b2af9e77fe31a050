"""Classes written so that rules know them: what `total_ordering` adds as methods, parameters of classes left out.

    @total_ordering     the three methods that it makes of the fourth, as `functools` writes them
    Stack[int]()        Stack(), where nothing can ask for what stands in the brackets

The program behaves as before. A class where a difference could be seen stays as it is.
"""

import ast

from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import placed
from envs.execution.syntax.program_structure import nodes_of

_ROOTS = ("__lt__", "__le__", "__gt__", "__ge__")
"""The operators from which `total_ordering` makes the others, the preferred one first."""
_MADE = {
    "__lt__": {"__gt__": "not found and self != other", "__le__": "found or self == other", "__ge__": "not found"},
    "__le__": {"__ge__": "not found or self == other", "__lt__": "found and self != other", "__gt__": "not found"},
    "__gt__": {"__lt__": "not (found or self == other)", "__ge__": "found or self == other", "__le__": "not found"},
    "__ge__": {"__le__": "not found or self == other", "__gt__": "found and self != other", "__lt__": "not found"},
}
_METHOD = """
def NAME(self, other):
    found = type(self).ROOT(self, other)
    if found is NotImplemented:
        return found
    return VALUE
"""
_LOOKS = frozenset(
    (
        "__slots__ __dict__ vars setattr weakref pickle copyreg getsizeof __weakref__ __setattr__ cached_property "
        "__orig_class__"
    ).split()
)


@rewriting({ast.ClassDef}, {"total_ordering", "Generic"}, in_place=True)
def with_plain_classes(tree: ast.Module) -> ast.Module:
    """The program with such classes rewritten; a tree with classes is changed."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if not classes:
        return tree
    for node in classes:
        _order(node)
    if not looks_inside(tree) and (generic := {node.name for node in classes if _is_generic(node)}):
        _Unsubscripted(generic).visit(tree)
    return ast.fix_missing_locations(tree)


# -- parameters of a class


def _is_generic(node: ast.ClassDef) -> bool:
    """Whether `Stack[int]` only says what an object holds."""
    written = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    named = any(ast.unparse(base).rpartition(".")[2].startswith("Generic[") for base in node.bases)
    return named and not written & {"__class_getitem__", "__setattr__", "__getattr__"}


class _Unsubscripted(ast.NodeTransformer):
    """Writes `Stack[int]()` as `Stack()`."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node.func:
            case ast.Subscript(value=ast.Name(id=name) as kind) if name in self._names:
                node.func = kind
        return node


# -- order


def _order(node: ast.ClassDef) -> None:
    """Write out what `total_ordering` makes of the operators that the class has."""
    decorators = [each for each in node.decorator_list if ast.unparse(each) in _ORDERINGS]
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    root = next((name for name in _ROOTS if name in own), None)
    if not decorators or root is None or node.bases:
        return
    node.decorator_list = [each for each in node.decorator_list if each not in decorators]
    for name, value in _MADE[root].items():
        if name not in own:
            source = _METHOD.replace("NAME", name).replace("ROOT", root).replace("VALUE", value)
            node.body += placed(ast.parse(source).body, node.lineno)


_ORDERINGS = frozenset({"total_ordering", "functools.total_ordering"})


def looks_inside(tree: ast.Module) -> bool:
    """Whether the program may ask for what an object holds, or how its class keeps it."""
    nodes = nodes_of(tree)
    named = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return bool((named | {node.attr for node in nodes if isinstance(node, ast.Attribute)}) & _LOOKS)

"""Classes inside classes get a name of the module, `Node = Tree.Node`, by which rules and frames know them.

The class stays where it is. `Tree.Node`, and `self.Node` in methods of `Tree`, become that name, where the class is
made of methods and constants, its name means nothing else in the program, and nothing sets such an attribute.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence

from envs.execution.decompose.rewrites.classes.local_classes import bound_names
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.syntax.classes.library_classes import is_library_class
from envs.execution.syntax.program_structure import Function, nodes_of

_LOOKS = frozenset(
    "locals globals vars dir setattr delattr pickle inspect eval exec __dict__ __getattr__ __setattr__ "
    "__getattribute__ __qualname__".split()
)


@rewriting({ast.ClassDef})
def with_named_inner_classes(tree: ast.Module) -> ast.Module:
    """The program with such names behind the classes that hold them."""
    outer = [node for node in tree.body if isinstance(node, ast.ClassDef) and not is_library_class(node)]
    inner = [(node.name, each) for node in outer for each in node.body if isinstance(each, ast.ClassDef)]
    if not inner:
        return tree
    nodes = nodes_of(tree)
    times = Counter(name for node in nodes for name in bound_names(node))
    if _mentioned(nodes) & _LOOKS:
        return tree
    taken = set(dir(builtins)) | _stored(nodes) | _read_in_functions(nodes)
    named = {
        each.name: owner
        for owner, each in inner
        if times[each.name] == times[owner] == 1 and each.name not in taken and _is_plain(each)
    }
    body = [part for top in tree.body for part in _with_names(top, named)]
    renamed = ast.Module(body, tree.type_ignores)
    _Renaming(named).visit(renamed)
    return ast.fix_missing_locations(renamed)


def _mentioned(nodes: Sequence[ast.AST]) -> set[str]:
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, Function)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _stored(nodes: Sequence[ast.AST]) -> set[str]:
    """Attributes that a line sets or deletes."""
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}


def _read_in_functions(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that functions read: an inner class is none of them, since a class's names are not seen there."""
    bodies = [part for node in nodes if isinstance(node, Function) for part in node.body]
    return {each.id for part in bodies for each in nodes_of(part) if isinstance(each, ast.Name)}


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether rules may know such a class: no code runs in its body, no class is in it, no default can change."""
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    defaults = [part for each in functions for part in (*each.args.defaults, *each.args.kw_defaults) if part]
    if not all(isinstance(each, ast.Constant | ast.Name | ast.UnaryOp) for each in defaults):
        return False
    return not node.keywords and all(
        isinstance(each, ast.FunctionDef | ast.Pass | ast.Assign | ast.AnnAssign)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in node.body
    )


def _with_names(top: ast.stmt, named: dict[str, str]) -> Iterator[ast.stmt]:
    yield top
    if isinstance(top, ast.ClassDef):
        for name in (name for name, owner in named.items() if owner == top.name):
            found = ast.Attribute(ast.Name(top.name, ast.Load()), name, ast.Load())
            yield ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], found), top)


class _Renaming(ast.NodeTransformer):
    """Puts the new name in the place of `Tree.Node` and `self.Node`, inside functions."""

    def __init__(self, named: dict[str, str]) -> None:
        self._named = named
        self._class = ""
        self._self = ""
        self._inside = False

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        around, self._class = self._class, "" if self._class or self._inside else node.name
        node.body = [self.visit(each) for each in node.body]
        self._class = around
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        around = self._self, self._inside, self._class
        if self._class and not self._inside:
            self._self = _first_parameter(node)
        self._inside = True
        node.body = [self.visit(each) for each in node.body]
        self._self, self._inside, self._class = around
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        owner = self._named.get(node.attr)
        match node.value:
            case ast.Name(id=name) if self._inside and owner and name in (owner, self._self):
                if name == owner or self._class == owner:
                    return ast.copy_location(ast.Name(node.attr, ast.Load()), node)
        return node


def _first_parameter(node: ast.FunctionDef) -> str:
    """The name of the object in a method that never binds that name again; empty where there is none."""
    given = [*node.args.posonlyargs, *node.args.args]
    if not given or node.decorator_list:
        return ""
    name = given[0].arg
    again = Counter(bound for part in nodes_of(node) for bound in bound_names(part))[name]
    return name if again == 1 else ""

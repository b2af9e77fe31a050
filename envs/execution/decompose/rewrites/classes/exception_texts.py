"""`super().__str__()` and `super().__repr__()` in exceptions of the program, which are Python's own: written by `args`.

    super().__str__()       ->      _base_str(self)         a function in front of the program, which reads `self.args`

Only where no class of the program can stand in between, and the builtin exception has the text of all exceptions.
Knows only syntax.
"""

import ast
import builtins
from collections.abc import Collection, Mapping

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.classes.own_classes import OwnClasses, own_classes
from envs.execution.syntax.program_structure import nodes_of

_SOURCES = {
    "__str__": """
def NAME(error):
    args = error.args
    if not args:
        return ""
    if len(args) == 1:
        return str(args[0])
    return str(args)
""",
    "__repr__": """
def NAME(error):
    args = error.args
    name = type(error).__name__
    if len(args) == 1:
        return name + "(" + repr(args[0]) + ")"
    return name + repr(args)
""",
}


@rewriting({ast.ClassDef}, _SOURCES.keys())
def with_exception_texts(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where there is none."""
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if not any(
        isinstance(each, ast.Attribute) and each.attr in _SOURCES for node in nodes.values() for each in ast.walk(node)
    ):
        return tree
    if len(nodes) < sum(isinstance(each, ast.ClassDef) for each in nodes_of(tree)):
        return tree
    if hides_names(tree) or {"str", "repr", "len", "type", "super"} & rebound_builtins(tree):
        return tree
    classes, names = own_classes(tree), occurring_names(tree)
    rewriting = _Texts({name: fresh_name(f"_base{name.rstrip('_')[1:]}", names) for name in _SOURCES})
    for name, node in nodes.items():
        rewriting.within(name, node, {each for each in _SOURCES if _is_pythons(classes, nodes, name, each)})
    return in_front(tree, rewriting.helpers()) if rewriting.lines else tree


def _is_pythons(classes: OwnClasses, nodes: Mapping[str, ast.ClassDef], owner: str, method: str) -> bool:
    """Whether `super()` in a class finds the method of all exceptions, whichever class the object is of."""
    for name, node in nodes.items():
        mine = classes.known(name)
        if mine is None and any(
            isinstance(each, ast.Name) and each.id in nodes for base in node.bases for each in ast.walk(base)
        ):
            return False  # which may be below the class in a way that is not known
        if mine is None or owner not in mine.lineage:
            continue
        base = getattr(builtins, mine.exception or "", None)
        plain = base is not None and getattr(base, method) is getattr(BaseException, method)
        if not plain or len(node.bases) != 1 or "args" in mine.members:
            return False
        if classes.find(name, method, owner) is not None:
            return False
    return classes.known(owner) is not None


class _Texts(ast.NodeTransformer):
    """Replaces the calls."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._owner, self._first = "", ""
        self._found: Collection[str] = ()
        self.lines: dict[str, int] = {}
        """By the method: the first line that calls it."""

    def within(self, owner: str, node: ast.ClassDef, found: Collection[str]) -> None:
        """Replace the calls in the methods of a class for which some methods are Python's own."""
        self._owner, self._found = owner, found
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.args.args and not method.decorator_list:
                self._first = method.args.args[0].arg
                self.generic_visit(method)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function inside a method, whose first argument is another."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call() as holder, attr=method), args=[], keywords=[]):
                if method in self._found and self._is_super(holder):
                    self.lines.setdefault(method, node.lineno)
                    called = ast.Call(
                        ast.Name(self._names[method], ast.Load()), [ast.Name(self._first, ast.Load())], []
                    )
                    return ast.fix_missing_locations(ast.copy_location(called, node))
        return node

    def _is_super(self, node: ast.Call) -> bool:
        written = "super()", f"super({self._owner}, {self._first})"
        return ast.unparse(node) in written

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        return [
            part
            for method, line in self.lines.items()
            for part in placed(ast.parse(filled(_SOURCES[method], NAME=self._names[method])).body, line)
        ]

"""`hasattr`, and `getattr` with a default, in programs whose classes have `__getattr__`: functions that ask in a `try`.

    getattr(config, "debug", False)     ->      _asked_getattr_debug(config, False)
    hasattr(config, "debug")            ->      _asked_hasattr_debug(config)

So the call of `__getattr__` becomes a step. The name must be written in the call. Knows only syntax.
"""

import ast
import keyword

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import filled, in_front, placed
from envs.execution.syntax.program_structure import nodes_of

_SOURCES = {
    "getattr": """
def NAME(thing, default):
    try:
        return thing.ASKED
    except AttributeError:
        return default
""",
    "hasattr": """
def NAME(thing):
    try:
        thing.ASKED
    except AttributeError:
        return False
    return True
""",
}
_COUNTS = {"getattr": 1, "hasattr": 0}
"""How many arguments follow the name."""


@rewriting({"__getattr__"})
def with_asked_attributes(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where no class has `__getattr__`."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in nodes_of(tree)):
        return tree
    if hides_names(tree) or {"getattr", "hasattr", "AttributeError"} & rebound_builtins(tree):
        return tree
    rewriting = _Asking(fresh_name("_asked", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    made = [
        part
        for (kind, attribute), line in rewriting.lines.items()
        for part in placed(ast.parse(rewriting.source(kind, attribute)).body, line)
    ]
    return in_front(tree, made) if made else tree


class _Asking(ast.NodeTransformer):
    """Replaces the calls."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.lines: dict[tuple[str, str], int] = {}
        """By the function called and the attribute: the first line that does."""

    def source(self, kind: str, attribute: str) -> str:
        """The function that asks for an attribute."""
        return filled(_SOURCES[kind], NAME=self._named(kind, attribute), ASKED=attribute)

    def _named(self, kind: str, attribute: str) -> str:
        return f"{self._name}_{kind}_{attribute}"

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Name(id=kind), args=[thing, ast.Constant(value=str(attribute)), *rest], keywords=[]
            ) if len(rest) == _COUNTS.get(kind) and attribute.isidentifier():
                if not keyword.iskeyword(attribute) and not isinstance(thing, ast.Starred):
                    self.lines.setdefault((kind, attribute), node.lineno)
                    node.func = ast.copy_location(ast.Name(self._named(kind, attribute), ast.Load()), node.func)
                    node.args = [thing, *rest]
        return node

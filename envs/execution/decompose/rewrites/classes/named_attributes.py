"""`getattr`, `hasattr` and `setattr` in programs whose classes compute attributes: functions that name them one by one.

    setattr(sensor, field, 3)   ->      _set_by_name(sensor, field, 3)

    def _set_by_name(thing, name, value):
        if name == "temp":              a property or a descriptor of some class, so that this line is a call
            thing.temp = value
        else:
            setattr(thing, name, value)

So the call of a property or a descriptor becomes a step. Any other attribute is a field or a method, which rules find.
Classes with `__setattr__` or `__getattr__` are left alone. Knows only syntax.
"""

import ast

from envs.execution.decompose.rewrites.library_names import fresh_name, hides_names, occurring_names, rebound_builtins
from envs.execution.decompose.rewrites.preconditions import rewriting
from envs.execution.decompose.rewrites.written_functions import in_front, placed
from envs.execution.syntax.classes.own_classes import own_classes
from envs.execution.syntax.program_structure import nodes_of

_HOOKS = frozenset({"__setattr__", "__getattr__", "__getattribute__", "__delattr__"})
_MOST = 12
"""Attributes that are named one by one."""
_KINDS = {("setattr", 3): "set", ("getattr", 2): "get", ("getattr", 3): "get_or", ("hasattr", 2): "has"}
_HEADS = {"set": "thing, name, value", "get": "thing, name", "get_or": "thing, name, default", "has": "thing, name"}
_FOUND = {
    "set": """
        thing.ASKED = value
        return""",
    "get": """
        return thing.ASKED""",
    "get_or": """
        try:
            return thing.ASKED
        except AttributeError:
            return default""",
    "has": """
        try:
            thing.ASKED
        except AttributeError:
            return False
        return True""",
}
_OTHERS = {
    "set": "    setattr(thing, name, value)",
    "get": "    return getattr(thing, name)",
    "get_or": "    return getattr(thing, name, default)",
    "has": "    return hasattr(thing, name)",
}


@rewriting({ast.ClassDef}, {name for name, _ in _KINDS})
def with_named_attributes(tree: ast.Module) -> ast.Module:
    """The program with such calls replaced; the same tree where no class computes an attribute."""
    if not any(isinstance(node, ast.ClassDef) for node in tree.body):
        return tree
    nodes = nodes_of(tree)
    if not any(isinstance(node, ast.Call) and _kind(node) for node in nodes):
        return tree
    written = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    names = _computed(tree)
    if not names or len(names) > _MOST or written & _HOOKS or hides_names(tree):
        return tree
    if {"setattr", "getattr", "hasattr", "AttributeError"} & rebound_builtins(tree):
        return tree
    rewriting = _Naming(names, fresh_name("_by_name", occurring_names(tree)))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            rewriting.visit(node)
    return in_front(tree, rewriting.helpers())


def _computed(tree: ast.Module) -> list[str]:
    """Names of properties and of attributes that a descriptor of the program describes."""
    classes = own_classes(tree)
    kinds = ("property", "described")
    found = {name for each in classes.classes.values() for name, member in each.members.items() if member.kind in kinds}
    return sorted(name for name in found if name.isidentifier() and not name.startswith("__"))


def _kind(node: ast.Call) -> str | None:
    """Which of the functions a call is of; None for any other, and where its name is written and no hook decides."""
    if not isinstance(node.func, ast.Name) or node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    return _KINDS.get((node.func.id, len(node.args)))


class _Naming(ast.NodeTransformer):
    """Replaces the calls."""

    def __init__(self, names: list[str], name: str) -> None:
        self._names, self._name = names, name
        self._lines: dict[str, int] = {}

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        kind = _kind(node)
        asked = node.args[1] if kind else None
        if kind is None or (isinstance(asked, ast.Constant) and asked.value not in self._names):
            return node
        self._lines.setdefault(kind, node.lineno)
        node.func = ast.copy_location(ast.Name(f"{self._name}_{kind}", ast.Load()), node.func)
        return node

    def helpers(self) -> list[ast.stmt]:
        """The functions that calls were replaced by."""
        found: list[ast.stmt] = []
        for kind, line in self._lines.items():
            lines = [f"def {self._name}_{kind}({_HEADS[kind]}):"]
            for name in self._names:
                lines += [f"    if name == {name!r}:", _FOUND[kind].replace("ASKED", name).lstrip("\n")]
            found += placed(ast.parse("\n".join([*lines, _OTHERS[kind]])).body, line)
        return found

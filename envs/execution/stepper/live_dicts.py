"""The dict in which an object keeps its fields, as `vars(x)` and `x.__dict__` give it.

A frame writes the object and the dict apart, so a change of one would not be seen in the other. A line may take the
dict only where the lines that use it read it at once. Knows one program's lines.
"""

import ast

from envs.execution.state.value_grammar import Unsupported
from envs.execution.syntax.line_map import Key, LineMap
from envs.execution.syntax.program_structure import nodes_of

_VIEWS = frozenset({"items", "keys", "values"})
_READING_METHODS = frozenset({"get", "copy"})
_READERS = frozenset("dict len sorted list tuple set str repr print".split())


class LiveDicts:
    """Which lines of a program may take such a dict."""

    def __init__(self, layout: LineMap, temporaries: frozenset[str]) -> None:
        self._layout = layout
        self._temporaries = temporaries

    def check(self, node: ast.AST, key: Key) -> None:
        """Raise Unsupported for a line that takes such a dict and keeps it; the owner is an object of the program."""
        assert isinstance(node, ast.Assign)
        target = node.targets[0]
        inside = nodes_of(self._layout.functions[key])
        name = target.id if isinstance(target, ast.Name) else ""
        uses = sum(isinstance(each, ast.Name) and each.id == name for each in inside)
        bound = sum(
            isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in inside
        )
        changes = any(isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) for each in inside)
        changes = changes or any(isinstance(each, ast.Name) and each.id in ("setattr", "delattr") for each in inside)
        read = sum(_reads(each, name, with_views=not changes) for each in inside)
        if name not in self._temporaries or read != uses - bound:
            raise Unsupported("the dict of an object's fields that is kept, or changed")


def owner_of_fields(node: ast.AST) -> ast.Name | None:
    """The object whose dict of fields a line takes."""
    match node:
        case ast.Assign(targets=[_], value=ast.Call(func=ast.Name(id="vars"), args=[ast.Name() as owner], keywords=[])):
            return owner
        case ast.Assign(targets=[_], value=ast.Attribute(value=ast.Name() as owner, attr="__dict__")):
            return owner
    return None


def _reads(node: ast.AST, name: str, *, with_views: bool) -> bool:
    """Whether a node reads the dict of that name at once; views stay true only while no field changes."""
    methods = _READING_METHODS | (_VIEWS if with_views else frozenset())
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr=attr)):
            return used == name and attr in methods
        case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=used), *_]):
            return used == name and (called in _READERS or (with_views and called == "iter"))
        case ast.Subscript(value=ast.Name(id=used), ctx=ast.Load()) | ast.keyword(arg=None, value=ast.Name(id=used)):
            return used == name
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=used)]):
            return used == name
        case ast.Compare(left=ast.Name(id=used), ops=[ast.Eq() | ast.NotEq()]):
            return used == name
        case ast.Dict(keys=[None], values=[ast.Name(id=used)]):
            return used == name
    return False

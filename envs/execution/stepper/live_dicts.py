"""The dict of an object's fields (`vars(x)`, `x.__dict__`): a line may take it only where one line reads it at once.

A frame writes object and dict apart, so a change of one would not be seen in the other. Knows only syntax.
"""

import ast

from envs.execution.state.value_grammar import Unsupported
from envs.execution.syntax.program_structure import nodes_of

_VIEWS = frozenset({"items", "keys", "values", "iter"})
_READERS = frozenset("get copy dict len sorted list tuple set str repr print".split())


def owner_of_fields(node: ast.AST) -> ast.Name | None:
    """The object whose dict of fields a line takes."""
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id="vars"), args=[ast.Name() as owner], keywords=[])):
            return owner
        case ast.Assign(value=ast.Attribute(value=ast.Name() as owner, attr="__dict__")):
            return owner
    return None


def owner_in_line(node: ast.AST) -> ast.Name | None:
    """The object of which a line reads or changes one field by its dict, or updates them."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=fields)]) | ast.Delete(targets=[ast.Subscript(value=fields)]):
            return _owner(fields)
        case ast.Assign(value=value) | ast.Expr(value=value):
            match value:
                case ast.Call(func=ast.Attribute(fields, "update" | "get")) | ast.Subscript(value=fields):
                    return _owner(fields)
    return None


def _owner(fields: ast.expr) -> ast.Name | None:
    match fields:
        case ast.Attribute(ast.Name() as owner, "__dict__"):
            return owner
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name() as owner], keywords=[]):
            return owner
    return None


def check_reading(node: ast.AST, function: ast.AST, temporaries: frozenset[str]) -> None:
    """Raise Unsupported for a line that takes such a dict, unless its function only reads it, in one place."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    inside, name = nodes_of(function), target.id if isinstance(target, ast.Name) else ""
    changes = any(isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) for each in inside)
    changes = changes or any(isinstance(each, ast.Name) and each.id in ("setattr", "delattr") for each in inside)
    uses = sum(isinstance(each, ast.Name) and each.id == name for each in inside)
    readers = _READERS if changes else _READERS | _VIEWS
    if name not in temporaries or uses != 2 or not any(_reads(each, name, readers) for each in inside):
        raise Unsupported("the dict of an object's fields that is kept, or changed")


def _reads(node: ast.AST, name: str, readers: frozenset[str]) -> bool:
    """Whether a node reads the dict of that name at once; views stay true only while no field changes."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr=called)):
            return used == name and called in readers
        case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=used), *_]):
            return used == name and called in readers
        case ast.Subscript(value=ast.Name(id=used), ctx=ast.Load()) | ast.keyword(arg=None, value=ast.Name(id=used)):
            return used == name
        case ast.Compare(left=left, comparators=[right]):
            return any(isinstance(each, ast.Name) and each.id == name for each in (left, right))
        case ast.Dict(keys=[None], values=[ast.Name(id=used)]):
            return used == name
    return False

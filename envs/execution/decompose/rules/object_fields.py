"""Lines that read or change one field of an object by its dict stay in one piece: `x.__dict__[k]`, `vars(x).get(k)`.

A frame writes an object and its dict apart, so a dict that a temporary holds would not be the object's own.
"""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.expressions import afters, operand, place, rule
from envs.execution.syntax.program_structure import nodes_of

_ACTING = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


@rule(ast.Subscript)
def item_place(body: FunctionBody, target: ast.Subscript) -> ast.Subscript:
    """The item with atoms for object and index."""
    owner = _owner(body, target.value, [target.slice])
    if owner is None or isinstance(target.slice, ast.Slice):
        return place(body, target)
    item = place(body, ast.Subscript(owner, target.slice, target.ctx))
    return ast.Subscript(_fields(target.value, item.value), item.slice, target.ctx)


def called_fields(body: FunctionBody, node: ast.expr, name: str) -> ast.Call | None:
    """`x.__dict__.get(k)` or `x.__dict__.update(values)` with atoms; None for any other expression."""
    match node:
        case ast.Call(func=ast.Attribute(value=fields, attr=called), args=given, keywords=words) if called == name:
            parts = [*given, *(word.value for word in words)]
            owner = _owner(body, fields, parts)
        case _:
            return None
    if owner is None or any(isinstance(each, ast.Starred) for each in parts):
        return None
    if len(given) > (1 if name == "update" else 2) or (words and name != "update"):
        return None
    waiting = afters(body, [owner, *parts])
    held, *values = [operand(body, part, waiting[index]) for index, part in enumerate([owner, *parts])]
    keywords = [ast.keyword(word.arg, value) for word, value in zip(words, values[len(given) :], strict=True)]
    method = ast.Attribute(_fields(fields, held), name, ast.Load())
    return ast.Call(method, values[: len(given)], keywords)


def _fields(node: ast.expr, owner: ast.expr) -> ast.expr:
    """The expression for a dict of fields, with an atom for its object."""
    if isinstance(node, ast.Call):
        return ast.Call(node.func, [owner], [])
    return ast.Attribute(owner, "__dict__", ast.Load())


def _owner(body: FunctionBody, node: ast.expr, later: Sequence[ast.expr]) -> ast.expr | None:
    """The object whose dict of fields an expression is; None for anything else.

    What is evaluated later must do nothing that shows when the dict is asked for.
    """
    if any(isinstance(each, _ACTING) for part in later for each in nodes_of(part)):
        return None
    match node:
        case ast.Attribute(value=owner, attr="__dict__"):
            return owner
        case ast.Call(func=ast.Name(id="vars"), args=[owner], keywords=[]) if body.program.builtin("vars"):
            return None if isinstance(owner, ast.Starred) else owner
    return None

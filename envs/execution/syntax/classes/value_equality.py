"""Classes whose `__eq__` and `__hash__` say no more than a dataclass's do: two objects are equal if all fields are.

    def __eq__(self, other):                                     def __hash__(self):
        if not isinstance(other, Point):                             return hash((self.x, self.y))
            return NotImplemented
        return (self.x, self.y) == (other.x, other.y)

What a dict or a set does with such objects follows from their fields, which a frame shows. Asks about syntax alone.
"""

import ast
import copy
from collections.abc import Iterator, Sequence


def equal_by_fields(node: ast.ClassDef) -> bool:
    """Whether a class without bases compares and hashes its objects by all their fields."""
    methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
    equal, hashed = methods.get("__eq__"), methods.get("__hash__")
    if node.bases or node.decorator_list or equal is None or hashed is None:
        return False
    fields = {
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and not isinstance(inner.ctx, ast.Load)
    }
    fixed = not (fields & methods.keys() or equal.decorator_list or hashed.decorator_list)
    return bool(fields) and fixed and set(_compared(equal, node.name)) == set(_hashed(hashed)) == fields


def _hashed(method: ast.FunctionDef) -> Iterator[str]:
    match _conditions(method.body, {}):
        case [ast.Call(func=ast.Name(id="hash"), args=[asked], keywords=[])]:
            yield from _fields(asked, "self")


def _compared(method: ast.FunctionDef, owner: str) -> Iterator[str]:
    names = [each.arg for each in method.args.args]
    conditions = _conditions(method.body, {}) if len(names) == 2 else None
    for part in conditions or ():
        match part:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                mine, other = list(_fields(left, names[0])), list(_fields(right, names[1]))
                yield from mine if mine == other else [""]
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=subject), ast.Name(id=kind)]):
                yield from () if (subject, kind) == (names[1], owner) else [""]
            case _:
                yield ""


def _conditions(body: Sequence[ast.stmt], known: dict[str, ast.expr]) -> list[ast.expr] | None:
    """What must all be true for a method to return a true value, written without temporaries; None where it is more.

    The method may be decomposed: one operation a line, `and` as an `if`.
    """
    found: list[ast.expr] = []
    for place, statement in enumerate(body):
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known[name] = _Written(known).visit(copy.deepcopy(value))
            case ast.If(test=test, body=[ast.Return(value=refused)], orelse=[]) if _is_refusal(refused):
                asked = _Written(known).visit(copy.deepcopy(test))
                if not (isinstance(asked, ast.UnaryOp) and isinstance(asked.op, ast.Not)):
                    return None
                found.append(asked.operand)
            case ast.If(test=ast.Name(id=name) as test, body=inner, orelse=[]) if _binds_last(inner, name):
                found.append(_Written(known).visit(copy.deepcopy(test)))
                more = _conditions([*inner, *body[place + 1 :]], known)
                return None if more is None else [*found, *more]
            case ast.Return(value=ast.expr() as value):
                whole = _Written(known).visit(copy.deepcopy(value))
                parts = whole.values if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.And) else [whole]
                return [*found, *parts]
            case _:
                return None
    return None


def _is_refusal(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant | ast.Name) and ast.unparse(node) in ("False", "NotImplemented")


def _binds_last(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether `if a: ...; a = b` is what the decomposer writes for `a and b`."""
    match body[-1]:
        case ast.Assign(targets=[ast.Name(id=bound)]):
            return bound == name
        case ast.If(test=ast.Name(id=tested), body=inner, orelse=[]):
            return tested == name and _binds_last(inner, name)
    return False


class _Written(ast.NodeTransformer):
    """Puts expressions in the place of the temporaries that hold them."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._known.get(node.id, node)


def _fields(node: ast.expr, subject: str) -> Iterator[str]:
    """The fields of an object that an expression lists; an empty name for anything else."""
    for part in node.elts if isinstance(node, ast.Tuple) else [node]:
        match part:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if owner == subject:
                yield attr
            case _:
                yield ""

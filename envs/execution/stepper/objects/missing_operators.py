"""The TypeError of a line that asks an object of the program for an operator that its class does not have."""

import ast

from envs.execution.stepper.objects.object_kinds import ObjectKind
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.stepper.objects.text_scope import TextScope

_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_ASKED = {
    "len": (("__len__",), "object of type {name!r} has no len()"),
    "iter": (("__iter__", "__getitem__"), "{name!r} object is not iterable"),
    "next": (("__next__",), "{name!r} object is not an iterator"),
    "abs": (("__abs__",), "bad operand type for abs(): {name!r}"),
}
"""Builtins with the methods that they look for, and what they say where there is none."""


def missing_operator(calls: OwnCalls, node: ast.AST, scope: TextScope) -> str | None:
    """The message, where the object that the line asks surely has no such operator."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=held)]):
            return _without(
                calls, held, scope, ("__setitem__",), message="{name!r} object does not support item assignment"
            )
        case ast.Delete(targets=[ast.Subscript(value=held)]):
            return _without(
                calls, held, scope, ("__delitem__",), message="{name!r} object doesn't support item deletion"
            )
        case ast.Assign(targets=[ast.Name()], value=value) | ast.Expr(value=value):
            return _of_expression(calls, value, scope)
    return None


def _of_expression(calls: OwnCalls, node: ast.expr, scope: TextScope) -> str | None:
    match node:
        case ast.Subscript(value=held):
            return _without(calls, held, scope, ("__getitem__",), message="{name!r} object is not subscriptable")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert() as op, operand=held):
            return _without(
                calls, held, scope, (), message=f"bad operand type for unary {_UNARY[type(op)]}: {{name!r}}"
            )
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held]):
            names = ("__contains__", "__iter__", "__getitem__")
            return _without(calls, held, scope, names, message="argument of type {name!r} is not iterable")
        case ast.Call(func=ast.Name(id=name), args=[held], keywords=[]) if name in _ASKED and scope.is_builtin(name):
            return _without(calls, held, scope, *_ASKED[name])
        case ast.Call(func=ast.Name() as held):
            return _without(calls, held, scope, ("__call__",), message="{name!r} object is not callable")
    return None


def _without(calls: OwnCalls, node: ast.expr, scope: TextScope, names: tuple[str, ...], message: str) -> str | None:
    """The message, if the operand is an object whose class has none of these methods."""
    kind: ObjectKind | None = scope.kind(node) if isinstance(node, ast.Name) else None
    if kind is None or kind.role != "instance" or calls.classes[kind.owner].odd:
        return None
    if calls.classes[kind.owner].container or any(calls.classes.find(kind.owner, name) for name in names):
        return None
    return message.format(name=kind.owner)

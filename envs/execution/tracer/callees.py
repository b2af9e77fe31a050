"""Which function a real line calls, found without running anything: the tracer must know before Python enters it."""

import ast
import types
from collections.abc import Mapping


def callee_of(node: ast.AST) -> ast.expr | None:
    """What a statement calls, if calling is all it does besides binding the result."""
    value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr) else None
    return value.func if isinstance(value, ast.Call) else None


def looked_up(expression: ast.expr, scope: Mapping[str, object], namespace: Mapping[str, object]) -> object | None:
    """The value of a name, constant or method as the line sees it, without running anything."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Name):
        value = scope.get(expression.id, namespace.get(expression.id))
        return value.cell_contents if isinstance(value, types.CellType) else value
    if isinstance(expression, ast.UnaryOp | ast.Tuple):
        return ast.literal_eval(expression)  # type: ignore[no-any-return]
    if isinstance(expression, ast.Attribute):
        return _held(looked_up(expression.value, scope, namespace), expression.attr)
    return None


def _held(owner: object, name: str) -> object | None:
    """What an object or a class of the program holds under a name as data: a function in a field."""
    lineage = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
    fields: Mapping[str, object] = {} if isinstance(owner, type) else getattr(owner, "__dict__", {})
    if lineage[0].__module__ != "program":
        return None
    if name in fields:
        return fields[name]
    found = next((vars(each)[name] for each in lineage if name in vars(each)), None)
    return found if isinstance(owner, type) else None  # a function that the class holds is bound when it is looked up


GENERATOR = 0x20
SUSPENDING = 0x20 | 0x80 | 0x200
"""Flags of generators, coroutines and asynchronous generators: calling them runs nothing yet."""


def enterable(function: object) -> bool:
    """Whether calling it runs lines that are steps of their own; a lambda's body is no line of its own."""
    if not isinstance(function, types.FunctionType) or function.__code__.co_name == "<lambda>":
        return False
    return not function.__code__.co_flags & SUSPENDING

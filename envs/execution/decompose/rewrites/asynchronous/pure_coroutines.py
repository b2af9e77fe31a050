"""Coroutines that compute their value from their arguments alone: when they run cannot be seen.

Asks about syntax only; `coroutines.py` writes them as plain functions.
"""

import ast
from collections.abc import Collection, Sequence, Set

from envs.execution.syntax.program_structure import nodes_of

_PARTS = (
    *(ast.arguments, ast.arg, ast.Constant, ast.Name, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.JoinedStr),
    *(
        ast.FormattedValue,
        ast.Compare,
        ast.cmpop,
        ast.Tuple,
        ast.List,
        ast.Dict,
        ast.IfExp,
        ast.expr_context,
        ast.Await,
    ),
    *(ast.Assign, ast.Return, ast.Expr, ast.If, ast.Call, ast.AsyncFunctionDef),
)
_CALLED = frozenset("abs bool float int len max min range repr round sorted str sum asyncio.sleep".split())


def is_pure(node: ast.AsyncFunctionDef, rebound: Set[str]) -> bool:
    """Whether the coroutine changes nothing, and asks for nothing but its arguments."""
    names = [each for statement in node.body for each in nodes_of(statement) if isinstance(each, ast.Name)]
    own = {each.id for each in names if not isinstance(each.ctx, ast.Load)} | parameters_of(node)
    if not {each.id for each in names} <= own | (_CALLED - rebound) | {"asyncio"}:
        return False
    notes = [each.annotation for each in nodes_of(node.args) if isinstance(each, ast.arg) and each.annotation]
    left_out = {id(part) for note in [*notes, *filter(None, [node.returns])] for part in nodes_of(note)}
    parts = [each for each in nodes_of(node) if id(each) not in left_out]
    calls = [each for each in parts if isinstance(each, ast.Call)]
    left_out = {id(call.func) for call in calls} | {id(part) for call in calls for part in nodes_of(call.func)}
    plain = all(isinstance(each, _PARTS) for each in parts if id(each) not in left_out)
    return plain and not node.decorator_list and all(ast.unparse(call.func) in _CALLED for call in calls)


def parameters_of(node: ast.AsyncFunctionDef) -> set[str]:
    return {each.arg for each in nodes_of(node.args) if isinstance(each, ast.arg)}


def run_in_order(found: Sequence[ast.AsyncFunctionDef]) -> bool:
    """Whether such coroutines end in the order in which they are gathered: all pause at first, for as long, or none."""
    pauses = {_first_pause(node) for node in found}
    return len(pauses) <= 1 and None not in pauses


def _first_pause(node: ast.AsyncFunctionDef) -> str | None:
    """The text of the constant for which a coroutine pauses at first, empty for none; None for anything else."""
    waits = [each for each in nodes_of(node) if isinstance(each, ast.Await)]
    if not waits:
        return ""
    match node.body[0]:
        case ast.Expr(value=ast.Await(value=ast.Call(args=[ast.Constant(value=int() | float() as pause)]))):
            return repr(pause) if len(waits) == 1 else None
    return None


def cannot_raise(node: ast.AsyncFunctionDef, numbers: Collection[str]) -> bool:
    """Whether a coroutine whose parameters of these names are given numbers, and others texts, ends by its `return`."""
    known = set(numbers)
    bound = parameters_of(node)
    for statement in node.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                fits = True
            case ast.Expr(value=ast.Await(value=ast.Call(func=ast.Attribute(attr="sleep"), args=[pause]))):
                fits = _is_number(pause, known)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                fits = _is_value(value, known, bound)
                bound.add(name)
                known = known | {name} if _is_number(value, known) else known - {name}
            case ast.Return(value=value):
                fits = value is None or _is_value(value, known, bound)
            case _:
                fits = False
        if not fits:
            return False
    return True


def _is_number(node: ast.expr, known: Set[str]) -> bool:
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.Name(id=name):
            return name in known
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_number(left, known) and _is_number(right, known)
    return False


def _is_value(node: ast.expr, known: Set[str], bound: Set[str]) -> bool:
    """Whether an expression has a value for sure: numbers, texts, and containers of both."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name in bound
        case ast.FormattedValue(value=value, format_spec=None):
            return _is_value(value, known, bound)
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_value(each, known, bound) for each in parts)
    return _is_number(node, known)

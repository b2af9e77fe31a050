"""Coroutines that compute their value from their arguments alone: when they run cannot be seen.

Asks about syntax only; `coroutines.py` writes them as plain functions.
"""

import ast

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


def is_pure(node: ast.AsyncFunctionDef) -> bool:
    """Whether the coroutine changes nothing, and asks for nothing but its arguments."""
    notes = [each.annotation for each in nodes_of(node.args) if isinstance(each, ast.arg) and each.annotation]
    left_out = {id(part) for note in [*notes, *filter(None, [node.returns])] for part in nodes_of(note)}
    parts = [each for each in nodes_of(node) if id(each) not in left_out]
    calls = [each for each in parts if isinstance(each, ast.Call)]
    left_out = {id(call.func) for call in calls} | {id(part) for call in calls for part in nodes_of(call.func)}
    plain = all(isinstance(each, _PARTS) for each in parts if id(each) not in left_out)
    return plain and not node.decorator_list and all(ast.unparse(call.func) in _CALLED for call in calls)

"""What CPython's line events do with single statements: which may fail, jump back, fall through, or go unreported.

Facts about syntax for graphs over lines; knows no graph and runs nothing.
"""

import ast
from collections.abc import Sequence

from envs.execution.syntax.program_structure import Step, nodes_of, own_parts


def completes(steps: Sequence[ast.stmt]) -> bool:
    """Whether control can fall out of the end of a block; True where that is not plain to see."""
    if not steps:
        return True
    match steps[-1]:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If() as node:
            return not node.orelse or completes(node.body) or completes(node.orelse)
        case _:
            return True


_JUMPING = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MAY_JUMP = frozenset({*_JUMPING, ast.Compare, ast.With, ast.AsyncWith})


def may_jump_inside(node: ast.AST) -> bool:
    """Whether code of this kind may jump back within a statement."""
    if type(node) not in _MAY_JUMP:
        return False
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1
    return isinstance(node, _JUMPING) or (isinstance(node, ast.With | ast.AsyncWith) and not _one_plain_manager(node))


def jumps_inside(node: Step) -> bool:
    """Whether the statement's own code may jump back, which reports its line again."""
    if isinstance(node, ast.With | ast.AsyncWith) and not _one_plain_manager(node):
        return True  # leaving one of several managers comes back to the same line
    return any(may_jump_inside(n) for part in own_parts(node) for n in nodes_of(part))


def _one_plain_manager(node: ast.With | ast.AsyncWith) -> bool:
    return len(node.items) == 1 and isinstance(node.items[0].optional_vars, ast.Name | None)


def may_raise(node: Step) -> bool:
    """Whether the line itself can fail."""
    match node:
        case ast.Pass() | ast.Break() | ast.Continue() | ast.Try() | ast.TryStar():
            return False
        case ast.Return(value=value):
            return not (value is None or isinstance(value, ast.Constant))
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return False
        case ast.While() | ast.If():
            return not isinstance(node.test, ast.Constant)
        case _:
            return True


def unreported(steps: Sequence[ast.stmt]) -> list[int]:
    """Lines at the end of a `finally` that do nothing: on the way of an exception they have no event of their own."""
    lines: list[int] = []
    for step in reversed(steps):
        if does_nothing(step):
            lines.append(step.lineno)
            continue
        if isinstance(step, ast.If):
            lines += [*unreported(step.body), *unreported(step.orelse)]
        elif isinstance(step, ast.Try):
            lines += unreported(step.finalbody or step.orelse or step.body)
        break
    return lines


def does_nothing(step: ast.stmt) -> bool:
    """`pass`, a constant, or a number with its sign, of which Python makes no code."""
    match step:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.UnaryOp(operand=ast.Constant())):
            return True
        case _:
            return False

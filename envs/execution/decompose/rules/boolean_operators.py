"""Expressions that choose: `and`, `or`, conditional expressions and comparisons, as plain control flow on a temporary.

Each operand's truth is asked as often as Python asks it, which shows where a class of the program decides it.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.expressions import (
    atom,
    keep,
    keep_whole,
    later,
    must_capture,
    operands,
    operate,
    rule,
)

FLAT_FROM = 20
"""A boolean operator of so many operands is tested flat, since each nested test costs a level of indentation."""


def store_value(body: FunctionBody, name: str, node: ast.expr) -> None:
    """Writes the lines after which `name`, a temporary, holds the expression's value."""
    match node:
        case ast.BoolOp() if not _retests(body, node):
            _store_boolean(body, name, node)
        case ast.IfExp():
            with body.writer.block(f"if {condition(body, node.test)}:"), body.branch():
                store_value(body, name, node.body)
            with body.writer.block("else:"), body.branch():
                store_value(body, name, node.orelse)
        case ast.Compare() if len(node.ops) > 1:
            _settle_chain(body, name, node)
        case _:
            value = text(operate(body, node))
            if value != name:
                body.writer.write(f"{name} = {value}")


def condition(body: FunctionBody, node: ast.expr) -> str:
    """What to write after `if`: an atom or `not` and an atom."""
    negated = False
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, negated = node.operand, not negated
    if body.program.custom_truth and _branches(node):
        name = body.temporary()
        _decide(body, name, node)
        value: ast.expr = ast.Name(name, ast.Load())
    else:
        value = atom(body, node)
    return f"not {text(value)}" if negated else text(value)


@rule(ast.BoolOp)
def _boolean(body: FunctionBody, node: ast.BoolOp) -> ast.expr:
    if _retests(body, node):
        return keep_whole(body, node)
    return _settled(body, node)


@rule(ast.IfExp)
def _conditional(body: FunctionBody, node: ast.IfExp) -> ast.expr:
    return _settled(body, node)


def _settled(body: FunctionBody, node: ast.expr) -> ast.expr:
    name = body.temporary()
    store_value(body, name, node)
    return ast.Name(name, ast.Load())


@rule(ast.Compare)
def _compare(body: FunctionBody, node: ast.Compare) -> ast.expr:
    if len(node.ops) > 1:
        return _settled(body, node)
    left, right = operands(body, [node.left, node.comparators[0]])
    return ast.Compare(left, node.ops, [right])


def _store_boolean(body: FunctionBody, name: str, node: ast.BoolOp) -> None:
    test = f"if {name}:" if isinstance(node.op, ast.And) else f"if not {name}:"
    store_value(body, name, node.values[0])
    if len(node.values) > FLAT_FROM:
        for value in node.values[1:]:
            with body.writer.block(test), body.branch():
                store_value(body, name, value)
    elif len(node.values) > 1:
        with body.writer.block(test), body.branch():
            _store_boolean(body, name, ast.BoolOp(node.op, node.values[1:]))


def _settle_chain(body: FunctionBody, name: str, node: ast.Compare) -> None:
    first, rest = node.comparators[0], node.comparators[1:]
    left, right = operands(body, [node.left, first])
    if isinstance(right, ast.Name) and must_capture(body, right.id, later(body, rest)):
        right = keep(body, right)
    body.writer.write(f"{name} = {text(ast.Compare(left, node.ops[:1], [right]))}")
    if rest:
        with body.writer.block(f"if {name}:"), body.branch():
            _settle_chain(body, name, ast.Compare(right, node.ops[1:], rest))


def _branches(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)


def _retests(body: FunctionBody, node: ast.BoolOp) -> bool:
    """Where truth is the program's own, `(a and b) or c` would ask `a` twice as two lines; Python asks once."""
    return body.program.custom_truth and any(isinstance(value, ast.BoolOp) for value in node.values[:-1])


def _decide(body: FunctionBody, name: str, node: ast.expr) -> None:
    """Leaves True or False in `name`, asking each operand's truth exactly once."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and _branches(node.operand):
        _decide(body, name, node.operand)
        body.writer.write(f"{name} = not {name}")
    elif isinstance(node, ast.BoolOp):
        _decide(body, name, node.values[0])
        if len(node.values) > 1:
            test = f"if {name}:" if isinstance(node.op, ast.And) else f"if not {name}:"
            with body.writer.block(test), body.branch():
                _decide(body, name, ast.BoolOp(node.op, node.values[1:]))
    elif isinstance(node, ast.Compare) and len(node.ops) > 1:
        _decide_chain(body, name, node)
    else:
        with body.writer.block(f"if {condition(body, node)}:"):
            body.writer.write(f"{name} = True")
        with body.writer.block("else:"):
            body.writer.write(f"{name} = False")


def _decide_chain(body: FunctionBody, name: str, node: ast.Compare) -> None:
    left, right = operands(body, [node.left, node.comparators[0]])
    if isinstance(right, ast.Name) and must_capture(body, right.id, later(body, node.comparators[1:])):
        right = keep(body, right)
    _decide(body, name, ast.Compare(left, node.ops[:1], [right]))
    if len(node.ops) > 1:
        with body.writer.block(f"if {name}:"), body.branch():
            _decide_chain(body, name, ast.Compare(right, node.ops[1:], node.comparators[1:]))

"""Calls: the function first, then its arguments, then the call itself."""

import ast
from collections.abc import Sequence

from envs.execution.rewriting.body import Body
from envs.execution.rewriting.comprehensions import consumer
from envs.execution.rewriting.consumers import consume
from envs.execution.rewriting.expressions import atom, keep, operand, rule, stirred


@rule(ast.Call)
def _call(body: Body, node: ast.Call) -> ast.expr:
    kind = consumer(body, node)
    if kind is not None:
        return consume(body, kind, node)
    arguments = [*node.args, *(k.value for k in node.keywords)]
    function = _function(body, node.func, arguments)
    ready = [_argument(body, node, index, arguments[index + 1 :]) for index in range(len(arguments))]
    split = len(node.args)
    keywords = [ast.keyword(k.arg, value) for k, value in zip(node.keywords, ready[split:], strict=True)]
    return ast.Call(function, ready[:split], keywords)


def _function(body: Body, node: ast.expr, arguments: Sequence[ast.expr]) -> ast.expr:
    if not isinstance(node, ast.Attribute):
        return operand(body, node, arguments)
    looked_up = ast.Attribute(atom(body, node.value), node.attr, ast.Load())
    return keep(body, looked_up) if stirred(arguments) else looked_up


def _argument(body: Body, node: ast.Call, index: int, later: Sequence[ast.expr]) -> ast.expr:
    if index < len(node.args):
        part = node.args[index]
        if isinstance(part, ast.Starred) and len(node.args) == 1:
            # Python spreads a lone `*iterable` only at the call itself, after the keywords were evaluated.
            return ast.Starred(operand(body, part.value, later))
        return operand(body, part, later)
    keyword = node.keywords[index - len(node.args)]
    value = operand(body, keyword.value, later)
    if keyword.arg is None and stirred(later):  # a mapping is merged before later keywords are evaluated
        return keep(body, ast.Dict([None], [value]))
    return value

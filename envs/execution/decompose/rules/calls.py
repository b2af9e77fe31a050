"""Calls: the function first, then its arguments, then the call itself."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.callbacks import with_generator
from envs.execution.decompose.rules.comprehensions.generator_consumers import consume
from envs.execution.decompose.rules.comprehensions.inlining_conditions import consumer
from envs.execution.decompose.rules.expressions import Later, afters, atom, keep, later, must_capture, operand, rule
from envs.execution.decompose.rules.key_functions import keyed


@rule(ast.Call)
def _call(body: FunctionBody, node: ast.Call) -> ast.expr:
    if (value := keyed(body, node)) is not None:
        return value
    ready = with_generator(body, node)
    kind = consumer(body, ready)
    if kind is not None:
        return consume(body, kind, ready)
    arguments = [*node.args, *(k.value for k in node.keywords)]
    function = _function(body, node.func, arguments)
    waiting = afters(body, arguments)
    atoms = [_argument(body, node, index, after) for index, after in enumerate(waiting)]
    split = len(node.args)
    keywords = [ast.keyword(k.arg, value) for k, value in zip(node.keywords, atoms[split:], strict=True)]
    return ast.Call(function, atoms[:split], keywords)


def _function(body: FunctionBody, node: ast.expr, arguments: Sequence[ast.expr]) -> ast.expr:
    after = later(body, arguments)
    if not isinstance(node, ast.Attribute):
        return operand(body, node, after)
    receiver = atom(body, node.value)
    looked_up = ast.Attribute(receiver, node.attr, ast.Load())
    if not after.stirs or has_method(body, receiver, node.attr, after):
        return looked_up
    return keep(body, looked_up)


def has_method(body: FunctionBody, receiver: ast.expr, method: str, after: Later) -> bool:
    """Whether looking the method up cannot fail, has no effect, and finds the same once the rest is evaluated."""
    kind = body.kind(receiver)
    if kind is None or not hasattr(kind, method):
        return False
    return not isinstance(receiver, ast.Name) or not must_capture(body, receiver.id, after)


def _argument(body: FunctionBody, node: ast.Call, index: int, after: Later) -> ast.expr:
    if index < len(node.args):
        part = node.args[index]
        if isinstance(part, ast.Starred) and len(node.args) == 1:
            # Python spreads a lone `*iterable` only at the call itself, after the keywords were evaluated.
            return ast.Starred(operand(body, part.value, after))
        return operand(body, part, after)
    keyword = node.keywords[index - len(node.args)]
    value = operand(body, keyword.value, after)
    if keyword.arg is None and after.stirs:  # a mapping is merged before later keywords are evaluated
        return keep(body, ast.Dict([None], [value]))
    return value

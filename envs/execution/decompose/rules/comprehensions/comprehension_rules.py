"""Comprehensions to plain loops: with their variables renamed so that nothing leaks, or in a function of their own.

Where either does the same is decided in `inlining`; elsewhere the comprehension stays whole.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.callbacks import over_no_generator
from envs.execution.decompose.rules.comprehensions.comprehension_loops import Heart, gather
from envs.execution.decompose.rules.comprehensions.inlining_conditions import Comprehension, in_loops
from envs.execution.decompose.rules.expressions import atom, operands, rule


def _collected(body: FunctionBody, node: Comprehension, empty: str, element: Heart) -> ast.expr:
    source = iterator(body, node.generators[0].iter)
    name = body.temporary()
    body.writer.write(f"{name} = {empty}")
    gather(body, node, source, name, inner_body=element)
    return ast.Name(name, ast.Load())


def collect_list(body: FunctionBody, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
    """A temporary list of all elements."""
    return _collected(body, node, "[]", adding(node.elt, "append"))


def collect_set(body: FunctionBody, node: ast.SetComp | ast.GeneratorExp) -> ast.expr:
    """A temporary set of all elements."""
    return _collected(body, node, "set()", adding(node.elt, "add"))


def adding(element: ast.expr, method: str = "append") -> Heart:
    """Adds the value of an element to a container."""

    def inner_body(body: FunctionBody, name: str) -> None:
        value = atom(body, element)
        body.writer.write(f"{name}.{method}({text(value)})")

    return inner_body


@rule(ast.ListComp)
def _list(body: FunctionBody, node: ast.ListComp) -> ast.expr:
    node = over_no_generator(body, node)
    return collect_list(body, node) if in_loops(body, node) else whole(body, node)


@rule(ast.SetComp)
def _set(body: FunctionBody, node: ast.SetComp) -> ast.expr:
    if not body.program.builtin("set"):
        return whole(body, node)
    node = over_no_generator(body, node)
    return collect_set(body, node) if in_loops(body, node) else whole(body, node)


@rule(ast.DictComp)
def _dict(body: FunctionBody, node: ast.DictComp) -> ast.expr:
    node = over_no_generator(body, node)
    return collect_dict(body, node, node.key, node.value) if in_loops(body, node) else whole(body, node)


def collect_dict(body: FunctionBody, node: Comprehension, key: ast.expr, value: ast.expr) -> ast.expr:
    """A temporary dict of all pairs."""

    def element(body: FunctionBody, name: str) -> None:
        at, item = operands(body, [key, value])
        body.writer.write(f"{name}[{text(at)}] = {text(item)}")

    return _collected(body, node, "{}", element)


def whole(body: FunctionBody, node: Comprehension) -> ast.expr:
    """The comprehension as it is, with only its first iterable evaluated in front."""
    first = node.generators[0]
    ready = ast.comprehension(first.target, atom(body, first.iter), first.ifs, first.is_async)
    kind = "generator expression" if isinstance(node, ast.GeneratorExp) else "comprehension"
    body.writer.remark = f"{kind} kept whole"
    generators = [ready, *node.generators[1:]]
    if isinstance(node, ast.DictComp):
        return ast.DictComp(node.key, node.value, generators)
    return type(node)(node.elt, generators)

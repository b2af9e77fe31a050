"""Comprehensions to plain loops, with their variables renamed so that nothing leaks.

Where loops do the same is decided in `inlining`; elsewhere the comprehension stays whole.
"""

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from envs.execution.rewriting.body import Body, text
from envs.execution.rewriting.callbacks import single_use
from envs.execution.rewriting.choices import condition
from envs.execution.rewriting.expressions import atom, operands, rule
from envs.execution.rewriting.flattening import flattened
from envs.execution.rewriting.inlining import Comprehension, inlinable
from envs.execution.rewriting.names import target_names
from envs.execution.rewriting.targets import enter_loop, iterator, loop_name


def loops_from(
    body: Body,
    source: ast.Name,
    generators: Sequence[ast.comprehension],
    innermost: Callable[[], None],
    after: Callable[[], None] = lambda: None,
) -> None:
    """Nested loops over an iterator: `innermost` writes the heart, `after` what follows each inner loop."""
    before, bound = dict(body.renames), body.bound
    active = set(before.values())
    for variable in sorted(set().union(*(target_names(g.target) for g in generators))):
        body.renames[variable] = body.names.renamed(variable, active)
        active.add(body.renames[variable])

    def loop(source: ast.Name, generators: Sequence[ast.comprehension]) -> None:
        first, rest = generators[0], generators[1:]
        name, unpacked = loop_name(body, first.target)
        with body.page.block(f"for {name} in {source.id}:"):
            enter_loop(body, first.target, name, unpacked)
            _filtered(body, list(first.ifs), lambda: inner(rest))

    def inner(generators: Sequence[ast.comprehension]) -> None:
        if generators:
            loop(iterator(body, generators[0].iter), generators)
            after()
        else:
            innermost()

    loop(source, generators)
    body.renames, body.bound = before, bound


def _filtered(body: Body, tests: list[ast.expr], then: Callable[[], None]) -> None:
    if not tests:
        then()
        return
    with body.page.block(f"if {condition(body, tests[0])}:"):
        _filtered(body, tests[1:], then)


def _collected(body: Body, node: Comprehension, empty: str, element: Callable[[str], None]) -> ast.expr:
    source = iterator(body, node.generators[0].iter)
    name = body.temporary()
    body.page.write(f"{name} = {empty}")
    loops_from(body, source, node.generators, lambda: element(name))
    return ast.Name(name, ast.Load())


def collect_list(body: Body, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
    """A temporary list of all elements."""
    return _collected(body, node, "[]", lambda name: _append(body, name, node.elt, "append"))


def collect_set(body: Body, node: ast.SetComp | ast.GeneratorExp) -> ast.expr:
    """A temporary set of all elements."""
    return _collected(body, node, "set()", lambda name: _append(body, name, node.elt, "add"))


def _append(body: Body, name: str, element: ast.expr, method: str) -> None:
    value = atom(body, element)
    body.page.write(f"{name}.{method}({text(value)})")


Whole = TypeVar("Whole", ast.ListComp, ast.SetComp, ast.DictComp)


def _over_no_generator(body: Body, node: Whole) -> Whole:
    """The comprehension with the generators that only it goes through taken apart."""
    while (generator := single_use(body, node.generators[0].iter)) is not None:
        flat = flattened(node, generator, body.program.identifiers)
        if not inlinable(body, flat):
            return node
        node = flat
    return node


@rule(ast.ListComp)
def _list(body: Body, node: ast.ListComp) -> ast.expr:
    node = _over_no_generator(body, node)
    return collect_list(body, node) if inlinable(body, node) else whole(body, node)


@rule(ast.SetComp)
def _set(body: Body, node: ast.SetComp) -> ast.expr:
    if not body.program.builtin("set"):
        return whole(body, node)
    node = _over_no_generator(body, node)
    return collect_set(body, node) if inlinable(body, node) else whole(body, node)


@rule(ast.DictComp)
def _dict(body: Body, node: ast.DictComp) -> ast.expr:
    node = _over_no_generator(body, node)
    return collect_dict(body, node, node.key, node.value) if inlinable(body, node) else whole(body, node)


def collect_dict(body: Body, node: Comprehension, key: ast.expr, value: ast.expr) -> ast.expr:
    """A temporary dict of all pairs."""

    def element(name: str) -> None:
        at, item = operands(body, [key, value])
        body.page.write(f"{name}[{text(at)}] = {text(item)}")

    return _collected(body, node, "{}", element)


@rule(ast.GeneratorExp)
def _generator(body: Body, node: ast.GeneratorExp) -> ast.expr:
    return whole(body, node)


def whole(body: Body, node: Comprehension) -> ast.expr:
    """The comprehension as it is, with only its first iterable evaluated in front."""
    first = node.generators[0]
    ready = ast.comprehension(first.target, atom(body, first.iter), first.ifs, first.is_async)
    kind = "generator expression" if isinstance(node, ast.GeneratorExp) else "comprehension that is captured"
    body.page.remark = f"{kind} kept whole"
    generators = [ready, *node.generators[1:]]
    if isinstance(node, ast.DictComp):
        return ast.DictComp(node.key, node.value, generators)
    return type(node)(node.elt, generators)

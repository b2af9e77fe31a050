"""Comprehensions to plain loops, with their variables renamed so that nothing leaks.

A comprehension stays whole where something inside it outlives the moment (a lambda or a generator that captures one of
its variables) or where its scope could be seen (an unbound local read inside it raises another exception type).
"""

import ast
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from envs.execution.rewriting.body import Body, text
from envs.execution.rewriting.choices import condition
from envs.execution.rewriting.expressions import atom, operands, rule
from envs.execution.rewriting.flattening import flattened
from envs.execution.rewriting.names import COMPREHENSIONS, target_names
from envs.execution.rewriting.targets import enter_loop, iterator, loop_name
from envs.execution.structure import nodes_of

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
KINDS = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset", "sorted", "dict"})


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
    """The comprehension with the generator expressions that only it goes through taken apart."""
    while isinstance(generator := node.generators[0].iter, ast.GeneratorExp):
        if not inlinable(body, generator) or (body.program.may_stop and _calls(generator)):
            return node
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


def inlinable(body: Body, node: Comprehension) -> bool:
    """Whether plain loops do exactly what the comprehension does."""
    if not body.program.builtin("iter") or body.program.custom_iterators:
        return False
    if any(g.is_async for g in node.generators) or not _bound_before_use(node):
        return False
    variables = set().union(*(target_names(g.target) for g in node.generators))
    if not _reads_bound_names(body, node, variables):
        return False
    return all(_harmless(body, part, variables) for part in _own_parts(node))


def _reads_bound_names(body: Body, node: Comprehension, variables: set[str]) -> bool:
    """Whether no unbound local can be read inside: that is NameError there and UnboundLocalError in a loop.

    From Python 3.12 on only generator expressions have a scope of their own.
    """
    if sys.version_info >= (3, 12) and not isinstance(node, ast.GeneratorExp):
        return True
    inside = [n for part in _own_parts(node) for n in nodes_of(part)]
    walrus = {n.target.id for n in inside if isinstance(n, ast.NamedExpr)}
    read = {n.id for n in inside if isinstance(n, ast.Name)} - variables - walrus - set(body.renames)
    return all(body.surely_bound(name) for name in read & body.scope.own)


def _own_parts(node: Comprehension) -> list[ast.expr]:
    """Expressions evaluated inside the comprehension: all but the first iterable."""
    heart = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    tests = [test for g in node.generators for test in g.ifs]
    return [*heart, *tests, *(g.iter for g in node.generators[1:])]


def _bound_before_use(node: Comprehension) -> bool:
    """Reading a variable before its own loop binds it would see what an earlier run of the lines left."""
    unbound = set().union(*(target_names(g.target) for g in node.generators))
    for index, generator in enumerate(node.generators):
        read = {n.id for n in nodes_of(generator.iter) if isinstance(n, ast.Name)} if index else set()
        read |= {n.id for n in nodes_of(generator.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if read & unbound:
            return False
        unbound -= target_names(generator.target)
        if any(isinstance(n, ast.Name) and n.id in unbound for test in generator.ifs for n in nodes_of(test)):
            return False
    return True


def _harmless(body: Body, part: ast.expr, variables: set[str]) -> bool:
    """Whether nothing inside captures a variable, and every comprehension inside can become a loop as well."""
    match part:
        case ast.Lambda():
            return not _reads(part, variables)
        case ast.Call() if consumer(body, part):
            rest = [a for a in part.args if a is not part.args[0]] + [k.value for k in part.keywords]
            inner = part.args[0]
            parts = [*rest, inner.generators[0].iter] if isinstance(inner, COMPREHENSIONS) else rest
            if isinstance(part.func, ast.Attribute):
                parts.append(part.func.value)
            return (
                isinstance(inner, ast.GeneratorExp)
                and inlinable(body, inner)
                and all(_harmless(body, p, variables) for p in [*parts, *_own_parts(inner)])
            )
        case ast.GeneratorExp():
            captured = any(_reads(p, variables) for p in _own_parts(part))
            return not captured and _harmless(body, part.generators[0].iter, variables)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            parts = [*_own_parts(part), part.generators[0].iter]
            return inlinable(body, part) and all(_harmless(body, p, variables) for p in parts)
        case _:
            return all(_harmless(body, c, variables) for c in _expressions(list(ast.iter_child_nodes(part))))


def _expressions(nodes: Sequence[ast.AST]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.expr):
            found.append(node)
        elif isinstance(node, ast.keyword):
            found.append(node.value)
    return found


def _reads(node: ast.AST, variables: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in variables for n in nodes_of(node))


def consumer(body: Body, node: ast.Call) -> str | None:
    """The builtin that consumes the generator expression it is called with, at once and only it."""
    if not node.args or not isinstance(node.args[0], ast.GeneratorExp):
        return None
    generator = node.args[0]
    if not inlinable(body, generator) or (body.program.may_stop and _calls(generator)):
        return None
    match node.func:
        case ast.Name(id=name) if name in KINDS and body.program.builtin(name):
            return name if _signature_fits(name, node, generator) else None
        case ast.Attribute(attr="join") if len(node.args) == 1 and not node.keywords:
            return "join" if "join" not in body.program.rebound else None
        case _:
            return None


def _calls(node: ast.GeneratorExp) -> bool:
    return any(isinstance(n, ast.Call) for part in _own_parts(node) for n in nodes_of(part))


def _is_pair(node: ast.Tuple) -> bool:
    return len(node.elts) == 2 and not any(isinstance(part, ast.Starred) for part in node.elts)


def _signature_fits(name: str, node: ast.Call, generator: ast.GeneratorExp) -> bool:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return False
    if name == "dict" and not (isinstance(generator.elt, ast.Tuple) and _is_pair(generator.elt)):
        return False  # what is no pair fails in the middle
    if name == "frozenset" and _calls(generator):
        return False  # what cannot be hashed fails in the middle, before later elements are made
    if name == "sorted":
        return len(node.args) == 1 and {k.arg for k in node.keywords} <= {"key", "reverse"}
    most = 2 if name == "sum" else 1
    return len(node.args) <= most and not node.keywords

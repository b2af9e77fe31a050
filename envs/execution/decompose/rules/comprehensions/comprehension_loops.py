"""The loops of a comprehension: written where it stands, or in a function of their own that is called at once.

Where a lambda captures a variable, or a name may be unbound, the scope of a comprehension can be seen. A function's
scope is just like it. Which of the two is right is decided in `inlining`.
"""

import ast
from collections.abc import Callable, Iterable, Sequence

from envs.execution.decompose.fresh_names import FreshNames
from envs.execution.decompose.function_body import FunctionBody
from envs.execution.decompose.rules.assignment_targets import enter_loop, iterator, loop_name
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.comprehensions.inlining_conditions import (
    Comprehension,
    inlinable,
    variables_of,
    walrus_targets,
)
from envs.execution.syntax.bindings import stored_names
from envs.execution.syntax.name_scopes import FunctionScope

Heart = Callable[[FunctionBody, str], None]
"""Writes the innermost lines into a body, given the name of what they add to."""


def _nothing(body: FunctionBody, name: str) -> None:
    return


def gather(
    body: FunctionBody, node: Comprehension, source: ast.Name, name: str, *, inner_body: Heart, after: Heart = _nothing
) -> None:
    """Writes the loops over an iterator after which the temporary `name` holds all that `inner_body` adds to it."""
    if inlinable(body, node):
        loops_from(body, source, node.generators, lambda: inner_body(body, name), after=lambda: after(body, name))
        return
    function = body.names.fresh("g")
    items, found = _parameters(body)
    with body.writer.block(f"def {function}({items}, {found}):"):
        inner = _inner(body, node, {items, found})
        _declare(body, walrus_targets(node))
        own = ast.Name(items, ast.Load())
        _loops(inner, own, node.generators, lambda: inner_body(inner, found), after=lambda: after(inner, found))
        body.writer.write(f"return {found}")
    body.writer.write(f"{name} = {function}({source.id}, {name})")


def _parameters(body: FunctionBody) -> list[str]:
    """Names that the program does not use. They are no temporaries, so that every frame shows them."""
    found = []
    for name in ("items", "found"):
        while name in body.program.identifiers:
            name += "_"
        found.append(name)
    return found


def _inner(body: FunctionBody, node: Comprehension, parameters: set[str]) -> FunctionBody:
    """State for writing a function whose variables are those of the comprehension."""
    own, outer = frozenset(variables_of(node) | parameters), body.scope
    bound = body.bound if body.bound is not None else frozenset()
    known = ((bound - outer.fragile) | outer.known) - own
    scope = FunctionScope(own, outer.globals, frozenset(), known, free=(outer.own | outer.free) - own)
    return FunctionBody(
        body.writer, body.program, scope, FreshNames(body.program, body.names.introduced), bound=frozenset(parameters)
    )


def _declare(body: FunctionBody, names: Iterable[str]) -> None:
    """A walrus binds its name around the comprehension, not in it."""
    for name in sorted(names):
        body.writer.write(f"{'global' if name in body.scope.globals else 'nonlocal'} {name}")


def loops_from(
    body: FunctionBody,
    source: ast.Name,
    generators: Sequence[ast.comprehension],
    innermost: Callable[[], None],
    *,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Nested loops over an iterator: `innermost` writes the inner_body, `after` what follows each inner loop."""
    before, bound = dict(body.renames), body.bound
    active = set(before.values())
    for variable in sorted(set().union(*(stored_names(g.target) for g in generators))):
        body.renames[variable] = body.names.renamed(variable, active)
        active.add(body.renames[variable])
    _loops(body, source, generators, innermost, after=after)
    body.renames, body.bound = before, bound


def _loops(
    body: FunctionBody,
    source: ast.Name,
    generators: Sequence[ast.comprehension],
    innermost: Callable[[], None],
    after: Callable[[], None],
) -> None:
    def loop(source: ast.Name, generators: Sequence[ast.comprehension]) -> None:
        first, rest = generators[0], generators[1:]
        name, unpacked = loop_name(body, first.target)
        with body.writer.block(f"for {name} in {source.id}:"):
            enter_loop(body, first.target, name, unpacked)
            _filtered(body, list(first.ifs), lambda: inner(rest))

    def inner(generators: Sequence[ast.comprehension]) -> None:
        if generators:
            loop(iterator(body, generators[0].iter), generators)
            after()
        else:
            innermost()

    loop(source, generators)


def _filtered(body: FunctionBody, tests: list[ast.expr], then: Callable[[], None]) -> None:
    if not tests:
        then()
        return
    with body.writer.block(f"if {condition(body, tests[0])}:"):
        _filtered(body, tests[1:], then)

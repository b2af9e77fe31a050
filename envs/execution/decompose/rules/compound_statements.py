"""Compound statements: tests, loops and `try`, each with its header reduced to an atom."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody, Handler, text
from envs.execution.decompose.rules.assignment_targets import enter_loop, iterator, loop_name, store
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.callbacks import lazily
from envs.execution.decompose.rules.comprehensions.comprehension_loops import loops_from
from envs.execution.decompose.rules.expressions import atom
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.syntax.bindings import deleted_names, stored_names
from envs.execution.syntax.block_exits import breaks, leaves_outer
from envs.execution.syntax.line_events import does_nothing
from envs.execution.syntax.program_structure import nodes_of


@statement(ast.If)
def _if(body: FunctionBody, node: ast.If) -> None:
    test = condition(body, node.test)
    before = body.bound
    with body.page.block(f"if {test}:"):
        suite(body, node.body)
    after, body.bound = body.bound, before
    with body.page.optional("else:"):
        suite(body, node.orelse)
    body.meet(after, body.bound)


@statement(ast.While)
def _while(body: FunctionBody, node: ast.While) -> None:
    before = body.bound
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    if isinstance(node.test, ast.Name) or endless:
        with body.page.block(f"while {text(atom(body, node.test))}:"):
            suite(body, node.body)
        body.bound = before
        with body.page.optional("else:"):
            suite(body, node.orelse)
    else:
        _tested_loop(body, node)
    _after_loop(body, node, before, endless)


def _after_loop(
    body: FunctionBody, node: ast.For | ast.While, before: frozenset[str] | None, endless: bool = False
) -> None:
    """What is bound after a loop, at the end of its `else`: control may not come here, but by a `break`."""
    if breaks(node.body) or not (endless or (node.orelse and body.bound is None)):
        body.bound = before
    else:
        body.bound = None


def _tested_loop(body: FunctionBody, node: ast.While) -> None:
    before = body.bound
    flag = body.temporary() if leaves_outer(node.orelse) else None
    if flag:
        body.page.write(f"{flag} = False")
    with body.page.block("while True:"):
        test = condition(body, node.test)
        inside = body.bound
        with body.page.block(f"if {_opposite(test)}:"):
            if flag:
                body.page.write(f"{flag} = True")
            else:
                suite(body, node.orelse)
            ended = body.bound
            body.page.origin = node.lineno
            if not (node.orelse and body.bound is None):
                body.page.write("break")
        body.bound = inside
        suite(body, node.body)
    body.bound = before
    if flag:
        with body.page.block(f"if {flag}:"):
            suite(body, node.orelse)
    elif node.orelse:
        body.bound = ended


def _opposite(test: str) -> str:
    return test[4:] if test.startswith("not ") else f"not {test}"


@statement(ast.For)
def _for(body: FunctionBody, node: ast.For) -> None:
    if (generator := lazily(body, node)) is not None:
        _over_generator(body, node, generator)
        return
    if body.program.builtin("iter") and not body.program.custom_iterators:
        source, reason = text(iterator(body, node.iter)), None
    else:
        source, reason = text(node.iter), "loop whose iterator stays hidden"
    before = body.bound
    name, unpacked = loop_name(body, node.target)
    with body.page.block(f"for {name} in {source}:", reason):
        enter_loop(body, node.target, name, unpacked)
        suite(body, node.body)
    _end_for(body, node, before)


def _over_generator(body: FunctionBody, node: ast.For, generator: ast.GeneratorExp) -> None:
    """The loop over what the generator goes through, with each item made and tested at the top of the body."""
    before, turns = body.bound, iterator(body, generator.generators[0].iter)

    def heart() -> None:
        within = body.renames
        value = atom(body, generator.elt)
        body.renames = outside
        store(body, node.target, value)
        suite(body, node.body)
        body.renames = within

    outside = dict(body.renames)
    loops_from(body, turns, generator.generators, heart)
    _end_for(body, node, before)


def _end_for(body: FunctionBody, node: ast.For, before: frozenset[str] | None) -> None:
    body.bound = before
    with body.page.optional("else:"):
        suite(body, node.orelse)
    _after_loop(body, node, before)


@statement(ast.Try)
def _try(body: FunctionBody, node: ast.Try) -> None:
    last = list(node.finalbody)
    while last and does_nothing(last[-1]):  # Python has no line event for it while an exception passes
        last.pop()
    if not (last or node.handlers):
        suite(body, node.body)
        return
    before = body.bound
    with body.page.block("try:"):
        suite(body, node.body)
    ends = []
    body_end = body.bound
    for handler in node.handlers:
        body.bound = before
        _handler(body, handler)
        ends.append(body.bound)
    body.bound = body_end
    with body.page.optional("else:"):
        suite(body, node.orelse)
    body.meet(*ends, body.bound)
    if last:
        _finally(body, last, before)


def _finally(body: FunctionBody, statements: Sequence[ast.stmt], before: frozenset[str] | None) -> None:
    end, body.bound = body.bound, before
    body.handlers.append(Handler(None))
    with body.page.block("finally:"):
        suite(body, statements)
    body.handlers.pop()
    if body.bound is None or end is None:
        body.bound = None
    else:
        body.bound = end | body.bound


def _handler(body: FunctionBody, node: ast.ExceptHandler) -> None:
    body.page.origin = node.lineno
    name = node.name or body.names.fresh("e")
    kind = text(node.type) if node.type else "BaseException"
    if node.type is None and not body.program.builtin("BaseException"):
        with body.page.block("except:", "bare except of a program that rebinds BaseException"):
            body.handlers.append(Handler(None))
            suite(body, node.body)
            body.handlers.pop()
        return
    reason = None if _matches_plainly(node.type) else "exception type that is computed"
    with body.page.block(f"except {kind} as {name}:", reason):
        body.bind([name])
        held = name
        if node.name and _rebound(node):
            held = body.temporary()
            body.page.write(f"{held} = {name}")
        body.handlers.append(Handler(held))
        suite(body, node.body)
        body.handlers.pop()


def _matches_plainly(kind: ast.expr | None) -> bool:
    match kind:
        case None | ast.Name() | ast.Attribute(value=ast.Name()):
            return True
        case ast.Tuple(elts=parts):
            return all(_matches_plainly(part) for part in parts)
        case _:
            return False


def _rebound(node: ast.ExceptHandler) -> bool:
    """Whether the handler gives its name another meaning, so that `raise` must remember the exception."""
    inside = [n for s in node.body for n in nodes_of(s)]
    if not any(isinstance(n, ast.Raise) and n.exc is None for n in inside):
        return False
    stored = set().union(*(stored_names(s) for s in node.body))
    deleted = deleted_names(inside)
    caught = {n.name for n in inside if isinstance(n, ast.ExceptHandler)}
    return node.name in stored | deleted | caught

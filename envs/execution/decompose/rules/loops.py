"""`while` and `for` loops: tests and iterators are computed on lines of their own.

`while test:` becomes `while True:` with an `if` and a `break`, unless the test is a name or a constant. A `for` loop
runs over a visible iterator (`_2 = iter(xs)`). Comprehensions become loops in `comprehensions/`.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import enter_loop, iterator, loop_name, store
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.callbacks import lazily
from envs.execution.decompose.rules.comprehensions.comprehension_loops import loops_from
from envs.execution.decompose.rules.expressions import atom
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.syntax.block_exits import breaks, leaves_outer


@statement(ast.While)
def _while(body: FunctionBody, node: ast.While) -> None:
    before = body.bound
    while_true = isinstance(node.test, ast.Constant) and bool(node.test.value)
    if isinstance(node.test, ast.Name) or while_true:
        with body.writer.block(f"while {text(atom(body, node.test))}:"):
            suite(body, node.body)
        body.bound = before
        with body.writer.optional("else:"):
            suite(body, node.orelse)
    else:
        _tested_loop(body, node)
    _after_loop(body, node, before, while_true)


def _after_loop(
    body: FunctionBody, node: ast.For | ast.While, before: frozenset[str] | None, while_true: bool = False
) -> None:
    """What is bound after a loop, at the end of its `else`: control may not come here, but by a `break`."""
    if breaks(node.body) or not (while_true or (node.orelse and body.bound is None)):
        body.bound = before
    else:
        body.bound = None


def _tested_loop(body: FunctionBody, node: ast.While) -> None:
    before = body.bound
    flag = body.temporary() if leaves_outer(node.orelse) else None
    if flag:
        body.writer.write(f"{flag} = False")
    with body.writer.block("while True:"):
        test = condition(body, node.test)
        inside = body.bound
        with body.writer.block(f"if {_opposite(test)}:"):
            if flag:
                body.writer.write(f"{flag} = True")
            else:
                suite(body, node.orelse)
            ended = body.bound
            body.writer.origin = node.lineno
            if not (node.orelse and body.bound is None):
                body.writer.write("break")
        body.bound = inside
        suite(body, node.body)
    body.bound = before
    if flag:
        with body.writer.block(f"if {flag}:"):
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
    with body.writer.block(f"for {name} in {source}:", reason):
        enter_loop(body, node.target, name, unpacked)
        suite(body, node.body)
    _end_for(body, node, before)


def _over_generator(body: FunctionBody, node: ast.For, generator: ast.GeneratorExp) -> None:
    """The loop over what the generator goes through, with each item made and tested at the top of the body."""
    before, turns = body.bound, iterator(body, generator.generators[0].iter)

    def inner_body() -> None:
        within = body.renames
        value = atom(body, generator.elt)
        body.renames = outside
        store(body, node.target, value)
        suite(body, node.body)
        body.renames = within

    outside = dict(body.renames)
    loops_from(body, turns, generator.generators, inner_body)
    _end_for(body, node, before)


def _end_for(body: FunctionBody, node: ast.For, before: frozenset[str] | None) -> None:
    body.bound = before
    with body.writer.optional("else:"):
        suite(body, node.orelse)
    _after_loop(body, node, before)

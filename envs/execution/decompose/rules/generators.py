"""`yield` as a line of its own, and `yield from` as a loop that yields.

A generator that nothing is sent to gives the same items whether it delegates or loops; the loop shows each of them.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import iterator
from envs.execution.decompose.rules.comprehensions.comprehension_loops import loops_from
from envs.execution.decompose.rules.comprehensions.inlining_conditions import inlinable
from envs.execution.decompose.rules.expressions import atom, keep_whole, rule


@rule(ast.Yield)
def _yield(body: FunctionBody, node: ast.Yield) -> ast.expr:
    return ast.Yield(atom(body, node.value) if node.value else None)


@rule(ast.YieldFrom)
def _yield_from(body: FunctionBody, node: ast.YieldFrom) -> ast.expr:
    """The value is what the inner generator returned, which its StopIteration holds."""
    if not (body.program.builtin("iter") and body.program.builtin("next") and body.program.builtin("StopIteration")):
        return keep_whole(body, node)
    turns = text(iterator(body, node.value))
    item, error, result = body.temporary(), body.names.fresh("e"), body.temporary()
    sent = body.temporary() if "send" in body.program.mentions else None
    if sent:
        body.writer.write(f"{sent} = None")
    with body.writer.block("while True:"):
        with body.writer.block("try:"):
            _ask(body, item, turns, sent)
        with body.writer.block(f"except StopIteration as {error}:"):
            body.writer.write(f"{result} = {error}.value")
            body.writer.write("break")
        body.writer.write(f"{sent} = yield {item}" if sent else f"yield {item}")
    return ast.Name(result, ast.Load())


def _ask(body: FunctionBody, item: str, turns: str, sent: str | None) -> None:
    """Write the lines that ask the inner generator for its next item, with what was sent to the outer one."""
    if sent is None:
        body.writer.write(f"{item} = next({turns})")
        return
    is_none = body.temporary()
    body.writer.write(f"{is_none} = {sent} is None")
    with body.writer.block(f"if {is_none}:"):
        body.writer.write(f"{item} = next({turns})")
    with body.writer.block("else:"):
        body.writer.write(f"{item} = {turns}.send({sent})")


def yield_each(body: FunctionBody, node: ast.YieldFrom) -> bool:
    """Write a `yield from` whose value is not used; False where it must stay as it is."""
    if not body.program.builtin("iter") or body.program.custom_iterators or "send" in body.program.mentions:
        return False
    if isinstance(node.value, ast.GeneratorExp) and inlinable(body, node.value):
        _yield_items(body, node.value)
        return True
    turns, item = text(iterator(body, node.value)), body.temporary()
    with body.writer.block(f"for {item} in {turns}:"):
        body.writer.write(f"yield {item}")
    return True


def _yield_items(body: FunctionBody, node: ast.GeneratorExp) -> None:
    """Write the loops of a generator expression, which yield for the generator around it."""
    turns, outside = iterator(body, node.generators[0].iter), dict(body.renames)
    loops_from(body, turns, node.generators, lambda: body.writer.write(f"yield {text(atom(body, node.elt))}"))
    body.renames = outside

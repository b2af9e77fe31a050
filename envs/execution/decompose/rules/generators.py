"""`yield` as a line of its own, and `yield from` as a loop that yields.

A generator that nothing is sent to gives the same items whether it delegates or loops; the loop shows each of them.
"""

import ast

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.assignment_targets import iterator
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
    with body.writer.block("while True:"):
        with body.writer.block("try:"):
            body.writer.write(f"{item} = next({turns})")
        with body.writer.block(f"except StopIteration as {error}:"):
            body.writer.write(f"{result} = {error}.value")
            body.writer.write("break")
        body.writer.write(f"yield {item}")
    return ast.Name(result, ast.Load())


def yield_each(body: FunctionBody, node: ast.YieldFrom) -> bool:
    """Write a `yield from` whose value nobody takes; False where it must stay as it is."""
    if not body.program.builtin("iter") or body.program.custom_iterators:
        return False
    turns, item = text(iterator(body, node.value)), body.temporary()
    with body.writer.block(f"for {item} in {turns}:"):
        body.writer.write(f"yield {item}")
    return True

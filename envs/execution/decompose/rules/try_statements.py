"""`try` statements: every handler names its exception, and a `finally` that does nothing is left out."""

import ast
from collections.abc import Sequence

from envs.execution.decompose.function_body import FunctionBody, Handler, text
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.syntax.bindings import deleted_names, stored_names
from envs.execution.syntax.line_events import does_nothing
from envs.execution.syntax.program_structure import nodes_of


@statement(ast.Try)
def _try(body: FunctionBody, node: ast.Try) -> None:
    last = list(node.finalbody)
    while last and does_nothing(last[-1]):  # Python has no line event for it while an exception passes
        last.pop()
    if not (last or node.handlers):
        suite(body, node.body)
        return
    before = body.bound
    with body.writer.block("try:"):
        suite(body, node.body)
    ends = []
    body_end = body.bound
    for handler in node.handlers:
        body.bound = before
        _handler(body, handler)
        ends.append(body.bound)
    body.bound = body_end
    with body.writer.optional("else:"):
        suite(body, node.orelse)
    body.meet(*ends, body.bound)
    if last:
        _finally(body, last, before)


def _finally(body: FunctionBody, statements: Sequence[ast.stmt], before: frozenset[str] | None) -> None:
    end, body.bound = body.bound, before
    body.handlers.append(Handler(None))
    with body.writer.block("finally:"):
        suite(body, statements)
    body.handlers.pop()
    if body.bound is None or end is None:
        body.bound = None
    else:
        body.bound = end | body.bound


def _handler(body: FunctionBody, node: ast.ExceptHandler) -> None:
    body.writer.origin = node.lineno
    name = node.name or body.names.fresh("e")
    kind = text(node.type) if node.type else "BaseException"
    if node.type is None and not body.program.builtin("BaseException"):
        with body.writer.block("except:", "bare except of a program that rebinds BaseException"):
            body.handlers.append(Handler(None))
            suite(body, node.body)
            body.handlers.pop()
        return
    reason = None if _matches_plainly(node.type) else "exception type that is computed"
    with body.writer.block(f"except {kind} as {name}:", reason):
        body.bind([name])
        held = name
        if node.name and _rebound(node):
            held = body.temporary()
            body.writer.write(f"{held} = {name}")
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

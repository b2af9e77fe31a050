"""Bugs of excess: an operand, a condition or a statement too many.

Their repair is a deletion, which no bug of omission teaches.
"""

import ast
from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.training.policy.bug_text import Bug, Lines

_OPEN = (ast.Name, ast.Call, ast.Subscript, ast.Attribute, ast.BinOp)
"""Expressions to which an operand can be added without brackets."""
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Continue, ast.Break)
SHARE = 0.5
"""Positions that are tried; there are more of them than of any other bug."""


def excess_bugs(nodes: Sequence[ast.AST], names: Sequence[str], lines: Lines, rng: Random) -> Iterator[Bug]:
    """Bugs of excess in a function with these nodes."""
    tests = [lines.text(node.test) for node in nodes if isinstance(node, ast.If | ast.While)]
    simple = [node for node in nodes if isinstance(node, _SIMPLE) and _stands_alone(node, lines)]
    copied = [node for node in simple if not _is_docstring(node)]
    for node in nodes:
        if isinstance(node, ast.Return | ast.Assign | ast.AugAssign) and isinstance(node.value, _OPEN):
            yield from _operand(node.value, names, lines, rng)
        if isinstance(node, ast.If | ast.While) and len(tests) > 1:
            yield from _condition(node.test, tests, lines, rng)
    for node in simple:
        if copied and rng.random() < SHARE:
            yield _statement(node, rng.choice(copied), lines, before=rng.random() < 0.5)


def _operand(value: ast.expr, names: Sequence[str], lines: Lines, rng: Random) -> Iterator[Bug]:
    if rng.random() < SHARE:
        other = rng.choice(("1", "1", "1", "2", *names))
        end = lines.span(value)[1]
        yield Bug("operand-add", end, end, f" {rng.choice('++--*')} {other}")


def _condition(test: ast.expr, tests: Sequence[str], lines: Lines, rng: Random) -> Iterator[Bug]:
    own, other = lines.text(test), rng.choice(tests)
    joins = not isinstance(test, ast.BoolOp | ast.IfExp | ast.NamedExpr) and "\n" not in other
    if joins and other != own and not any(word in other for word in (" and ", " or ", " if ", ":=")):
        start, end = lines.span(test)
        yield Bug("condition-add", start, end, f"{own} {rng.choice(('and', 'or'))} {other}")


def _statement(place: ast.stmt, copied: ast.stmt, lines: Lines, *, before: bool) -> Bug:
    """A copy of a statement of the function, before or behind another one."""
    start, end = lines.whole(place)
    margin = lines.source[start : lines.span(place)[0]]
    # nothing runs behind a return
    at = start if before or isinstance(place, ast.Return | ast.Continue | ast.Break) else end
    return Bug("statement-add", at, at, f"{margin}{lines.text(copied)}\n")


def _stands_alone(statement: ast.stmt, lines: Lines) -> bool:
    """Whether a statement is exactly one whole line."""
    start, end = lines.whole(statement)
    return lines.source[start:end].strip() == lines.text(statement) and "\n" not in lines.text(statement)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

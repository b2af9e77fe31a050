"""An edit that puts one expression in the place of another: whether a state gives both the same value."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cwm_agent.agent.repair.evidence.expression_value import Change, RaisedError, Valued, value_or_error
from cwm_agent.agent.repair.evidence.run_state import RunState, Unknown
from cwm_agent.agent.repair.evidence.statement_effect import same_value
from envs.bounded_cache import MIB, bounded_cache
from envs.editing.edit import Edit

Pair = tuple[Valued, Valued]


@dataclass(frozen=True, slots=True, eq=False)
class ReplacedExpression:
    """The expressions around the change, the widest first, before and after; the first that can be told decides."""

    line: int
    pairs: tuple[Pair, ...]
    is_test: bool
    """Whether the widest is the test of an `if` or a `while`, of which the truth alone matters."""

    def change(self, state: RunState) -> Change:
        """What becomes of the value that the line calculates; raises `Unknown`."""
        for place, (before, after) in enumerate(self.pairs):
            try:
                old, new = value_or_error(before, state), value_or_error(after, state)
                if self.is_test and place == 0:
                    old, new = _branch(old), _branch(new)
                if same_value(old, new):
                    return Change.NONE
                first_raises = isinstance(new, RaisedError) and not isinstance(old, RaisedError)
                return Change.ERROR if first_raises else Change.OTHER
            except Unknown:
                continue
        raise Unknown


def replaced_expression(edit: Edit, line: str) -> ReplacedExpression | None:
    """The expression that an edit replaces within a line; None where it does anything else."""
    if "\n" in edit.before or "\n" in edit.after or not line[edit.column :].startswith(edit.before):
        return None
    before = _statement(line.strip())
    after = _statement((line[: edit.column] + edit.after + line[edit.column + len(edit.before) :]).strip())
    if before is None or after is None or type(before) is not type(after):
        return None
    pairs = tuple(_pairs(before, after))
    is_test = isinstance(before, ast.If | ast.While) and bool(pairs) and pairs[0][0] is before.test
    return ReplacedExpression(edit.line, pairs, is_test) if pairs else None


@bounded_cache(16 * MIB, per_character=100)
def _statement(line: str) -> ast.stmt | None:
    """The statement that stands on a line of its own, a compound one without its body."""
    text = line.removeprefix("el") if line.startswith("elif ") else line
    for whole in (text, f"{text} pass"):
        try:
            body = ast.parse(whole).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return body[0] if len(body) == 1 else None
    return None


def _pairs(before: ast.AST, after: ast.AST) -> Iterator[Pair]:
    """The expressions that differ, each inside the one before."""
    if isinstance(before, ast.AugAssign) and isinstance(after, ast.AugAssign):
        if _same(before.target, after.target):
            yield before, after
            yield from _pairs(before.value, after.value) if _same(before.op, after.op) else ()
        return
    if isinstance(before, ast.expr) and isinstance(after, ast.expr) and not _is_stored(before):
        if _same(before, after):
            return
        yield before, after
    if type(before) is not type(after):
        return
    children = list(zip(_children(before), _children(after), strict=False))
    differing = [pair for pair in children if not _same(*pair)]
    if len(differing) == 1 and len(_children(before)) == len(_children(after)):
        yield from _pairs(*differing[0])


def _is_stored(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _children(node: ast.AST) -> list[ast.AST]:
    return list(ast.iter_child_nodes(node))


def _same(one: Any, two: Any) -> bool:
    """Whether two trees are equal, wherever they stand."""
    if type(one) is not type(two):
        return False
    if isinstance(one, ast.AST):
        return all(_same(getattr(one, name, None), getattr(two, name, None)) for name in one._fields)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(_same, one, two))
    return bool(one == two)


def _branch(value: object) -> object:
    """What an `if` makes of a value."""
    return value if isinstance(value, RaisedError) else bool(value)

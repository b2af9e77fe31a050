"""An edit that puts a condition before a line: whether a state goes another way than before."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.evidence.changed_statement import indent_of
from cwm_agent.agent.repair.evidence.expression_value import Change, RaisedError, value_or_error
from cwm_agent.agent.repair.evidence.run_state import Instance, RunState, Unknown
from envs.bounded_cache import MIB, bounded_cache
from envs.editing.edit import Edit

_BEHIND = re.compile(r"\n(?P<indent> *)if (?P<condition>[^\n]+):\n")
_CLAUSE = re.compile(r"\s*(?:elif|else|except|finally)\b")
_GUARD = re.compile(r"\s*if (?P<condition>[^\n]+):\n")


@dataclass(frozen=True, slots=True)
class AddedCondition:
    """A condition that an edit adds at a line, and for which of its truth values the program runs differently."""

    line: int
    condition: str
    changes_if: bool

    def change(self, state: RunState) -> Change:
        """Whether a run in this state goes another way than before; raises `Unknown`."""
        tree = _parsed(self.condition)
        if tree is None:
            raise Unknown
        found = value_or_error(tree, state)
        if isinstance(found, Instance):
            raise Unknown
        if isinstance(found, RaisedError):
            return Change.ERROR
        return Change.OTHER if bool(found) is self.changes_if else Change.NONE


def added_condition(edit: Edit, lines: Sequence[str]) -> AddedCondition | None:
    """The condition that an edit of a program with these lines adds; None where it adds none.

    One behind its line is asked before the next line, where that stands as deep.
    """
    behind = _BEHIND.match(edit.after)
    if behind and not edit.before:
        following = lines[edit.line] if edit.line < len(lines) else ""
        if not following.strip() or indent_of(following) != len(behind["indent"]) or _CLAUSE.match(following):
            return None
        return AddedCondition(edit.line + 1, behind["condition"], changes_if=True)
    guard = _GUARD.match(edit.after)
    if guard and not edit.before and edit.column == 0:
        return AddedCondition(edit.line, guard["condition"], changes_if=True)
    if guard and edit.before and edit.after.rstrip().endswith(edit.before.rstrip()) and "else:" not in edit.after:
        return AddedCondition(edit.line, guard["condition"], changes_if=False)
    return None


@bounded_cache(16 * MIB, per_character=100)
def _parsed(condition: str) -> ast.expr | None:
    try:
        return ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

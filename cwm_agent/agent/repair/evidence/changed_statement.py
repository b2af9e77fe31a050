"""An edit that adds or deletes one statement: what a state would be with it or without it."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.evidence.expression_value import Change
from cwm_agent.agent.repair.evidence.run_state import RunState
from cwm_agent.agent.repair.evidence.statement_effect import effect
from envs.bounded_cache import MIB, bounded_cache
from envs.editing.edit import Edit

_EXIT = re.compile(r"\s*(?:return|break|continue|raise)\b")
_CLAUSES = ("elif", "else", "except", "finally")


@dataclass(frozen=True, slots=True)
class ChangedStatement:
    """A statement that an edit adds or deletes, and where it stands."""

    line: int
    text: str
    behind: bool
    """Whether it stands behind its line rather than before it."""
    deleted: bool = False
    """Whether the program runs it before the edit rather than after it."""

    def change(self, state: RunState) -> Change:
        """What the statement makes of a state; raises `Unknown`."""
        statement = _parsed(self.text)
        found = Change.NONE if statement is None else effect(statement, state)
        return Change.OTHER if self.deleted and found is Change.ERROR else found


def changed_statement(edit: Edit, lines: Sequence[str]) -> ChangedStatement | None:
    """The statement that an edit of a program with these lines adds or deletes; None where it does anything else."""
    if not edit.before and edit.after.startswith("\n"):
        return _behind(edit.line, edit.after[1:], lines)
    if edit.column or not edit.before + edit.after:
        return None
    if not edit.before and edit.after.endswith("\n"):
        return _before(edit.line, edit.after, lines)
    if edit.before.endswith("\n") and edit.after.strip() in ("", "pass"):
        return _made(edit.line, edit.before, behind=False, deleted=True)
    return None


def _before(line: int, text: str, lines: Sequence[str]) -> ChangedStatement | None:
    """A statement before a line; deeper than that line it ends the block before it."""
    here = lines[line - 1]
    if indent_of(text) == indent_of(here) and not _is_clause(here):
        return _made(line, text, behind=False)
    above = next((number for number in range(line - 1, 0, -1) if lines[number - 1].strip()), 0)
    return _behind(above, text, lines) if above else None


def _behind(line: int, text: str, lines: Sequence[str]) -> ChangedStatement | None:
    """A statement behind a simple one of the same block, or behind a block that a line as deep as it follows."""
    if indent_of(text) == indent_of(lines[line - 1]) and not lines[line - 1].rstrip().endswith(":"):
        return None if _EXIT.match(lines[line - 1]) else _made(line, text, behind=True)
    following = next((number for number in range(line + 1, len(lines) + 1) if lines[number - 1].strip()), 0)
    if following and indent_of(text) == indent_of(lines[following - 1]) and not _is_clause(lines[following - 1]):
        return _made(following, text, behind=False)
    return None


def _made(line: int, text: str, *, behind: bool, deleted: bool = False) -> ChangedStatement | None:
    found = _parsed(_flush(text))
    return None if found is None else ChangedStatement(line, _flush(text), behind, deleted)


def _flush(text: str) -> str:
    depth = indent_of(text)
    return "\n".join(each[depth:] for each in text.splitlines() if each.strip())


def _is_clause(line: str) -> bool:
    return line.lstrip().startswith(_CLAUSES)


def indent_of(text: str) -> int:
    """Blanks before the first word of a text."""
    return len(text) - len(text.lstrip(" "))


@bounded_cache(16 * MIB, per_character=100)
def _parsed(text: str) -> ast.stmt | None:
    """The one statement of a text."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0] if len(body) == 1 else None

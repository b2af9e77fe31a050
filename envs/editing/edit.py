"""An edit as a value: its class, its place, the text before and the text after.

An edit replaces text, so formatting and comments outside it stay as they are. `str(edit)` is one line that
`Edit.read` reads back. Knows no syntax tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.reading.program_text import source_lines

_LINE = re.compile(
    r"(?P<operator>[a-z-]+) (?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9}): "
    r"(?P<before>'.*'|\".*\") -> (?P<after>'.*'|\".*\")$"
)


class BadEdit(ValueError):
    """An edit does not fit the program, or a text is no edit."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces `before` at a line and column by `after`."""

    line: int
    """Counted from 1."""
    column: int
    """Characters from the start of the line, counted from 0."""
    before: str
    after: str
    operator: str
    """The class of the edit, such as `comparison-boundary`."""

    def __str__(self) -> str:
        """The edit on one line; `Edit.read` reads it back."""
        return f"{self.operator} {self.line}:{self.column}: {self.before!r} -> {self.after!r}"

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the unedited program that it changes; an insertion counts as its line."""
        if "\n" not in self.before and "\r" not in self.before:  # asked for millions of times in a search
            return (self.line,)
        return tuple(range(self.line, self.line + len(source_lines(self.before))))

    @classmethod
    def read(cls, text: str) -> Edit:
        """The edit that `str(edit)` wrote; BadEdit if the text is no edit."""
        found = _LINE.match(text.strip())
        if found is None:
            raise BadEdit(f"{text[:120]!r} is no edit. Write an edit like this: comparison 3:7: '<' -> '<='")
        try:
            before, after = ast.literal_eval(found["before"]), ast.literal_eval(found["after"])
        except (SyntaxError, ValueError) as error:
            raise BadEdit(f"{text[:120]!r}: a quoted text is no Python string ({error}).") from None
        return cls(int(found["line"]), int(found["column"]), before, after, operator=found["operator"])

    def apply(self, source: str) -> str:
        """The program after this edit; BadEdit if `before` is not the text at its place."""
        lines = source_lines(source)
        if not 1 <= self.line <= len(lines) + 1:
            raise BadEdit(f"{self}: the program has only {len(lines)} lines.")
        start = sum(map(len, lines[: self.line - 1])) + self.column
        found = source[start : start + len(self.before)]
        if found != self.before:
            raise BadEdit(f"{self}: the text at this place is {found!r}. Apply the edits of a patch in order.")
        return source[:start] + self.after + source[start + len(self.before) :]


def apply_patch(source: str, patch: Iterable[Edit | str]) -> str:
    """The program after all edits of a patch, applied in order."""
    for edit in patch:
        source = (Edit.read(edit) if isinstance(edit, str) else edit).apply(source)
    return source

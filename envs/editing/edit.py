"""One change to a program's text, as a value: what kind, where, from what, to what.

An edit is a textual replacement, so formatting and comments outside it stay as they are. Its line of text says all
of it and can be read back. Knows no syntax tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

_LINE = re.compile(
    r"(?P<operator>[a-z-]+) (?P<line>\d+):(?P<column>\d+): (?P<before>'.*'|\".*\") -> (?P<after>'.*'|\".*\")$"
)


class BadEdit(ValueError):
    """An edit that does not fit the program, or a text that is no edit."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A replacement of `before`, which stands at line and column, by `after`."""

    line: int
    """Counted from 1."""
    column: int
    """Characters from the start of the line, counted from 0."""
    before: str
    after: str
    operator: str
    """The class of edits it belongs to, such as `comparison-boundary`."""

    def __str__(self) -> str:
        """The edit on one line; `Edit.read` reads it back."""
        return f"{self.operator} {self.line}:{self.column}: {self.before!r} -> {self.after!r}"

    @property
    def id(self) -> str:
        """A name that is the same in every process and for every program where the edit fits."""
        return str(self)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the unedited program that it touches; an insertion touches the line it stands before."""
        return tuple(range(self.line, self.line + max(1, len(self.before.splitlines()))))

    @classmethod
    def read(cls, text: str) -> Edit:
        """The edit that a line of text says."""
        found = _LINE.match(text.strip())
        if found is None:
            raise BadEdit(f"{text[:120]!r} is no edit. Write one as: comparison 3:7: '<' -> '<='")
        try:
            before, after = ast.literal_eval(found["before"]), ast.literal_eval(found["after"])
        except (SyntaxError, ValueError) as error:
            raise BadEdit(f"{text[:120]!r} quotes its texts wrongly ({error}).") from None
        return cls(int(found["line"]), int(found["column"]), before, after, found["operator"])

    def apply(self, source: str) -> str:
        """The program with this edit made; BadEdit where `before` does not stand there."""
        lines = source.splitlines(keepends=True)
        if not 1 <= self.line <= len(lines) + 1:
            raise BadEdit(f"{self}: the program has {len(lines)} lines.")
        start = sum(map(len, lines[: self.line - 1])) + self.column
        found = source[start : start + len(self.before)]
        if found != self.before:
            raise BadEdit(f"{self}: {found!r} stands there. Edits of a patch are made one after the other.")
        return source[:start] + self.after + source[start + len(self.before) :]


def apply_patch(source: str, patch: Iterable[Edit | str]) -> str:
    """The program after all edits of a patch, one after the other."""
    for edit in patch:
        source = (Edit.read(edit) if isinstance(edit, str) else edit).apply(source)
    return source

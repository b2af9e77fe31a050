"""Edits of one program made side by side: which still fit once others are made, and where they then stand.

An edit belongs to the program it was listed for. Made on that program after others, it stands elsewhere; it can
still be made where none of the others touched its place. Listing edits anew costs more than running a program, and
this costs next to nothing. Knows no tests and no environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from envs.editing.edit import Edit


@dataclass(frozen=True, slots=True)
class EditSpan:
    """The characters of the listed program that an edit replaces; empty where it only inserts."""

    start: int
    end: int
    after: int
    """How many characters stand there once it is made."""

    def clashes(self, other: EditSpan) -> bool:
        """Whether both want the same characters, or insert at the same place or at the edge of what the other takes."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


def spans_of(source: str, edits: Sequence[Edit]) -> tuple[EditSpan, ...]:
    """Where each of a program's edits stands in it."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = [starts[edit.line - 1] + edit.column for edit in edits]
    return tuple(
        EditSpan(place, place + len(edit.before), len(edit.after)) for place, edit in zip(places, edits, strict=True)
    )


def moved(edit: Edit, span: EditSpan, made: Sequence[EditSpan], source: str) -> Edit:
    """The same edit where it stands in `source`: the listed program with `made` edits made, none in its way."""
    grown = sum(other.after - (other.end - other.start) for other in made if other.end <= span.start)
    lines = (source[: span.start + grown] + "|").splitlines()  # with something there, the place has a line of its own
    return replace(edit, line=len(lines), column=len(lines[-1]) - 1)

"""Character spans of edits of one program: which edits exclude each other, and where an edit moves to.

An edit belongs to the program it was listed for. After other edits its place has moved, and it is still applicable
unless one of them changed its span. Moving an edit is far cheaper than listing the edits of the new program, which
costs more than running it. Knows no tests and no environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from envs.editing.edit import Edit
from tasks.reading.program_text import source_lines


@dataclass(frozen=True, slots=True)
class EditSpan:
    """The characters of the listed program that an edit replaces; empty for an insertion."""

    start: int
    end: int
    after: int
    """Number of characters at this place after the edit."""

    def clashes(self, other: EditSpan) -> bool:
        """Whether two spans overlap; insertions also clash at the same place and at the edge of the other span."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


def spans_of(source: str, edits: Sequence[Edit]) -> tuple[EditSpan, ...]:
    """The span of each edit in its program."""
    starts = [0]
    for line in source_lines(source):
        starts.append(starts[-1] + len(line))
    places = [starts[edit.line - 1] + edit.column for edit in edits]
    return tuple(
        EditSpan(place, place + len(edit.before), len(edit.after)) for place, edit in zip(places, edits, strict=True)
    )


def moved(edit: Edit, span: EditSpan, applied: Sequence[EditSpan], source: str) -> Edit:
    """The edit at its place in `source`, which is the listed program after the `applied` edits; none may clash."""
    shift = sum(other.after - (other.end - other.start) for other in applied if other.end <= span.start)
    lines = source_lines(source[: span.start + shift] + "|")  # `|` keeps an empty last line
    return replace(edit, line=len(lines), column=len(lines[-1]) - 1)

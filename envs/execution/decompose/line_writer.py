"""Where rewritten lines are written; rules write blocks and lines, and never handle indentation.

Knows nothing of Python's syntax except that a block must not be empty.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """One written line with the original line it stands for."""

    depth: int
    text: str
    origin: int
    atomic: str | None = None
    """Why this line still holds more than one operation; None when it does not."""


@dataclass(slots=True)
class LineWriter:
    """Lines in order, with the depth and the original line that the next one gets."""

    lines: list[WrittenLine] = field(default_factory=list)
    depth: int = 0
    origin: int = 1
    unrolled: list[tuple[int, str]] = field(default_factory=list)
    """Where a string operation was written out as a loop, and which."""
    remark: str | None = None
    """Reason that the next written line is atomic."""

    def write(self, text: str, atomic: str | None = None) -> None:
        """One line more; a pending remark becomes its reason."""
        self.lines.append(WrittenLine(self.depth, text, self.origin, atomic or self.remark))
        self.remark = None

    @contextmanager
    def block(self, header: str, atomic: str | None = None) -> Iterator[None]:
        """A header and, one level deeper, what is written meanwhile; `pass` where that is nothing."""
        self.write(header, atomic)
        start, origin = len(self.lines), self.origin
        self.depth += 1
        try:
            yield
            if len(self.lines) == start:
                self.origin = origin
                self.write("pass")
        finally:
            self.depth -= 1

    @contextmanager
    def optional(self, header: str) -> Iterator[None]:
        """Like `block`, but header and all vanish where nothing was written."""
        start = len(self.lines)
        self.write(header)
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
        if len(self.lines) == start + 1:
            self.lines.pop()

"""Errors of reading tasks.

    TaskError
    ├── BadTask         a field of a task has an invalid value; names the field
    ├── NotPlain        a text is no plain value (see tasks.value)
    ├── UnknownTasks    no file, folder, collection or task has this name
    └── UnknownFormat   a file or folder exists, but no loader recognises it

Knows no format and no task type.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path


class TaskError(Exception):
    """Base class: a task cannot be read."""


class BadTask(TaskError):
    """A task has an invalid value; `field` names the field, `message` gives the reason."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"field {field!r}: {message}")
        self.field = field
        self.message = message


class NotPlain(TaskError):
    """A text is no plain value: only running it would give its value."""


class UnknownTasks(TaskError):
    """No file, folder, collection or task has this name."""


class UnknownFormat(TaskError):
    """A file or folder exists, but no loader recognises it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One task that was skipped while the others were loaded: its place and the reason."""

    path: Path
    line: int | None
    field: str | None
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: field {self.field!r}: {self.message}" if self.field else f"{place}: {self.message}"

    @classmethod
    def of(cls, path: Path, line: int | None, error: TaskError) -> "Problem":
        """The problem for an error at a place."""
        if isinstance(error, BadTask):
            return cls(path, line, error.field, error.message)
        return cls(path, line, None, str(error))


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str | None = None) -> str:
    """A hint for an unknown name: the nearest known name; if none is near, `otherwise` or all known names."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    if otherwise is not None:
        return otherwise
    return f"Choose one of: {', '.join(names)}." if names else "There are none."

"""Errors of reading tasks.

    TaskError
    ├── BadTask         a field of a task has an invalid value; names the field
    ├── BadSource       a program text cannot be read: too large, in no known encoding, or no Python
    ├── NotPlain        a text is no plain value (see tasks.value)
    │   └── OverBudget  reading it would need more work than its limit (see tasks.reading.work_budget)
    ├── UnknownTasks    no file, folder, collection or task has this name
    └── UnknownFormat   a file or folder exists, but no loader recognises it

Knows no format and no task type.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path


class TaskError(Exception):
    """Base class: a task cannot be read."""


class BadTask(TaskError):
    """A task has an invalid value; `field` names the field, `message` gives the reason."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"field {field!r}: {message}")
        self.field = field
        self.message = message


class BadSource(TaskError):
    """A program text cannot be read; `line` is the line of the fault, if it has one, and `message` gives the reason."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {message}" if line is not None else message)
        self.line = line
        self.message = message


class NotPlain(TaskError):
    """A text is no plain value: only running it would give its value."""


class OverBudget(NotPlain):
    """Reading a text would need more work than its limit."""


class UnknownTasks(TaskError):
    """No file, folder, collection or task has this name."""


class UnknownFormat(TaskError):
    """A file or folder exists, but no loader recognises it."""


TOO_DEEP = "a program or a value is nested too deeply to be read"
MAX_MESSAGE = 600
"""Longest message of a problem; what a message quotes may be of any length."""
MAX_NAMES = 500
"""Names that a hint is searched among."""


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
        """The problem for an error at a place; where the place has no line, it is that of the fault in the text."""
        if isinstance(error, BadTask):
            return cls(path, line, error.field, shortened(error.message))
        if isinstance(error, BadSource) and line is None:
            return cls(path, error.line, None, shortened(error.message))
        return cls(path, line, None, shortened(str(error)))


def shortened(text: str, limit: int = MAX_MESSAGE) -> str:
    """The text, or its two ends if it is longer than the limit."""
    half = (limit - 5) // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str | None = None) -> str:
    """A hint for an unknown name: the nearest known name; if none is near, `otherwise` or all known names."""
    names = sorted(set(islice(known, MAX_NAMES)))
    near = get_close_matches(name[:MAX_MESSAGE], names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    if otherwise is not None:
        return otherwise
    return f"Choose one of: {', '.join(names)}." if names else "There are none."

"""What can go wrong between a file and a task, each error named by what it crossed.

    TaskError
    ├── BadTask         a value that cannot be (part of) a task; names the field
    ├── NotPlain        a text that is not plain data (see tasks.value)
    ├── UnknownTasks    no file, folder, collection or task of that name
    └── UnknownFormat   something is there, and no loader recognises it

Knows no format and no task type.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path


class TaskError(Exception):
    """Anything that keeps a task from being read."""


class BadTask(TaskError):
    """A task refused at the door; `field` says where, the message says why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"field {field!r}: {message}")
        self.field = field
        self.message = message


class NotPlain(TaskError):
    """A text that is no plain value: it would have to be run to be known."""


class UnknownTasks(TaskError):
    """No file, folder, collection or task of that name."""


class UnknownFormat(TaskError):
    """A file or folder in which no loader recognises its own."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One task that was skipped while the others were served: where, and why."""

    path: Path
    line: int | None
    field: str | None
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: field {self.field!r}: {self.message}" if self.field else f"{place}: {self.message}"

    @classmethod
    def of(cls, path: Path, line: int | None, error: TaskError) -> "Problem":
        """The problem that an error makes at a place."""
        if isinstance(error, BadTask):
            return cls(path, line, error.field, error.message)
        return cls(path, line, None, str(error))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest known one, else all of them."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Choose one of: {', '.join(names)}." if names else "There are none."

"""The record of one solve, as one JSONL row: what was planned, imagined, run and spent.

`runner.py` appends a row as each task ends. A reader takes rows of this and of older versions, and skips a row that was
cut in half when a run was killed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERSION = 1


class BadEpisodes(ValueError):
    """A file of episodes that cannot be read or added to; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RealRun:
    """One candidate that was run for real, beside what had been imagined of it."""

    patch: tuple[str, ...]
    imagined: float | None
    """Share of the tests believed to pass; None where nothing was believed."""
    beliefs: tuple[bool | None, ...]
    """Verdict on each test; None is unknown or not imagined."""
    marks: tuple[bool | None, ...]
    """What each test really did."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One task from its first real run to its end."""

    task: str
    solved: bool
    """All visible tests pass for real."""
    right: bool | None
    """The hidden tests pass too; None where there are none, or nothing to judge."""
    patch: tuple[str, ...] = ()
    diff: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    trusted: tuple[bool | None, ...] = ()
    """For each test: was its outcome on the buggy program imagined right? None where that was not asked."""
    runs: tuple[RealRun, ...] = ()
    spent: dict[str, float] = field(default_factory=dict)
    problem: str = ""
    """Why the task could not be worked on at all."""
    version: int = VERSION

    @property
    def executions(self) -> int:
        return int(self.spent.get("executions", 0))


def read(path: Path) -> Iterator[Episode]:
    """All whole rows of a file."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            continue  # cut in half when the run was killed; the task is solved again
        yield _episode(row, f"{path}:{number}")


def _episode(row: dict[str, Any], where: str) -> Episode:
    if row.get("version", 0) > VERSION:
        raise BadEpisodes(f"{where} was written by a newer version ({row['version']}). Update, or use another folder.")
    runs = tuple(
        RealRun(tuple(run["patch"]), run["imagined"], tuple(run["beliefs"]), tuple(run["marks"]))
        for run in row.get("runs", ())
    )
    known = {
        name: row[name] for name in ("task", "solved", "right", "diff", "settings", "spent", "problem") if name in row
    }
    return Episode(**known, patch=tuple(row.get("patch", ())), trusted=tuple(row.get("trusted", ())), runs=runs)

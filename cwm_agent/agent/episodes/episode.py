"""The record of one solve, as one JSONL row: what was planned, imagined, run and spent.

`runner.py` appends a row as each task ends. A reader takes rows of this and of older versions, checks each, and skips
what is no episode, such as a row that was cut in half when a run was killed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cwm_agent.records.jsonl_file import numbered_rows
from tasks.output.terminal_text import print_line

VERSION = 1


class BadEpisodes(ValueError):
    """A file of episodes that cannot be read or added to; the message says what to do."""


class NoEpisode(ValueError):
    """A row that is no episode; the message names the field."""


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
    failing: tuple[str, ...] = ()
    """The tests that failed at first, each with what it expected and got; the first few of them."""
    difference: dict[str, Any] = field(default_factory=dict)
    """The shortest input on which another patch that passes returns something else; empty where none is known."""
    evidence: dict[str, float] = field(default_factory=dict)
    """What the confidence is computed from."""
    confidence: float | None = None
    """Calibrated chance that the patch is right; None where it is not known."""
    imagination: tuple[str, ...] = ()
    """How many tests can be imagined, and why the others cannot; empty where nothing was to be imagined."""
    content: str = ""
    """Digest of the task as it was solved; empty where that is not known."""
    details: dict[str, Any] = field(default_factory=dict)
    """What the report shows beyond this: program, tests, tree, imagined frames; empty in episodes of older versions."""
    version: int = VERSION

    @property
    def executions(self) -> int:
        """Real executions until the visible tests passed."""
        return int(self.spent.get("executions", 0))

    @property
    def real_executions(self) -> int:
        """All real executions, those of comparisons among passing candidates included."""
        return self.executions + int(self.spent.get("comparisons", 0))

    @property
    def ambiguous(self) -> bool:
        """Whether another plausible patch passes all tests and returns something else on some input."""
        return bool(self.difference)


def print_skipped(message: str) -> None:
    """Print on stderr what was skipped."""
    print_line(f"skipped: {message}", error=True)


def read(path: Path, skipped: Callable[[str], None] = print_skipped) -> list[Episode]:
    """The episodes of a file, each task once; `skipped` is told what was left out, with file and line.

    Where a task occurs twice, its last row counts, in the place of the first. A row that is no episode is skipped, so
    its task is solved again.
    """
    if not path.exists():
        return []
    found: dict[str, Episode] = {}
    for number, row in numbered_rows(path):
        where = f"{path}:{number}"
        if isinstance(row, str):
            skipped(f"{where} {row}")
            continue
        _check_version(row, where)
        try:
            episode = _episode(row)
        except NoEpisode as error:
            skipped(f"{where} is no episode: {error}")
            continue
        if episode.task in found:
            skipped(f"an earlier row of the task {episode.task!r}: {where} has another, and the last one counts")
        found[episode.task] = episode
    return list(found.values())


def _check_version(row: dict[str, Any], where: str) -> None:
    version = row.get("version", 0)
    if isinstance(version, int) and version > VERSION:
        raise BadEpisodes(f"{where} was written by a newer version ({version}). Update, or use another folder.")


def _episode(row: dict[str, Any]) -> Episode:
    """The episode of a row; NoEpisode names the field that is missing or wrong."""
    known: dict[str, Any] = {name: _checked(row, name) for name in _KINDS if name in row or name in _REQUIRED}
    known |= {name: tuple(known.get(name, ())) for name in ("patch", "trusted", "failing", "imagination")}
    known["runs"] = tuple(map(_run, known.get("runs", ())))
    return Episode(**known | {"version": VERSION})


def _run(row: object) -> RealRun:
    if not isinstance(row, dict):
        raise NoEpisode(f"a run is {row!r:.60}, and must be an object")
    found = {name: _checked(row, name) for name in ("patch", "imagined", "beliefs", "marks")}
    return RealRun(tuple(found["patch"]), found["imagined"], tuple(found["beliefs"]), tuple(found["marks"]))


def _checked(row: dict[str, Any], name: str) -> Any:
    if name not in row:
        raise NoEpisode(f"the field {name!r} is missing")
    words, fits = _KINDS[name] if name in _KINDS else _RUN_KINDS[name]
    if not fits(row[name]):
        raise NoEpisode(f"the field {name!r} is {row[name]!r:.60}, and must be {words}")
    return row[name]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _is_mark(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_list(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_numbers(value: Any) -> bool:
    return _is_object(value) and all(map(_is_number, value.values()))


_Kind = tuple[str, Callable[[Any], bool]]
_TEXTS: _Kind = ("a list of texts", _is_list(_is_text))
_MARKS: _Kind = ("a list of true, false and null", _is_list(_is_mark))
_REQUIRED = ("task", "solved", "right")
_KINDS: dict[str, _Kind] = {
    "task": ("a text", _is_text),
    "solved": ("true or false", lambda value: isinstance(value, bool)),
    "right": ("true, false or null", _is_mark),
    "patch": _TEXTS,
    "diff": ("a text", _is_text),
    "settings": ("an object", _is_object),
    "trusted": _MARKS,
    "runs": ("a list", lambda value: isinstance(value, list)),
    "spent": ("an object of numbers", _is_numbers),
    "problem": ("a text", _is_text),
    "failing": _TEXTS,
    "imagination": _TEXTS,
    "difference": ("an object", _is_object),
    "evidence": ("an object of numbers", _is_numbers),
    "confidence": (
        "a number from 0 to 1 or null",
        lambda value: value is None or (_is_number(value) and 0 <= value <= 1),
    ),
    "content": ("a text", _is_text),
    "details": ("an object", _is_object),
    "version": ("an integer", lambda value: isinstance(value, int)),
}
"""What a field of an episode must be, in words and as a check."""
_RUN_KINDS: dict[str, _Kind] = {
    "imagined": ("a number or null", lambda value: value is None or _is_number(value)),
    "beliefs": _MARKS,
    "marks": _MARKS,
}
"""The same for a run; its patch is as that of an episode."""

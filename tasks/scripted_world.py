"""What a program finds outside itself when it runs: the seed of its random numbers, input lines, a clock, text files.

A world is data: nothing of the machine is read. Every source has a position, which is part of a frame
(`envs/execution/sources/`); the world says where the positions begin. Knows no program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.errors import BadTask

MOST_TEXT = 20_000
"""Characters of all input lines together, and of all files together: a frame shows them."""
_LATEST = 200_000_000_000.0
"""The year 8307; Python's dates end at 9999."""
_FIELDS = ("seed", "inputs", "clock", "tick", "files")


@dataclass(frozen=True, slots=True)
class ScriptedWorld:
    """Where each source of one run begins; equal worlds give equal runs."""

    seed: int | str | None = None
    """Of the functions of `random`, until the program seeds them itself; 0 where it is not given."""
    inputs: tuple[str, ...] = ()
    """The lines that `input()` gives, one after another; then it raises EOFError."""
    clock: float | None = None
    """Seconds since 1970 at the first reading of any clock; the time zone is UTC. Not given: `ScriptedClock` has it."""
    tick: float | None = None
    """Seconds that pass with each reading; `time.sleep` lets more pass."""
    files: tuple[tuple[str, str], ...] = ()
    """Names and texts of the files that `open` finds."""

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | str | None):
            raise BadTask("seed", f"must be a whole number or a text, got {self.seed!r}")
        for name, value in (("clock", self.clock), ("tick", self.tick)):
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LATEST:
                raise BadTask(name, f"must be a number of seconds from 0 to {_LATEST:.0f}, got {value!r}")
        if any("\n" in line for line in self.inputs):
            raise BadTask("inputs", "are lines; write each line as a text of its own, without line breaks")
        if len(dict(self.files)) != len(self.files):
            raise BadTask("files", "names a file twice")
        for name, texts in (("inputs", self.inputs), ("files", [text for _, text in self.files])):
            if sum(map(len, texts)) > MOST_TEXT:
                raise BadTask(name, f"have more than {MOST_TEXT:,} characters in all, which no frame shows")

    def record(self) -> dict[str, Any]:
        """What the world gives, as JSON; `world_from` reads it, and so does `SourceSet.of_world`."""
        given = {"seed": self.seed, "clock": self.clock, "tick": self.tick}
        found: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        found |= {"inputs": list(self.inputs)} if self.inputs else {}
        return found | ({"files": dict(self.files)} if self.files else {})


NO_WORLD = ScriptedWorld()


def world_from(record: object, field: str = "world") -> ScriptedWorld:
    """The world of a JSON object, all of whose fields may be left out; BadTask names a field that is wrong."""
    if not isinstance(record, Mapping):
        raise BadTask(field, f"must be an object with some of {', '.join(_FIELDS)}, got {record!r}"[:200])
    unknown = sorted(set(map(str, record)) - set(_FIELDS))
    if unknown:
        raise BadTask(field, f"has no part {unknown[0]!r}; it may have {', '.join(_FIELDS)}")
    inputs, files = record.get("inputs", ()), record.get("files", {})
    if not isinstance(inputs, list | tuple) or not all(isinstance(line, str) for line in inputs):
        raise BadTask("inputs", f"must be a list of texts, got {inputs!r}"[:200])
    if not isinstance(files, Mapping) or not all(isinstance(part, str) for row in files.items() for part in row):
        raise BadTask("files", f"must be an object from names to texts, got {files!r}"[:200])
    numbers = {name: record[name] for name in ("seed", "clock", "tick") if name in record}
    return ScriptedWorld(inputs=tuple(inputs), files=tuple(files.items()), **numbers)

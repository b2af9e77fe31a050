"""The raw results on disk: one JSON line a finished cell, appended as it ends, so that a study goes on where it was.

A line that was cut off by a kill is dropped when the file is next opened. Knows no study.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from cwm_agent.studies.study import Result, Row, Study

VERSION = 1
C = TypeVar("C")


class BadLedger(ValueError):
    """A file of results that cannot be gone on with."""


@dataclass(slots=True)
class Ledger:
    """The results of one study, oracle and seed."""

    path: Path
    oracle: str
    """As it was asked for; rows of another oracle or seed in the same file are left alone."""
    seed: int
    _lines: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.exists():
            for line in _whole_lines(self.path):
                if (line["oracle"], line["seed"]) == (self.oracle, self.seed):
                    self._lines[_key(line["cell"])] = line

    def holds(self, cell: object) -> bool:
        """Whether a cell was measured."""
        return _key(_settings(cell)) in self._lines

    def append(self, cell: object, rows: Sequence[Row], view: str | None, answered_by: str, seconds: float) -> None:
        """Keep a measured cell."""
        settings = _settings(cell)
        line = {"version": VERSION, "cell": settings, "oracle": self.oracle, "view": view, "answered_by": answered_by}
        line |= {"seed": self.seed, "seconds": round(seconds, 2), "rows": list(rows)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._lines[_key(settings)] = line

    def check(self, view: str | None, answered_by: str) -> None:
        """Refuse to go on with other weights under the same name: their results could not stand in one figure."""
        others = {line["answered_by"] for line in self._lines.values() if line["view"] == view} - {answered_by}
        if others:
            raise BadLedger(
                f"{self.path} holds results of {', '.join(sorted(others))}, and {self.oracle} is now {answered_by}. "
                "Give another folder with --out."
            )

    def results(self, study: Study[C], cells: Sequence[C]) -> list[Result[C]]:
        """Those of the cells that were measured, in order."""
        found = []
        for cell in cells:
            line = self._lines.get(_key(_settings(cell)))
            if line is not None:
                found.append(Result(cell, tuple(line["rows"])))
        return found


def _settings(cell: Any) -> dict[str, Any]:
    return asdict(cell)


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    """All complete lines; a torn last one is cut from the file."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        path.write_bytes(data[:end])
    lines = [json.loads(line) for line in data[:end].splitlines()]
    wrong = next((line for line in lines if line.get("version") != VERSION), None)
    if wrong is not None:
        raise BadLedger(f"{path} was written in version {wrong.get('version')}, this is {VERSION}. Give another --out.")
    return lines

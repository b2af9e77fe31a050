"""The raw results on disk: one JSON line a finished cell, appended as it ends, so that a study goes on where it was.

A line that was cut off by a kill is dropped when the file is next opened. One process holds a file at a time. Knows no
study.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from cwm_agent.studies.errors import BadLedger
from cwm_agent.studies.study_protocol import CellResult, Row, Study

if TYPE_CHECKING:
    from types import TracebackType

VERSION = 1
C = TypeVar("C")


@dataclass(slots=True)
class Ledger:
    """The results of one study, oracle and seed; a context manager, since it holds its file."""

    path: Path
    oracle: str
    """As it was asked for; rows of another oracle or seed in the same file are left alone."""
    seed: int
    _lines: dict[str, dict[str, Any]] = field(default_factory=dict)
    _file: BinaryIO = field(init=False)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadLedger(
                f"Another study writes to {self.path}. Wait for it, or give another folder with --out."
            ) from error
        for line in _whole_lines(self._file, self.path):
            if (line["oracle"], line["seed"]) == (self.oracle, self.seed):
                self._lines[_key(line["cell"])] = line

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def holds(self, cell: object) -> bool:
        """Whether a cell was measured."""
        return _key(_settings(cell)) in self._lines

    def append(self, cell: object, rows: Sequence[Row], view: str | None, answered_by: str, seconds: float) -> None:
        """Keep a measured cell."""
        settings = _settings(cell)
        line = {"version": VERSION, "cell": settings, "oracle": self.oracle, "view": view, "answered_by": answered_by}
        line |= {"seed": self.seed, "seconds": round(seconds, 2), "rows": list(rows)}
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        self._lines[_key(settings)] = line

    def answered_by(self, view: str | None) -> frozenset[str]:
        """Who answered in a view: other weights under the same name could not stand in one figure with these."""
        return frozenset(line["answered_by"] for line in self._lines.values() if line["view"] == view)

    def results(self, study: Study[C], cells: Sequence[C]) -> list[CellResult[C]]:
        """Those of the cells that were measured, in order."""
        found = []
        for cell in cells:
            line = self._lines.get(_key(_settings(cell)))
            if line is not None:
                found.append(CellResult(cell, tuple(line["rows"])))
        return found


def _settings(cell: Any) -> dict[str, Any]:
    return asdict(cell)


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _whole_lines(file: BinaryIO, path: Path) -> list[dict[str, Any]]:
    """All complete lines; a torn last one is cut from the file."""
    file.seek(0)
    data = file.read()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        file.truncate(end)
    lines = [json.loads(line) for line in data[:end].splitlines()]
    wrong = next((line for line in lines if line.get("version") != VERSION), None)
    if wrong is not None:
        raise BadLedger(f"{path} was written in version {wrong.get('version')}, this is {VERSION}. Give another --out.")
    return lines

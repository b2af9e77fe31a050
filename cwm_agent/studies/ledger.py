"""Ledger: the file with the raw results of a study, one JSON row per measured cell.

A row is appended as soon as its cell is measured, so an interrupted study continues with the cells that are missing.
Knows no particular study.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cwm_agent.records.jsonl_file import JsonlFile
from cwm_agent.studies.errors import BadLedger
from cwm_agent.studies.study_protocol import CellResult, Row, Study

if TYPE_CHECKING:
    from types import TracebackType

VERSION = 1
C = TypeVar("C")


@dataclass(slots=True)
class Ledger:
    """The results of one study, oracle and seed; a context manager, since it locks its file."""

    path: Path
    oracle: str
    """Name of the oracle as the user gave it; rows of another oracle or seed in the same file are left alone."""
    seed: int
    _rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    _file: JsonlFile = field(init=False)

    def __post_init__(self) -> None:
        self._file = JsonlFile(self.path)
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> None:
        for row in self._file.rows():
            if row.get("version") != VERSION:
                raise BadLedger(
                    f"{self.path} was written in version {row.get('version')} of the format; this program reads "
                    f"version {VERSION}. Give another folder with --out."
                )
            if (row["oracle"], row["seed"]) == (self.oracle, self.seed):
                self._rows[_key(row["cell"])] = row

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def holds(self, cell: object) -> bool:
        """Whether the file has a result for a cell."""
        return _key(_settings(cell)) in self._rows

    def append(self, cell: object, rows: Sequence[Row], *, view: str | None, answered_by: str, seconds: float) -> None:
        """Write the result of a measured cell to the disk."""
        settings = _settings(cell)
        row = {"version": VERSION, "cell": settings, "oracle": self.oracle, "view": view, "answered_by": answered_by}
        row |= {"seed": self.seed, "seconds": round(seconds, 2), "rows": list(rows)}
        self._file.append(row)
        self._rows[_key(settings)] = row

    def answered_by(self, view: str | None) -> frozenset[str]:
        """Identities of the oracles that answered in a view.

        Two of them mean different weights under the same name, whose results may not be mixed in one figure.
        """
        return frozenset(row["answered_by"] for row in self._rows.values() if row["view"] == view)

    def results(self, study: Study[C], cells: Sequence[C]) -> list[CellResult[C]]:
        """Results of the measured ones among the cells, in the order of the cells."""
        found = []
        for cell in cells:
            row = self._rows.get(_key(_settings(cell)))
            if row is not None:
                found.append(CellResult(cell, tuple(row["rows"])))
        return found


def _settings(cell: Any) -> dict[str, Any]:
    return asdict(cell)


def _key(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)

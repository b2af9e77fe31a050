"""JSONL files that grow by whole rows: one writer at a time, each row on the disk before the next one is computed.

A killed process leaves at most one incomplete last row. The next process that opens the file removes it, so a run can
continue where it stopped. A row is any JSON object; the packages that write rows define their keys.

    with JsonlFile(path) as file:
        known = {row["task"] for row in file.rows()}
        file.append({"task": "t1", "solved": True})
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from types import TracebackType


class BadRecords(ValueError):
    """A file of rows that cannot be read or written; the message says what to do."""


class RecordsInUse(BadRecords):
    """Another process has the file open for writing."""


class JsonlFile:
    """One JSONL file, open and locked against other writers until `close` or the end of the `with` block."""

    def __init__(self, path: str | Path) -> None:
        """Create the file and its folder where they are missing, lock the file, remove an incomplete last row."""
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise BadRecords(f"{self.path} cannot be written to ({error}). Give another place with --out.") from error
        try:
            self._lock()
            self._trim()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> JsonlFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock; a closed file takes no more rows."""
        self._file.close()

    def rows(self) -> list[dict[str, Any]]:
        """All rows, in the order of the file."""
        return read_jsonl(self.path)

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row, whole or not at all; the row is on the disk when this returns."""
        data = (json.dumps(row) + "\n").encode()
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = 0
            while written < len(data):
                written += self._file.write(data[written:])
            os.fsync(self._file.fileno())
        except BaseException as error:  # KeyboardInterrupt too: it must not leave an incomplete row
            self._file.truncate(end)
            if isinstance(error, OSError):
                raise BadRecords(
                    f"{self.path}: a row could not be written ({error}). Make room on the disk and start again; "
                    "the rows before it are complete."
                ) from error
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordsInUse(
                f"Another process writes to {self.path}. Wait for it, or give another place with --out."
            ) from error
        except OSError as error:
            raise BadRecords(
                f"{self.path} cannot be locked ({error}). Give a place on a local disk with --out."
            ) from error

    def _trim(self) -> None:
        data = self.path.read_bytes()
        if data and not data.endswith(b"\n"):
            self._file.truncate(data.rfind(b"\n") + 1)


def read_jsonl(path: str | Path) -> list[dict[str, Any]]:
    """All whole rows of a file, without a lock; an incomplete last row is left out.

    Raises `FileNotFoundError` where there is no file, and `BadRecords` with path and line where a row is no JSON
    object.
    """
    *lines, _ = Path(path).read_bytes().split(b"\n")
    return [_row(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]


def _row(line: bytes, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadRecords(f"{place} is no JSON ({error}). Delete the line, or use another file.") from error
    if not isinstance(row, dict):
        raise BadRecords(f"{place} is no JSON object: {row!r:.60}. Delete the line, or use another file.")
    return row

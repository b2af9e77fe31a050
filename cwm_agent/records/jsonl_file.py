"""JSONL files that grow by whole rows: one writer at a time, each row on the disk before the next one is computed.

A killed process leaves at most one incomplete last row. The next process that opens the file removes it, so a run can
continue where it stopped. A row is any JSON object; the packages that write rows define their keys.

    with JsonlFile(path) as file:
        known = {row["task"] for row in file.rows()}
        file.append({"task": "t1", "solved": True})
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tasks.errors import TaskError
from tasks.output.atomic_file import flush_folder
from tasks.reading.bounded_files import numbered_lines, opened
from tasks.reading.json_text import NotJson, read_object

if TYPE_CHECKING:
    from types import TracebackType

MAX_FILE_BYTES = 2**36
MAX_ROW_BYTES = 2**28
"""Largest row that is read back; rows with images as observations are large."""
_BLOCK = 2**16


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
            self._file: BinaryIO = _opened(self.path)
        except OSError as error:
            reason = "it is a link, and links are not followed" if error.errno == errno.ELOOP else error
            raise BadRecords(f"{self.path} cannot be written to ({reason}). Give another place with --out.") from error
        try:
            self._check_regular()
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
        self._trim()  # where the rest of a failed row could not be removed
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file.fileno(), data[written:])
            os.fsync(self._file.fileno())
        except BaseException as error:  # KeyboardInterrupt too: it must not leave an incomplete row
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), end)
            if isinstance(error, OSError):
                raise BadRecords(
                    f"{self.path}: a row could not be written ({error}). Make room on the disk and start again; "
                    "the rows before it are complete."
                ) from error
            raise

    def _lock(self) -> None:
        in_use = RecordsInUse(f"Another process writes to {self.path}. Wait for it, or give another place with --out.")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise in_use from error
        except OSError as error:
            raise BadRecords(
                f"{self.path} cannot be locked ({error}). Give a place on a local disk with --out."
            ) from error
        if not self.path.exists() or not os.path.samestat(os.fstat(self._file.fileno()), self.path.stat()):
            raise in_use  # it removed its empty file before we had the lock

    def _check_regular(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise BadRecords(f"{self.path} is no regular file. Give another place with --out.")

    def _trim(self) -> None:
        """Remove an incomplete last row."""
        size = self._file.seek(0, os.SEEK_END)
        if size and os.pread(self._file.fileno(), 1, size - 1) != b"\n":
            os.ftruncate(self._file.fileno(), self._after_last_newline(size))

    def _after_last_newline(self, end: int) -> int:
        while end:
            begin = max(0, end - _BLOCK)
            newline = os.pread(self._file.fileno(), end - begin, begin).rfind(b"\n")
            if newline >= 0:
                return begin + newline + 1
            end = begin
        return 0


def _opened(path: Path) -> BinaryIO:
    """The file, open for reading and appending: a link is not followed, a pipe is not waited for."""
    new = not path.exists()
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file: BinaryIO = os.fdopen(os.open(path, flags, 0o666), "a+b", buffering=0)
    if new:
        flush_folder(path.parent)
    return file


def read_jsonl(path: str | Path) -> list[dict[str, Any]]:
    """All whole rows of a file, without a lock; an incomplete last row is left out.

    Raises `FileNotFoundError` where there is no file, and `BadRecords` with path and line where a row is no JSON
    object.
    """
    found = []
    for number, row in numbered_rows(path):
        if isinstance(row, str):
            raise BadRecords(f"{path}:{number} {row}. Delete the line, or use another file.")
        found.append(row)
    return found


def numbered_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The whole rows of a file with their line numbers; in place of a line that is no JSON object, the reason.

    Raises `FileNotFoundError` where there is no file.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    try:
        file = opened(path, MAX_FILE_BYTES)
    except TaskError as error:
        raise BadRecords(f"{path} {error}.") from error
    with file:
        for number, line in numbered_lines(file, MAX_ROW_BYTES):
            if line is None:
                yield number, f"has more than {MAX_ROW_BYTES:,} bytes"
            elif line.endswith(b"\n") and line.strip():
                yield number, _row(line)


def _row(line: bytes) -> dict[str, Any] | str:
    try:
        return read_object(line, constants=True)
    except NotJson as error:
        return f"is no JSON object ({error})"

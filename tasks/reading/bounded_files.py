"""Opens and reads files of unknown origin: regular files only, never waiting, and no more bytes than a limit.

Knows no format. Errors are `TaskError`s; the caller adds the path.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tasks.errors import TaskError

MAX_FILE_BYTES = 2**30
"""Largest file that is read line by line."""
MAX_LINE_BYTES = 16 * 2**20
"""Largest line of such a file."""


def opened(path: Path, most: int = MAX_FILE_BYTES) -> BinaryIO:
    """A regular file of at most `most` bytes, open for reading; TaskError for anything else, without waiting for it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise TaskError("is no regular file (a folder, pipe, socket or device); give a file")
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise TaskError(f"cannot be read ({getattr(error, 'strerror', None) or error})") from error
    size = os.fstat(file.fileno()).st_size
    if size > most:
        file.close()
        raise TaskError(f"has {size:,} bytes, and at most {most:,} are read; split it or make it smaller")
    return file


def read_file(path: Path, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes; TaskError for anything else."""
    with opened(path, most) as file:
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise TaskError(f"cannot be read ({error.strerror})") from error
    if len(data) > most:  # a file that grows, or one of /proc, whose size is 0
        raise TaskError(f"has more than {most:,} bytes; split it or make it smaller")
    return data


def numbered_lines(file: BinaryIO, most: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file with their numbers from 1; None in place of a line longer than `most`, which is not held."""
    number = 0
    while line := file.readline(most + 1):
        number += 1
        whole = len(line) <= most
        while not line.endswith(b"\n") and len(line) > most:
            line = file.readline(most + 1)
        yield number, line if whole else None

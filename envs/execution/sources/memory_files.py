"""Text files in memory: what `open` finds and makes; nothing of the machine is opened.

A position is a number of characters. What is written is in the file at once: there is no buffer.
"""

import errno
import io
import os
from collections.abc import Iterable, Iterator, Mapping

_MODES = frozenset({"r", "w", "a", "x", "r+", "w+", "a+", "x+"})
_OPTIONS = frozenset({"encoding", "errors", "newline", "buffering"})


class MemoryFiles:
    """The files of one run by name."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self.texts = dict(texts or {})

    def open(self, file: object, mode: str = "r", *more: object, **options: object) -> "MemoryFile":
        """A file as `open` gives it: text only, and the options of encodings and buffers change nothing."""
        plain = mode.replace("t", "") if isinstance(mode, str) else mode
        if not isinstance(file, str) or more or not _OPTIONS.issuperset(options):
            raise io.UnsupportedOperation("files in memory have a text as their name, and no other options")
        if plain not in _MODES:
            raise io.UnsupportedOperation(f"mode {mode!r} of a file in memory; it has text modes only")
        if plain[0] == "r" and file not in self.texts:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), file)
        if plain[0] == "x" and file in self.texts:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        if plain[0] in "wx" or file not in self.texts:
            self.texts[file] = ""
        return MemoryFile(self, file, mode, len(self.texts[file]) if plain[0] == "a" else 0)

    @property
    def state(self) -> str:
        return ", ".join(repr(part) for row in self.texts.items() for part in row)


class MemoryFile:
    """An open file: its name, mode and position; None for the position of a closed one."""

    def __init__(self, files: MemoryFiles | None, name: str, mode: str, position: int | None) -> None:
        self.files = files
        self.name = name
        self.mode = mode
        self.position = position

    # -- reading

    def read(self, size: int | None = -1, /) -> str:
        rest = self._rest()
        return self._take(rest if size is None or size < 0 else rest[:size])

    def readline(self, size: int | None = -1, /) -> str:
        rest = self._rest()
        line = rest[: rest.find("\n") + 1] or rest
        return self._take(line if size is None or size < 0 else line[:size])

    def readlines(self, hint: int | None = -1, /) -> list[str]:
        found: list[str] = []
        while line := self.readline():
            found.append(line)
            if hint is not None and 0 < hint <= sum(map(len, found)):
                break
        return found

    def __iter__(self) -> "Iterator[str]":
        self._check()
        return self

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def _rest(self) -> str:
        at = self._check()
        if not self.readable():
            raise io.UnsupportedOperation("not readable")
        return self._text()[at:]

    def _take(self, text: str) -> str:
        self.position = self._check() + len(text)
        return text

    # -- writing

    def write(self, text: str, /) -> int:
        at = self._check()
        if not self.writable():
            raise io.UnsupportedOperation("not writable")
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        held = self._text()
        at = len(held) if self.mode[0] == "a" else at
        assert self.files is not None
        self.files.texts[self.name] = held[:at].ljust(at, "\0") + text + held[at + len(text) :]
        self.position = at + len(text)
        return len(text)

    def writelines(self, lines: Iterable[str], /) -> None:
        for line in lines:
            self.write(line)

    # -- the rest

    def seek(self, position: int, whence: int = 0, /) -> int:
        self._check()
        if whence not in (0, 2) or (whence == 2 and position):
            raise io.UnsupportedOperation("can't do nonzero cur-relative seeks")
        if position < 0:
            raise ValueError(f"negative seek position {position!r}")
        self.position = len(self._text()) if whence == 2 else position
        return self.position

    def tell(self) -> int:
        return self._check()

    def flush(self) -> None:
        self._check()

    def close(self) -> None:
        self.position = None

    @property
    def closed(self) -> bool:
        return self.position is None

    def readable(self) -> bool:
        return self.mode[0] == "r" or "+" in self.mode

    def writable(self) -> bool:
        return self.mode[0] != "r" or "+" in self.mode

    def __enter__(self) -> "MemoryFile":
        self._check()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _check(self) -> int:
        if self.files is None:
            raise DetachedFile
        if self.position is None:
            raise ValueError("I/O operation on closed file.")
        return self.position

    def _text(self) -> str:
        assert self.files is not None
        return self.files.texts.get(self.name, "")

    @property
    def state(self) -> str:
        return f"{self.name!r}, {self.mode!r}, {self.position!r}"


MemoryFile.__name__ = MemoryFile.__qualname__ = "TextIOWrapper"
MemoryFile.__module__ = "io"  # what a program sees of it


class DetachedFile(BaseException):
    """An open file that is used where the files of the run are not known."""


FILE_METHODS = frozenset("read readline readlines write writelines seek tell flush close readable writable".split())
"""Methods that rules follow."""

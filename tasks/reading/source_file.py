"""A Python file as text, with all that is needed to write it back as it was: encoding, BOM and line ends.

The encoding is UTF-8 or the one that the file declares (PEP 263). Knows no task.
"""

import codecs
import io
import re
import tokenize
from collections import Counter
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from tasks.errors import BadSource
from tasks.reading.bounded_files import read_file
from tasks.reading.program_text import MAX_CHARACTERS, check_size

MAX_BYTES = 4 * MAX_CHARACTERS
_LINE_END = re.compile(r"(\r\n|\r|\n)")
_ASCII = bytes(range(32, 127)).replace(b"\\", b"") + b"\t\n\\n\\x41\\u0041 xn--a +AGE- "


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The text of a Python file, with `\\n` at the end of each line, and the form that the file has."""

    text: str
    encoding: str = "utf-8"
    """The encoding of the bytes; `utf-8-sig` is UTF-8 with a BOM."""
    ends: tuple[str, ...] = ("",)
    """The end of each line; the last line has none."""

    def with_text(self, text: str) -> "SourceFile":
        """The file with another text: old lines keep their line ends, lines that are added get the most common one."""
        old, new = self.text.split("\n"), text.split("\n")
        head = _common(old, new)
        tail = min(_common(old[::-1], new[::-1]), len(old) - head, len(new) - head)
        usual = Counter(self.ends[:-1] or ["\n"]).most_common(1)[0][0]
        changed = len(new) - head - tail
        middle = [*self.ends[head : len(old) - tail], *[usual] * changed][:changed]
        kept = (*self.ends[:head], *middle, *self.ends[len(old) - tail :])
        return replace(self, text=text, ends=(*(end or usual for end in kept[:-1]), ""))

    def encoded(self) -> bytes:
        """The bytes of the file; BadSource if the text has a character that its encoding lacks."""
        lines = self.text.split("\n")
        written = "".join(line + end for line, end in zip(lines, self.ends, strict=True))
        try:
            return written.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = written[error.start]
            raise BadSource(f"{character!r} cannot be written in {self.encoding}, the file's encoding") from error


def read_source(path: Path) -> SourceFile:
    """The Python file at a path; TaskError if it is too large, or not in the encoding that it declares."""
    return decoded(read_file(path, MAX_BYTES))


def decoded(data: bytes) -> SourceFile:
    """The Python file of some bytes; BadSource if they are too many, or not in the encoding that they declare."""
    encoding = _encoding(data)
    try:
        written = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadSource(f"is not in {encoding} ({error.reason}); save it as UTF-8", line) from error
    parts = _LINE_END.split(written)
    text = "\n".join(parts[::2])
    check_size(text)
    return SourceFile(text, encoding, (*parts[1::2], ""))


def _encoding(data: bytes) -> str:
    """The encoding that the bytes declare; one that is no extension of ASCII is refused, as Python could not run it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        ascii_like = codecs.lookup(encoding).name != "idna" and _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except (SyntaxError, LookupError, ValueError) as error:
        if "invalid or missing" in str(error):
            return "utf-8"  # the first lines are no UTF-8, which decoding reports with the line
        raise BadSource(f"{error}; save it as UTF-8", 1) from error
    if not ascii_like:
        raise BadSource(f"declares the encoding {encoding}, which no Python source can have; save it as UTF-8", 1)
    return encoding


def _common(left: list[str], right: list[str]) -> int:
    """The number of equal lines at the beginning of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))

"""A Python file is read in its own encoding and written back in its own form."""

from pathlib import Path

import pytest

from tasks.errors import BadSource, TaskError
from tasks.reading.source_file import MAX_BYTES, decoded, read_source

FORMS: dict[str, bytes] = {
    "plain": b"x = 1\ny = 2\n",
    "empty": b"",
    "no newline at the end": b"x = 1\ny = 2",
    "CRLF": b"x = 1\r\ny = 2\r\n",
    "CR": b"x = 1\ry = 2\r",
    "mixed": b"x = 1\r\ny = 2\nz = 3\rlast",
    "BOM": b"\xef\xbb\xbfx = 1\ny = 2\n",
    "BOM and CRLF": b"\xef\xbb\xbfx = 1\r\n",
    "latin-1": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    "cp1252 in line 2": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
    "shift_jis": "# coding: shift_jis\nx = '日本'\n".encode("shift_jis"),
    "form feed and separators": "x = 1\n\x0c\ny = '\u2028\x85\x1c'\n".encode(),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_file_that_is_read_is_written_back_byte_for_byte(name: str) -> None:
    source = decoded(FORMS[name])
    assert source.encoded() == FORMS[name]
    assert "\r" not in source.text
    assert not source.text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        pytest.param(b"a\r\nb\r\nc", "a\nB\nc", b"a\r\nB\r\nc", id="changed-line"),
        pytest.param(b"a\r\nb\r\n", "a\nnew\nb\n", b"a\r\nnew\r\nb\r\n", id="added-line"),
        pytest.param(b"a\nb\r\nc\rd", "a\nB\nc\nd", b"a\nB\r\nc\rd", id="mixed-ends-stay"),
        pytest.param(b"a\r\nb\nc\r\nd\r\n", "a\nb\nd\n", b"a\r\nb\nd\r\n", id="removed-line"),
        pytest.param(b"a\r\nb", "a\nb\nc", b"a\r\nb\r\nc", id="added-after-the-end"),
        pytest.param(b"a", "a\nb\n", b"a\nb\n", id="one-line"),
        pytest.param(b"\xef\xbb\xbfa\r\n", "b\n", b"\xef\xbb\xbfb\r\n", id="BOM"),
        pytest.param(b"a\r\n", "", b"", id="nothing-left"),
    ],
)
def test_another_text_keeps_the_form_of_the_file(data: bytes, text: str, expected: bytes) -> None:
    assert decoded(data).with_text(text).encoded() == expected


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param(b"x = 1\ny = '\xff'\n", 2, "is not in utf-8", id="no-utf8"),
        pytest.param(b"\xff\xfex\x00", 1, "is not in utf-8", id="utf-16"),
        pytest.param(b"# coding: foo\n", 1, "unknown encoding: foo", id="unknown"),
        pytest.param(b"# coding: rot13\n", 1, "save it as UTF-8", id="no-text-encoding"),
        pytest.param(b"# coding: idna\n", 1, "which no Python source can have", id="idna"),
        pytest.param(b"# coding: utf-7\n", 1, "save it as UTF-8", id="utf-7"),
        pytest.param(b"# coding: unicode_escape\n", 1, "which no Python source can have", id="escape"),
        pytest.param(b"# coding: punycode\n", 1, "save it as UTF-8", id="punycode"),
        pytest.param(b"\xef\xbb\xbf# coding: latin-1\n", 1, "encoding problem", id="two-encodings"),
        pytest.param(b"x = 1\n" * 20_001, None, "at most 20,000", id="lines"),
        pytest.param(b"x" * 500_001, None, "at most 500,000", id="characters"),
    ],
)
def test_a_file_in_no_known_form_is_refused_with_its_line(data: bytes, line: int | None, words: str) -> None:
    with pytest.raises(BadSource, match=words) as caught:
        decoded(data)
    assert caught.value.line == line


def test_a_character_that_the_encoding_lacks_is_named() -> None:
    with pytest.raises(BadSource, match="'€' cannot be written in iso-8859-1"):
        decoded(b"# coding: latin-1\n").with_text("# coding: latin-1\n'€'").encoded()


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(TaskError, match=f"at most {MAX_BYTES:,} are read"):
        read_source(path)

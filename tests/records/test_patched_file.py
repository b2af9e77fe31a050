"""A patch changes the edited text of a file and nothing else."""

import errno
import os
import stat
from pathlib import Path

import pytest

from cwm_agent.records.patched_file import write_patch
from envs.editing.edit import BadEdit
from tasks.output.atomic_file import WriteError

PATCH = ("operator 2:13: '+' -> '-'", "statement 3:0: '' -> 'y = 1\\n'")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"def f(x):\r\n    return x + 1\r\n", b"def f(x):\r\n    return x - 1\r\ny = 1\r\n", id="CRLF"),
        pytest.param(b"def f(x):\r    return x + 1\r", b"def f(x):\r    return x - 1\ry = 1\r", id="CR"),
        pytest.param(b"def f(x):\n    return x + 1\nz", b"def f(x):\n    return x - 1\ny = 1\nz", id="no-newline"),
        pytest.param(
            b"\xef\xbb\xbfdef f(x):\n    return x + 1\r\n",
            b"\xef\xbb\xbfdef f(x):\n    return x - 1\r\ny = 1\n",
            id="BOM-mixed",
        ),
    ],
)
def test_encoding_and_line_ends_are_kept(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(before)
    path.chmod(0o750)
    write_patch(path, PATCH)
    assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_a_declared_encoding_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"# coding: latin-1\ndef f(x): return x + '\xe9'\n")
    write_patch(path, ["operator 2:19: '+' -> '*'"])
    assert path.read_bytes() == b"# coding: latin-1\ndef f(x): return x * '\xe9'\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("x = 1 + 1\n")
    (tmp_path / "f.py").symlink_to("real.py")
    with pytest.raises(WriteError, match=r"f.py is a link to real.py, and links are not followed"):
        write_patch(tmp_path / "f.py", ["operator 1:6: '+' -> '-'"])
    assert (tmp_path / "real.py").read_text() == "x = 1 + 1\n"


def test_a_patch_of_another_text_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("x = 1 * 1\n")
    with pytest.raises(BadEdit, match="the text at this place"):
        write_patch(path, ["operator 1:6: '+' -> '-'"])
    assert path.read_text() == "x = 1 * 1\n"


def test_a_full_disk_leaves_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "f.py"
    path.write_text("x = 1 + 1\n")
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WriteError, match="old file is as it was"):
        write_patch(path, ["operator 1:6: '+' -> '-'"])
    monkeypatch.undo()
    assert path.read_text() == "x = 1 + 1\n"
    assert os.listdir(tmp_path) == ["f.py"]

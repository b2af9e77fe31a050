"""A file is replaced as a whole or stays as it was: whatever fails, and whenever the process is killed."""

import errno
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.output.atomic_file import WriteError, write_file

OLD, NEW = b"old content\n", b"new content, a little longer\n"
FULL = OSError(errno.ENOSPC, "No space left on device")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_created_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (OLD, NEW, b""):
        write_file(path, data)
        assert path.read_bytes() == data
    write_file(str(path), "größer\r\n")
    assert path.read_bytes() == "größer\r\n".encode()
    assert names(tmp_path) == ["file"]


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o755)
    write_file(tmp_path / "new", OLD)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o755


def test_a_name_as_long_as_the_file_system_takes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write_file(path, OLD)
    write_file(path, NEW)
    assert path.read_bytes() == NEW


def _link(path: Path) -> None:
    (path.parent / "target").write_bytes(OLD)
    path.symlink_to("target")


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (_link, "is a link to target, and links are not followed"),
    "a link to nothing": (lambda path: path.symlink_to("nothing"), "is a link to nothing"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "is a link to file"),
    "a folder": (lambda path: path.mkdir(), "no regular file"),
    "a pipe": (lambda path: os.mkfifo(path), "no regular file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_regular_file_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    make, message = REFUSED[name]
    path = tmp_path / "file"
    make(path)
    before = names(tmp_path)
    with pytest.raises(WriteError, match=message):
        write_file(path, NEW)
    assert names(tmp_path) == before
    assert not (tmp_path / "target").exists() or (tmp_path / "target").read_bytes() == OLD


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"there is no folder .*none"):
        write_file(tmp_path / "none" / "file", NEW)


def test_links_in_the_folders_above_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "shown").symlink_to("real")
    write_file(tmp_path / "shown" / "file", NEW)
    assert (tmp_path / "real" / "file").read_bytes() == NEW


@pytest.mark.parametrize("call", ["open", "write", "fchmod", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, call, _failing(FULL))
    with pytest.raises(WriteError, match=r"not written \(No space left.*old file is as it was.*Make room on the disk"):
        write_file(path, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def test_an_interrupt_leaves_the_old_file_and_no_temporary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "fsync", _failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_file(path, NEW)
    monkeypatch.undo()
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def _failing(error: BaseException) -> Callable[..., object]:
    def fail(*given: object, **options: object) -> object:
        raise error

    return fail


def test_a_temporary_file_that_cannot_be_removed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", _failing(FULL))
    monkeypatch.setattr(os, "unlink", _failing(PermissionError()))
    with pytest.raises(WriteError, match=r"there is no file of this name.*file \S+\.tmp could not be removed"):
        write_file(tmp_path / "file", NEW)


def test_the_limit_of_the_kernel_leaves_the_old_file(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes a real write fail after a part of it."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    script = f"from tasks.output.atomic_file import write_file\nwrite_file({str(path)!r}, bytes(100_000))"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = subprocess.run(
        [sys.executable, "-c", script], preexec_fn=limited, capture_output=True, text=True, check=False, timeout=60
    )
    assert "WriteError" in done.stderr
    assert "File too large" in done.stderr
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
from tasks.output import atomic_file

path, call, part = sys.argv[1], sys.argv[2], int(sys.argv[3])
real = getattr(os, call)

def killed(*given, **options):
    if part == 1:
        real(given[0], bytes(given[1])[:5])
    if part == 2:
        real(*given, **options)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, call, killed)
atomic_file.write_file(path, b"new content, a little longer\\n")
"""
BEFORE, MIDDLE, AFTER = 0, 1, 2


@pytest.mark.parametrize(
    ("call", "part"),
    [
        pytest.param("open", BEFORE, id="before the temporary file"),
        pytest.param("open", AFTER, id="after the temporary file is made"),
        pytest.param("write", BEFORE, id="before its content"),
        pytest.param("write", MIDDLE, id="within its content"),
        pytest.param("write", AFTER, id="after its content"),
        pytest.param("fchmod", BEFORE, id="before its mode"),
        pytest.param("fsync", BEFORE, id="before it is flushed"),
        pytest.param("fsync", AFTER, id="after it is flushed"),
        pytest.param("replace", BEFORE, id="before the renaming"),
        pytest.param("replace", AFTER, id="after the renaming"),
    ],
)
def test_a_kill_leaves_the_old_or_the_new_file_and_the_next_write_tidies_up(
    tmp_path: Path, call: str, part: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    words = [sys.executable, "-c", KILLED, str(path), call, str(part)]
    assert subprocess.run(words, check=False, timeout=60).returncode == -9
    assert path.read_bytes() == (NEW if (call, part) == ("replace", AFTER) else OLD)
    write_file(path, b"again")
    assert path.read_bytes() == b"again"
    assert names(tmp_path) == ["file"]


def test_the_temporary_file_of_a_living_writer_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second writer of the same file begins and ends while the first is about to rename."""
    path = tmp_path / "file"
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "replace", real)
        write_file(path, b"second")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    write_file(path, b"first")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["file"]

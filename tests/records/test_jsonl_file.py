"""A JSONL file holds whole rows only, has one writer at a time, and continues after a kill."""

import errno
import json
import os
from pathlib import Path

import pytest

from cwm_agent.records.jsonl_file import BadRecords, JsonlFile, RecordsInUse, read_jsonl


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "rows.jsonl"


def test_rows_come_back_in_order_also_after_the_file_is_opened_again(path: Path) -> None:
    with JsonlFile(path) as file:
        assert file.rows() == []
        file.append({"n": 1})
    with JsonlFile(path) as file:
        file.append({"n": 2, "text": "a\nb"})
        assert file.rows() == [{"n": 1}, {"n": 2, "text": "a\nb"}]
    assert read_jsonl(path) == [{"n": 1}, {"n": 2, "text": "a\nb"}]


@pytest.mark.parametrize("kept", [0, 1, 5])
def test_an_incomplete_last_row_is_removed_when_the_file_is_opened(path: Path, kept: int) -> None:
    """Also where only the newline is missing: such a row may have been cut inside a number."""
    with JsonlFile(path) as file:
        file.append({"n": 1})
    path.write_bytes(path.read_bytes() + b'{"n": 23}'[: kept or None])
    assert read_jsonl(path) == [{"n": 1}]
    with JsonlFile(path) as file:
        file.append({"n": 3})
    assert path.read_text() == '{"n": 1}\n{"n": 3}\n'


def test_a_second_writer_is_refused_until_the_first_one_closes(path: Path) -> None:
    with JsonlFile(path), pytest.raises(RecordsInUse, match=r"Another process writes to .*rows\.jsonl\. Wait for it"):
        JsonlFile(path)
    JsonlFile(path).close()


def test_readers_need_no_lock(path: Path) -> None:
    with JsonlFile(path) as file:
        file.append({"n": 1})
        assert read_jsonl(path) == [{"n": 1}]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_no_part_of_the_row(
    path: Path, failure: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(descriptor: int) -> None:
        raise failure

    with JsonlFile(path) as file:
        file.append({"n": 1})
        monkeypatch.setattr(os, "fsync", failing)
        expected = BadRecords if isinstance(failure, OSError) else KeyboardInterrupt
        with pytest.raises(expected):
            file.append({"n": 2})
        monkeypatch.undo()
        file.append({"n": 3})
        assert file.rows() == [{"n": 1}, {"n": 3}]


@pytest.mark.parametrize(("line", "reason"), [("not json", "is no JSON"), ("[1, 2]", "is no JSON object")])
def test_a_bad_line_is_named_with_file_and_number(path: Path, line: str, reason: str) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"n": 1}) + f"\n{line}\n")
    with pytest.raises(BadRecords, match=rf"rows\.jsonl:2 {reason}.*Delete the line"):
        read_jsonl(path)


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRecords, match=r"cannot be written to .* another place with --out"):
        JsonlFile(tmp_path / "file" / "rows.jsonl")


def test_a_missing_file_cannot_be_read(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_jsonl(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("")
    (tmp_path / "rows.jsonl").symlink_to("real")
    with pytest.raises(BadRecords, match=r"rows\.jsonl cannot be written to \(it is a link"):
        JsonlFile(tmp_path / "rows.jsonl")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.jsonl")
    with pytest.raises(BadRecords, match="is no regular file"):
        JsonlFile(tmp_path / "rows.jsonl")
    with pytest.raises(BadRecords, match="is no regular file"):
        read_jsonl(tmp_path / "rows.jsonl")


def test_a_long_incomplete_row_is_removed(path: Path) -> None:
    with JsonlFile(path) as file:
        file.append({"n": 1})
    path.write_bytes(path.read_bytes() + b"x" * 200_000)
    with JsonlFile(path) as file:
        assert file.rows() == [{"n": 1}]
    assert path.read_text() == '{"n": 1}\n'


def test_the_rest_of_a_failed_row_is_removed_before_the_next(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a part of the row was written and could not be taken back at once."""
    real = os.write

    def partly(handle: int, data: bytes) -> int:
        real(handle, data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    def failing(handle: int, size: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with JsonlFile(path) as file:
        file.append({"n": 1})
        monkeypatch.setattr(os, "write", partly)
        monkeypatch.setattr(os, "ftruncate", failing)
        with pytest.raises(BadRecords, match="No space left"):
            file.append({"n": 2})
        monkeypatch.undo()
        assert file.rows() == [{"n": 1}]
        file.append({"n": 3})
        assert file.rows() == [{"n": 1}, {"n": 3}]

"""Rows of an episode file are checked when they are read: what is no episode is named and skipped, a task counts once."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from cwm_agent.agent.episodes.episode import BadEpisodes, Episode, RealRun, read

GOOD = Episode(
    "double",
    True,
    None,
    ("arithmetic 2:13: '+' -> '*'",),
    trusted=(True, None),
    runs=(RealRun(("edit",), 0.5, (True, None), (False, True)),),
    spent={"executions": 3, "seconds": 1.5},
)
ROW: dict[str, Any] = json.loads(json.dumps(asdict(GOOD)))


def written(folder: Path, *rows: object) -> Path:
    path = folder / "episodes.jsonl"
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def test_an_episode_is_read_back_equal(tmp_path: Path) -> None:
    assert read(written(tmp_path, ROW)) == [GOOD]


def test_fields_with_a_default_may_be_missing_as_in_older_versions(tmp_path: Path) -> None:
    assert read(written(tmp_path, {"task": "a", "solved": False, "right": None})) == [Episode("a", False, None)]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param(b"{", "is no JSON object", id="cut"),
        pytest.param(b"\x00" * 40, "is no JSON object", id="null-bytes"),
        pytest.param(b"\xff\xfe", "is no JSON object", id="no-utf8"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="deep"),
        pytest.param(b'{"task": ' + b"1" * 10_000 + b"}", "digits", id="digits"),
        pytest.param(b'{"task": "a", "task": "b"}', "'task' occurs twice", id="a-key-twice"),
        pytest.param([1], "must hold one object", id="a-list"),
        pytest.param({}, "the field 'task' is missing", id="empty"),
        pytest.param({**ROW, "task": 3}, "'task' is 3, and must be a text", id="task"),
        pytest.param({**ROW, "solved": "yes"}, "'solved' is 'yes', and must be true or false", id="solved"),
        pytest.param({**ROW, "right": 1}, "'right'", id="right"),
        pytest.param({**ROW, "patch": "edit"}, "a list of texts", id="patch"),
        pytest.param({**ROW, "patch": [1]}, "a list of texts", id="patch-of-numbers"),
        pytest.param({**ROW, "spent": {"executions": "3"}}, "an object of numbers", id="spent"),
        pytest.param({**ROW, "spent": {"executions": float("nan")}}, "an object of numbers", id="nan"),
        pytest.param({**ROW, "spent": []}, "an object of numbers", id="spent-list"),
        pytest.param({**ROW, "trusted": [0]}, "true, false and null", id="trusted"),
        pytest.param({**ROW, "runs": [3]}, "a run is 3", id="run"),
        pytest.param({**ROW, "runs": [{"patch": []}]}, "'imagined' is missing", id="run-cut"),
        pytest.param({**ROW, "settings": None}, "an object", id="settings"),
        pytest.param({**ROW, "version": "1"}, "an integer", id="version"),
    ],
)
def test_a_row_that_is_no_episode_is_named_and_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: object, words: str
) -> None:
    path = written(tmp_path, {**ROW, "task": "first"}, row, {**ROW, "task": "last"})
    assert [episode.task for episode in read(path)] == ["first", "last"]
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"skipped: {path}:2 ")
    assert words in told
    assert len(told) < 1000


def test_a_task_that_occurs_twice_counts_once_by_its_last_row(tmp_path: Path) -> None:
    told: list[str] = []
    rows = [{**ROW, "solved": False}, {**ROW, "task": "other"}, ROW]
    assert [(each.task, each.solved) for each in read(written(tmp_path, *rows), told.append)] == [
        ("double", True),
        ("other", True),
    ]
    assert "episodes.jsonl:3" in told[0]


def test_an_incomplete_last_row_is_left_out_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, ROW)
    path.write_bytes(path.read_bytes() + json.dumps({**ROW, "task": "cut"}).encode())
    assert read(path) == [GOOD]
    assert capsys.readouterr().err == ""


def test_a_row_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadEpisodes, match=r"episodes\.jsonl:1 was written by a newer version"):
        read(written(tmp_path, {**ROW, "version": 99}))

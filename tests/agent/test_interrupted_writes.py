"""A run that is killed, or finds the disk full, at any of its writes loses nothing, doubles nothing and goes on."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DONE = {"tasks": ["first", "second", "third"], "files": ["settings.json", "summary.json"], "skipped": []}


@pytest.fixture(scope="module", params=["kill", "full"])
def strikes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, list[dict[str, Any]]]:
    """What each strike left, before and after the run was started again."""
    words = [sys.executable, str(Path(__file__).with_name("struck_runs.py")), str(tmp_path_factory.mktemp("runs"))]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}  # `benchmarks` is not installed
    run = partial(subprocess.run, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT, env=path)
    done = run([*words, request.param])
    assert done.returncode == 0, done.stderr
    return request.param, [json.loads(line) for line in done.stdout.splitlines()]


def test_every_write_of_a_run_is_struck_before_within_and_after(strikes: tuple[str, list[dict[str, Any]]]) -> None:
    fault, rows = strikes
    assert len(rows) >= 3 * 15
    assert all(row["killed"] == (fault == "kill") for row in rows)


def test_what_was_on_the_disk_stays_there_whole(strikes: tuple[str, list[dict[str, Any]]]) -> None:
    """Episodes are a beginning of all episodes, and the later a run is struck, the more of them there are."""
    _, rows = strikes
    assert all(row["after"]["tasks"] == DONE["tasks"][: len(row["after"]["tasks"])] for row in rows)
    assert all(row["after"]["skipped"] == [] for row in rows)
    counts = [
        len(row["after"]["tasks"]) for row in rows if row["moment"] == "before" and (row["killed"] or row["message"])
    ]
    assert counts == sorted(counts)


def test_the_same_run_goes_on_and_ends_as_an_uninterrupted_one(strikes: tuple[str, list[dict[str, Any]]]) -> None:
    _, rows = strikes
    assert [row["error"] for row in rows] == [""] * len(rows)
    assert all(row["end"] == {**DONE, "temporary": []} for row in rows)


def test_a_full_disk_is_a_message_and_leaves_no_temporary_file(strikes: tuple[str, list[dict[str, Any]]]) -> None:
    """A folder that cannot be flushed is no failure: its entries reach the disk later."""
    fault, rows = strikes
    if fault == "kill":
        assert all(row["message"] == "" for row in rows)
        return
    assert sum(bool(row["message"]) for row in rows) >= 3 * 12
    assert all("No space left" in row["message"] for row in rows if row["message"])
    assert all(row["after"]["temporary"] == [] for row in rows if row["moment"] != "after")

"""Runs over many tasks: kill -9 loses at most the current task, and a resumed run equals an uninterrupted one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

COMMAND = [
    *(sys.executable, "-m", "cwm_agent.solve", "tasks/repair", "--split", "dev", "--limit", "5"),
    *("--oracle", "none", "--policy", "none", "--budget-executions", "6"),
]
SAME = ("tasks", "solved", "right", "executions")


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return found


def episodes(out: Path) -> list[dict[str, Any]]:
    path = out / "episodes.jsonl"
    return [json.loads(row) for row in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "whole"
    subprocess.run([*COMMAND, "--out", str(out), "--jobs", "1"], capture_output=True, check=False)
    return out


def test_two_processes_give_the_same_summary_as_one(whole: Path, tmp_path: Path) -> None:
    subprocess.run([*COMMAND, "--out", str(tmp_path), "--jobs", "2"], capture_output=True, check=False)
    assert {key: summary(tmp_path)[key] for key in SAME} == {key: summary(whole)[key] for key in SAME}


def test_a_run_killed_three_times_and_resumed_equals_an_uninterrupted_one(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    for wanted in (1, 2, 4):
        _killed_after(out, wanted)
    done = subprocess.run([*COMMAND, "--resume", str(out), "--jobs", "1"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert {key: summary(out)[key] for key in SAME} == {key: summary(whole)[key] for key in SAME}
    assert [(row["task"], row["patch"]) for row in episodes(out)] == [
        (row["task"], row["patch"]) for row in episodes(whole)
    ]


def _whole_rows(out: Path) -> int:
    """Complete rows: the row being written may be there in part."""
    path = out / "episodes.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _killed_after(out: Path, wanted: int) -> None:
    """Start the run, and kill it with all its children as soon as it has `wanted` episodes."""
    command = [*COMMAND, "--out", str(out), "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    while process.poll() is None and _whole_rows(out) < wanted and time.monotonic() < deadline:
        os.sched_yield()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_folder_of_other_settings_is_refused_and_left_unchanged(whole: Path) -> None:
    before = (whole / "episodes.jsonl").read_bytes()
    other = [*COMMAND, "--resume", str(whole), "--seed", "7"]
    refused = subprocess.run(other, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "other settings (seed)" in refused.stderr
    assert (whole / "episodes.jsonl").read_bytes() == before


def test_a_folder_without_a_run_cannot_be_resumed(tmp_path: Path) -> None:
    refused = subprocess.run([*COMMAND, "--resume", str(tmp_path)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "holds no run to go on with" in refused.stderr


def test_an_unknown_planner_gets_a_hint(tmp_path: Path) -> None:
    wrong = [*COMMAND, "--planner", "mcst", "--out", str(tmp_path / "x")]
    refused = subprocess.run(wrong, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "Did you mean 'mcts'?" in refused.stderr

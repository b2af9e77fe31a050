"""The example of a domain of one's own: under 100 lines, conforming, and solved by the command with every planner."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cwm_agent import Settings, check_domain
from cwm_agent.agent.domain_registry import domain_named
from cwm_agent.agent.episodes.episode import read

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "new_domain.py"
ROWS = [{"id": "double-twice", "start": 3, "goal": 12}, {"id": "negative", "start": 5, "goal": -16}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "new_domain.py").write_text(EXAMPLE.read_text())
    (tmp_path / "numbers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


def test_the_example_has_fewer_than_100_lines() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 100


def test_the_example_conforms(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    check_domain(domain_named("new_domain:kind"), "numbers.jsonl", Settings("best-first", "exact", ceiling=True))


@pytest.mark.parametrize("planner", ["mcts", "best-first"])
def test_solve_finds_it_in_the_working_folder(folder: Path, planner: str) -> None:
    """Its oracle is Python itself; two tasks, one process each."""
    options = ["--domain", "new_domain:kind", "--oracle", "exact", "--ceiling", "--planner", planner]
    command = [sys.executable, "-m", "cwm_agent.solve", "numbers.jsonl", *options, "--out", "out", "--jobs", "2"]
    path = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **path}, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    episodes = list(read(folder / "out" / "episodes.jsonl"))
    assert [episode.solved for episode in episodes] == [True, True]
    assert all(not episode.problem for episode in episodes)

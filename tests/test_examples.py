"""Every file of docs/examples is short and does what its docstring says; README and tutorial show what is there."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from cwm_agent import Settings, load_tasks, solve_tasks
from cwm_agent.agent.budget import Budget

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
ELSEWHERE = {
    "new_domain": "tests/agent/test_new_domain.py",
    "cart_pole": "tests/planners/test_gymnasium_examples.py",
    "frozen_lake": "tests/planners/test_gymnasium_examples.py",
    "mountain_car": "tests/planners/test_gymnasium_examples.py",
    "taxi": "tests/planners/test_gymnasium_examples.py",
    "check_server": "tests/extras/test_transformers_serve.py",
    "cwm_repair": "tests/extras/test_learner_libraries.py",
}
"""The tests that run an example where this file does not."""
SHOWN = {
    "own_planner": "goal, add 5, double, double, add 5, add 5, add 1, add 1, add 1\n",
    "own_oracle": "6\nno sum of two names or numbers\n",
    "dream exact": "trained in imagination by exact: the goal is really reached from 23 of 23 starts\n",
}
"""What an example prints."""


def test_every_example_is_run_by_a_test() -> None:
    here = {call.partition(" ")[0] for call in SHOWN} | {"savings"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == here | set(ELSEWHERE)
    for name, test in ELSEWHERE.items():
        assert name in (ROOT / test).read_text(encoding="utf-8").replace("cwm-repair", "cwm_repair"), test


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_has_at_most_80_lines(path: Path) -> None:
    """A domain has five methods and a kind that loads its tasks: it may have 100."""
    assert len(path.read_text(encoding="utf-8").splitlines()) < (100 if path.stem == "new_domain" else 80)


@pytest.mark.parametrize("call", SHOWN)
def test_an_example_prints_what_it_should(call: str) -> None:
    name, *arguments = call.split()
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, SHOWN[call]), done.stderr


def test_the_file_of_the_tutorial_is_repaired_with_a_planner_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    settings = Settings("own_planner:Restarting", "exact", ceiling=True, policy="none", budget=Budget(executions=20))
    [episode] = solve_tasks(load_tasks(EXAMPLES / "savings.py"), settings)
    assert episode.solved
    fixed = runpy.run_path(str(EXAMPLES / "savings.py"))["balance"]
    assert fixed(100, 0.5, 2) == 150.0, "the shipped file keeps its bug"


def test_the_tutorial_shows_the_file_as_it_is() -> None:
    program = (EXAMPLES / "savings.py").read_text(encoding="utf-8").partition("\n\n\n")[2]
    assert program in (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_the_readme_is_short_and_keeps_its_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert "\npip install -e . && python -m cwm_agent.solve tasks/repair\n" in text
    assert "\npip install -e '.[test]' && pytest\n" in text


def test_pictures_of_the_pages_are_small() -> None:
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    assert all(path.stat().st_size < 150_000 for path in pictures)

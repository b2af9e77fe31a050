"""The page on planners is true: its code runs, and importing the library needs the standard library only."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_example_of_the_page_runs_as_written():
    """docs/planners.md is a doctest."""
    result = doctest.testfile(str(ROOT / "docs" / "planners.md"), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


def test_every_example_of_the_page_on_games_runs_as_written():
    """docs/games.md is a doctest."""
    result = doctest.testfile(str(ROOT / "docs" / "games.md"), module_relative=False)
    assert result.attempted >= 8
    assert result.failed == 0


def test_importing_planners_imports_the_standard_library_only():
    """No numpy, networkx, gymnasium or anything of ours comes along."""
    script = (
        "import sys; before = set(sys.modules); import planners;"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    environment = {"PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['planners']"

"""CONTRIBUTING.md names files that exist, and its one command is the one CI runs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_file_that_a_recipe_names_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:planners|tasks|envs|cwm_agent|tests|docs|benchmarks)(?:/\w+)*(?:\.\w+)?)`", text)
    paths = [path for path in named if "/" in path and "NAME" not in path]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_make_check_is_what_ci_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "check:\n\tbash .ci/run\n" in makefile
    assert (ROOT / ".ci" / "run").exists()


def test_the_version_is_written_once() -> None:
    """pyproject.toml takes it from the package."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'version = { attr = "cwm_agent.__version__" }' in text
    assert not re.search(r'^version = "', text, re.MULTILINE)

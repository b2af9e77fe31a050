"""The examples of docs/environments.md and docs/learners.md run and give the shown results."""

from __future__ import annotations

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_examples_of_the_environment_docs_are_right():
    result = doctest.testfile(str(ROOT / "docs" / "environments.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_examples_of_the_page_on_learners_are_right():
    result = doctest.testfile(str(ROOT / "docs" / "learners.md"), module_relative=False)
    assert result.attempted >= 4
    assert result.failed == 0

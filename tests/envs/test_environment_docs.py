"""The page about environments runs as it stands."""

from __future__ import annotations

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_about_environments_is_true():
    result = doctest.testfile(str(ROOT / "docs" / "environments.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0

"""Programs at the edge of what is rewritten behave as before: decorated functions, managers, coroutines, slots, parts."""

from pathlib import Path

import pytest

from tests.execution.decompose.test_library_calls import check_same

PROGRAMS = (Path(__file__).parent.parent / "programs" / "rewrite_doubts.txt").read_text(encoding="utf-8")
"""Each behind a line `### name`; the entry is `f`."""
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))


@pytest.mark.parametrize("name", CASES)
def test_a_doubtful_program_behaves_as_before(name: str) -> None:
    check_same(CASES[name] + "\n", "")

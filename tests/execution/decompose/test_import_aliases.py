"""Imports under another name are written under the library's, unless a line of the program could tell."""

import re
from pathlib import Path

import pytest

from envs.execution.decompose.decomposition import decompose
from tests.execution.decompose.test_library_calls import check_same

PROGRAMS = (Path(__file__).parent.parent / "programs" / "import_aliases.txt").read_text(encoding="utf-8")
"""Each behind a line `### name -> texts that its decomposed source holds`; the entry is `f`."""
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))


@pytest.mark.parametrize("title", CASES)
def test_a_program_with_aliases_behaves_as_before(title: str) -> None:
    written = check_same(CASES[title] + "\n", "")
    for text in title.partition(" -> ")[2].split(", "):
        assert re.search(rf"(?<![\w.]){re.escape(text)}(?!\w)", written), written


@pytest.mark.parametrize("reader", ["globals()", "eval('st')", "vars()"])
def test_names_stay_where_the_program_may_look_them_up(reader: str) -> None:
    written = decompose(f"import statistics as st\ndef f(xs):\n    {reader}\n    return st.mean(xs)\n", "f").source
    assert "st.mean" in written
    assert "import statistics as st" in written

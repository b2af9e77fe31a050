"""`solve FILE.py` where one test fails: a patch that fits it by a constant is not kept, and the choice is shown."""

import builtins
import sys
from pathlib import Path

import pytest

from cwm_agent.solve import main

EXACT = ("--oracle", "exact", "--ceiling", "--policy", "none", "--jobs", "1")
REMOVE = """class Stock:
    def __init__(self, counts):
        self.counts = counts

    def remove(self, name, number):
        self.counts[name] -= 1
        return self.counts[name]
"""
REMOVE_TEST = """from stock import Stock


def test_remove():
    stock = Stock({"pear": 5})
    assert stock.remove("pear", 2) == 3
"""
TALLY = """def tally(pairs):
    counts = {}
    for name, number in pairs:
        counts[name] = number
    return counts
"""
TALLY_TESTS = """from stock import tally


def test_once():
    assert tally([("a", 1), ("b", 2)]) == {"a": 1, "b": 2}


def test_twice():
    assert tally([("a", 1), ("a", 2)]) == {"a": 3}
"""


def _written(folder: Path, source: str, tests: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "stock.py").write_text(source)
    (folder / "test_stock.py").write_text(tests)
    monkeypatch.chdir(folder)


def test_a_constant_that_fits_the_only_test_is_not_kept_and_an_answer_settles_what_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`return self.counts[name] - 1` passes too; a test of several steps with other values shows the difference."""
    _written(tmp_path, REMOVE, REMOVE_TEST, monkeypatch)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(builtins, "input", lambda prompt: "1")
    assert main(["stock.py", *EXACT, "--ask"]) == 0
    shown = capsys.readouterr().out
    assert "+        self.counts[name] -= number" in shown.partition("ambiguous:")[0]
    assert "Which result of stock = Stock(" in shown
    added = (tmp_path / "test_stock.py").read_text().removeprefix(REMOVE_TEST)
    assert added.startswith("\n\ndef test_Stock_remove_answer_1():\n    from stock import Stock\n\n    stock = Stock(")
    assert "+        self.counts[name] -= number" in shown.rpartition("found a patch")[2]


def test_a_missing_sum_over_the_items_of_a_dict_is_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _written(tmp_path, TALLY, TALLY_TESTS, monkeypatch)
    assert main(["stock.py", *EXACT, "--diff"]) == 0
    assert "+        counts[name] = counts.get(name, 0) + number" in capsys.readouterr().out

"""`solve FILE.py` where one test fails: a patch that fits it by a constant is not kept, and the choice is shown."""

import builtins
import json
import sys
from pathlib import Path

import pytest

from cwm_agent.solve import main

EXACT = ("--oracle", "exact", "--ceiling", "--policy", "none", "--jobs", "1")
HEAD = "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Stock:\n    counts: dict = field(default_factory=dict)\n"
REMOVE = f"""{HEAD}
    def remove(self, name, number):
        if self.counts.get(name, 0) < number:
            raise ValueError("not enough")
        self.counts[name] -= 1
        return self.counts[name]
"""
REMOVE_TEST = """from stock import Stock


def test_remove():
    stock = Stock({"pear": 5})
    assert stock.remove("pear", 2) == 3
"""
ADD = f"""{HEAD}
    def add(self, name, number):
        self.counts[name] = number
        return self.counts[name]
"""
ADD_TESTS = """from stock import Stock


def test_add():
    stock = Stock()
    stock.add("pear", 5)
    assert stock.add("pear", 2) == 7


def test_first():
    assert Stock().add("fig", 3) == 3
"""


def _written(folder: Path, source: str, tests: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "stock.py").write_text(source)
    (folder / "test_stock.py").write_text(tests)
    monkeypatch.chdir(folder)


def test_a_constant_that_fits_the_only_test_is_not_kept_and_the_difference_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`return self.counts[name] - 1` passes too; the method changes an object, so a test of several steps shows it."""
    _written(tmp_path, REMOVE, REMOVE_TEST, monkeypatch)
    assert main(["stock.py", *EXACT, "--json"]) == 3
    [task] = json.loads(capsys.readouterr().out)["tasks"]
    assert task["status"] == "ambiguous"
    assert "-= number" in task["diff"]
    assert task["difference"]["code"].startswith("stock = Stock(")
    assert task["difference"]["result"] != task["difference"]["other_result"]


def test_the_answer_to_a_question_about_an_object_becomes_a_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _written(tmp_path, REMOVE, REMOVE_TEST, monkeypatch)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    answers = iter(["1"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(answers, ""))
    main(["stock.py", *EXACT, "--ask"])
    text = (tmp_path / "test_stock.py").read_text()
    assert "def test_Stock_remove_answer_1():\n    from stock import Stock\n\n    stock = Stock(" in text
    compile(text, "test_stock.py", "exec")
    assert "Which result of stock = Stock(" in capsys.readouterr().out


def test_a_missing_sum_over_the_items_of_a_dict_is_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _written(tmp_path, ADD, ADD_TESTS, monkeypatch)
    assert main(["stock.py", *EXACT, "--diff"]) == 0
    assert "+        self.counts[name] = self.counts.get(name, 0) + number" in capsys.readouterr().out

"""`solve` in a project as people lay it out: `src/`, `tests/`, `conftest.py`, unittest; with --tests and --entry."""

from pathlib import Path

import pytest

from cwm_agent.solve import main

FAST = ("--oracle", "none", "--policy", "none", "--jobs", "1")
PROGRAM = "def total(numbers):\n    found = 0\n    for number in numbers:\n        found *= number\n    return found\n"
OTHER = "\n\ndef first(numbers):\n    return numbers[1]\n"
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return [1, 2, 3]\n"
PYTEST = """import pytest
from shop.sums import total


def test_total(numbers):
    assert total(numbers) == 6


@pytest.mark.parametrize(("given", "wanted"), [([], 0), ([5], 5)])
def test_table(given, wanted):
    assert total(given) == wanted
"""
UNITTEST = """import unittest
from shop.sums import first


class FirstTest(unittest.TestCase):
    def setUp(self):
        self.numbers = [4, 5]

    def test_first(self):
        self.assertEqual(first(self.numbers), 4)
        self.assertEqual(first([7]), 7)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for folder in ("src/shop", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src/shop/__init__.py").write_text("")
    (tmp_path / "src/shop/sums.py").write_text(PROGRAM + OTHER)
    (tmp_path / "tests/conftest.py").write_text(CONFTEST)
    (tmp_path / "tests/test_sums.py").write_text(PYTEST)
    (tmp_path / "tests/more_checks.py").write_text(UNITTEST)
    return tmp_path


def test_a_program_below_src_is_repaired_by_the_tests_of_its_project(project: Path) -> None:
    assert main(["src/shop/sums.py", *FAST, "--write"]) == 0
    assert "found += number" in (project / "src/shop/sums.py").read_text()


def test_named_tests_and_a_named_entry_are_used(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--tests", "tests/more_checks.py", "--entry", "first")
    assert main(["src/shop/sums.py", *FAST, *words, "--write"]) == 0
    assert "first([7]) gave IndexError" in capsys.readouterr().out
    assert "return numbers[0]" in (project / "src/shop/sums.py").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--tests", "tests/none.py"), "none.py"), (("--entry", "totl"), "Did you mean 'total'?")],
    ids=["tests", "entry"],
)
def test_what_does_not_exist_is_named(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, str], said: str
) -> None:
    assert main(["src/shop/sums.py", *FAST, *words]) == 2
    assert said in capsys.readouterr().err
    assert not (project / "runs").exists()


def test_a_program_without_tests_says_where_they_were_looked_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src/shop/other.py").write_text(PROGRAM)
    assert main(["src/shop/other.py", *FAST]) == 2
    assert "tests/test_other.py" in capsys.readouterr().err

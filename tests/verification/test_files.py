"""Files of repair tasks: the program to be repaired, or the repaired one."""

import json
from pathlib import Path

import pytest

from cwm_agent.verification.history_files import verify_histories
from cwm_agent.verification.statistics.share_intervals import with_intervals
from cwm_agent.verification.task_files import verify_file
from cwm_agent.verify import main

TASK = {
    "kind": "repair",
    "id": "add-1",
    "source": "def add(a, b):\n    return a - b\n",
    "entry": "add",
    "tests": [{"arguments": "1, 2", "expected": "3"}, {"arguments": "4, 0", "expected": "4"}],
}


def _file(folder: Path, **more: object) -> Path:
    path = folder / "tasks.jsonl"
    path.write_text(json.dumps({**TASK, **more}) + "\n")
    return path


def test_the_repaired_program_is_verified_where_it_is_asked_for(tmp_path: Path) -> None:
    path = _file(tmp_path, reference="def add(a, b):\n    return a + b\n")
    buggy, repaired = (verify_file(path, oracle="exact", programs=which)[0] for which in ("buggy", "reference"))
    assert buggy["verdicts"]["tests"]["pass"] == {"real_pass": 1, "real_fail": 0}
    assert repaired["verdicts"]["tests"]["pass"] == {"real_pass": 2, "real_fail": 0}
    assert (buggy["program"], repaired["program"]) == ("buggy", "reference")


def test_a_file_that_knows_no_repaired_program_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_file(tmp_path)), "--oracle", "exact", "--programs", "reference"]) == 2
    assert "knows its repaired program" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["{", '["frame", ["line", [["add", 99, []]], [], [], null]]', '["frame", 7]', '["bad", 1]']
)
def test_a_row_that_forges_its_run_does_not_end_the_command(tmp_path: Path, line: str) -> None:
    """The next row is verified, in the local view and in the history view."""
    forging = f"import os\nos.write(3, b'd' + {line!r}.encode() + b'\\n')\ndef add(a, b):\n    return a + b\n"
    rows = [{**TASK, "id": "forged-1", "source": forging}, TASK]
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [figures] = verify_file(path, oracle="exact")
    assert figures["verdicts"]["tests"]["pass"] == {"real_pass": 1, "real_fail": 0}
    [histories] = verify_histories(path, oracle="exact", guides=("free",))
    assert (histories["programs"], histories["trace_exact"]) == (4, 0.5)


def test_tests_that_are_functions_are_verified_too(tmp_path: Path) -> None:
    """A test that builds an object and calls a method is imagined like a call."""
    source = (
        "class Account:\n    def __init__(self, n):\n        self.n = n\n    def add(self, k):\n        self.n -= k\n"
    )
    source += "def start(n):\n    return Account(n)\n"
    tests = [
        {"code": "account = Account(2)\naccount.add(3)\nreturn account.n", "expected": "5"},
        {"code": "return Account(4).n", "expected": "4"},
    ]
    path = _file(tmp_path, source=source, entry="start", tests=tests)
    [figures] = verify_file(path, oracle="exact")
    assert (figures["programs"], figures["trace_exact"]) == (2, 1.0)
    assert figures["verdicts"]["tests"]["pass"] == {"real_pass": 1, "real_fail": 0}


def test_the_share_by_rule_is_pooled_over_steps_beside_copies_and_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of six answers (list, iterator, two items, two appends) two copy an item; one append says a change, one all."""
    source = "def add(a, b):\n    xs = []\n    for x in b:\n        xs.append(a)\n    return xs\n"
    path = _file(tmp_path, source=source, tests=[{"arguments": "1, [7, 8]", "expected": "[1]"}])
    [figures] = verify_file(path, oracle="exact")
    assert (figures["copied"], figures["completed"]) == (2 / 6, 1 / 6)
    assert figures["by_rule"] == 3 / 9
    assert main([str(path), "--oracle", "exact"]) == 0
    assert "steps by rule 0.333 of all; of the answers 0.333 only copy a loop's item" in capsys.readouterr().out


def test_guides_of_several_options_are_all_measured_once(tmp_path: Path) -> None:
    """`--guide a --guide b,a` is a and b; their figures hold exact intervals, which two programs leave wide."""
    out = tmp_path / "figures.json"
    guides = ["--guide", "cfg", "--guide", "grounded,cfg"]
    assert main([str(_file(tmp_path)), "--oracle", "exact", *guides, "--json", str(out)]) == 0
    runs = json.loads(out.read_text())["runs"]
    assert [run["guide"] for run in runs] == ["cfg", "grounded"]
    assert [run["output_exact_interval"] for run in runs] == [[pytest.approx(0.1581, abs=1e-4), 1.0]] * 2


@pytest.mark.parametrize(("oracle", "expected"), [("none", [0.0, 0.8419]), ("exact", [0.1581, 1.0])])
def test_a_model_that_answers_nothing_or_is_perfect_has_an_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], oracle: str, expected: list[float]
) -> None:
    assert main([str(_file(tmp_path)), "--oracle", oracle]) == 0
    low, high = expected
    assert f"over 2 programs: output_exact {float(oracle == 'exact'):.3f} ({low:.3f} to {high:.3f})" in (
        capsys.readouterr().out
    )


def test_a_file_without_programs_has_no_interval() -> None:
    empty = {"programs": 0, "output_exact": 0.0, "trace_exact": 0.0}
    assert with_intervals(empty) == {**empty, "output_exact_interval": None, "trace_exact_interval": None}

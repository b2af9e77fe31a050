"""`solve FILE.py` in a project folder: results belong to the content of file and tests, and patches are delivered."""

import errno
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cwm_agent.agent.repair import patch_delivery
from cwm_agent.reports.solve_report import print_diff_line
from cwm_agent.solve import main
from tasks import Loaded

BUGGY = '''def total(numbers):
    """Adds numbers.

    >>> total([1, 2, 3])
    6
    >>> total([])
    0
    """
    found = 0
    for number in numbers:
        found *= number
    return found
'''
FAST = ("--oracle", "none", "--policy", "none", "--jobs", "1")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums.py").write_text(BUGGY)
    return tmp_path


def test_an_unchanged_file_shows_its_patch_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST]) == 0
    first = capsys.readouterr().out
    assert main(["sums.py", *FAST]) == 0
    second = capsys.readouterr().out
    assert "found += number" in first
    assert "found += number" in second
    assert "unchanged since this run" in second


def test_a_changed_file_is_solved_anew(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST]) == 0
    (project / "sums.py").write_text(BUGGY.replace("found *= number", "found += number").replace("= 0", "= 1"))
    capsys.readouterr()
    assert main(["sums.py", *FAST]) == 0
    assert "unchanged" not in capsys.readouterr().out
    assert len((project / "runs/sums-0/episodes.jsonl").read_text().splitlines()) == 2


def test_a_folder_is_solved_twice_and_its_own_output_is_not_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([".", *FAST]) == 0
    assert main([".", *FAST]) == 0
    assert "skipped" not in capsys.readouterr().err
    assert (project / "runs" / f"{project.name}-0" / "episodes.jsonl").exists()


def test_wrong_flags_write_nothing(project: Path) -> None:
    assert main(["sums.py", "--oracle", "exakt"]) == 2
    assert main(["sums.py", "--planner", "none-such"]) == 2
    assert not (project / "runs").exists() or not list((project / "runs").iterdir())


def test_other_settings_get_a_folder_of_their_own(project: Path) -> None:
    assert main(["sums.py", *FAST]) == 0
    assert main(["sums.py", *FAST, "--planner", "beam"]) == 0
    assert main(["sums.py", *FAST, "--planner", "beam"]) == 0
    assert {each.name for each in (project / "runs").iterdir()} == {"sums-0", "sums-0-2"}


def test_the_diff_is_taken_by_git(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST, "--diff"]) == 0
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply"], input=capsys.readouterr().out, text=True, check=True)
    assert "found += number" in (project / "sums.py").read_text()


def test_a_diff_keeps_a_missing_last_line_end(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_text(BUGGY.replace("    return found\n", "    return found + 1").replace("*=", "+="))
    assert main(["sums.py", *FAST, "--diff"]) == 0
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply"], input=capsys.readouterr().out, text=True, check=True)


def test_a_patch_is_written_tested_and_the_old_text_kept(project: Path) -> None:
    assert main(["sums.py", *FAST, "--write"]) == 0
    assert "found += number" in (project / "sums.py").read_text()
    assert (project / "runs/sums-0/sums.py.before").read_text() == BUGGY


def test_a_file_that_changes_meanwhile_is_not_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = BUGGY.replace("Adds numbers", "Adds some numbers")

    def changed_first(path: Path, loads: Callable[[], Loaded]) -> object:
        path.write_text(other)
        return found(path, loads)

    found = patch_delivery._task
    monkeypatch.setattr(patch_delivery, "_task", changed_first)
    assert main(["sums.py", *FAST, "--write"]) == 2
    assert (project / "sums.py").read_text() == other


def test_a_file_that_passes_has_nothing_to_repair(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_text(BUGGY.replace("*=", "+="))
    assert main(["sums.py", *FAST, "--write"]) == 0
    assert "nothing to repair" in capsys.readouterr().out
    assert not (project / "runs/sums-0/sums.py.before").exists()


IMAGINED = ("--oracle", "exact", "--ceiling", "--policy", "none", "--jobs", "1")


@pytest.fixture
def weak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose tests do not say what the program is meant to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sized.py").write_text("def size(a, b):\n    return a - b\n")
    (tmp_path / "test_sized.py").write_text(
        "from sized import size\n\n\ndef test_size():\n    assert size(2, 2) == 4\n"
    )
    return tmp_path


def test_a_person_reads_what_failed_what_was_found_and_what_it_cost(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sums.py", *FAST]) == 0
    shown = capsys.readouterr().out
    assert "total([1, 2, 3]) gave 0, expected 6" in shown
    assert "+        found += number" in shown
    assert "how sure" in shown
    assert "real runs: " in shown
    assert "executions_at_60" not in shown
    assert "right None" not in shown


def test_json_names_the_status_of_a_solved_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "solved"
    assert found["tasks"][0]["failing"] == ["total([1, 2, 3]) gave 0, expected 6"]
    assert "found += number" in found["tasks"][0]["diff"]


def test_json_names_a_file_with_nothing_to_repair(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_text(BUGGY.replace("*=", "+="))
    assert main(["sums.py", *FAST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "nothing to repair"


def test_an_open_task_exits_with_1(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST, "--budget-executions", "1", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "open"


def test_what_cannot_be_loaded_exits_with_2(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "none.py").write_text("def f(x):\n    return x\n")
    assert main(["none.py", *FAST, "--json"]) == 2
    shown = capsys.readouterr()
    assert json.loads(shown.out)["status"] == "cannot load"
    assert main(["missing.py", *FAST, "--json"]) == 2
    assert "missing.py" in json.loads(capsys.readouterr().out)["message"]


def test_an_ambiguous_patch_exits_with_3_and_shows_the_difference(
    weak: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sized.py", *IMAGINED, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    [task] = found["tasks"]
    assert (found["status"], task["status"]) == ("ambiguous", "ambiguous")
    assert task["difference"]["result"] != task["difference"]["other_result"]


def test_an_answer_becomes_a_test_and_the_file_is_solved_again(
    weak: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["[", "2", "", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    main(["sized.py", *IMAGINED, "--ask"])
    shown = capsys.readouterr().out
    assert "Which result of size(" in shown
    assert "no plain value" in shown
    assert "added the answer as a test" in shown
    tests = (weak / "test_sized.py").read_text()
    assert tests.count("assert size(") == 2
    assert "def test_size_answer_1():" in tests


def test_questions_need_a_terminal(weak: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sized.py", *IMAGINED, "--ask"]) == 2
    assert "no terminal" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--limit", "0"),
        ("--limit", "-3"),
        ("--jobs", "0"),
        ("--patience", "0"),
        ("--budget-executions", "0"),
        ("--budget-seconds", "0"),
        ("--budget-seconds", "nan"),
        ("--budget-tokens", "-1"),
        ("--budget-steps", "-1"),
        ("--budget-comparisons", "-1"),
        ("--longest-patch", "0"),
        ("--diff", "--json"),
    ],
    ids=" ".join,
)
def test_numbers_that_cannot_be_meant_are_one_sentence_and_write_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main(["sums.py", *FAST, *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (project / "runs").exists()


def test_a_flaky_test_is_reported_and_nothing_is_repaired(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_text(
        'import os\n\n\ndef f(x):\n    """>>> f(1)\n    2\n    """\n    return int.from_bytes(os.urandom(6), \'big\')\n'
    )
    assert main(["sums.py", *FAST, "--write"]) == 1
    assert "flaky: f(1) ended differently" in capsys.readouterr().out


def test_a_folder_that_cannot_be_written_to_is_one_sentence(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "runs").write_text("a file in the place of the folder")
    assert main(["sums.py", *FAST, "--write"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert (project / "sums.py").read_text() == BUGGY


def test_an_unreadable_file_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_bytes(b"def f():\n    return '\xff'\n")
    assert main(["sums.py", *FAST]) == 2
    assert "UTF-8" in capsys.readouterr().err


def test_a_program_that_cannot_be_loaded_is_reported_after_its_first_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "sums.py").write_text("LIMIT = int('x')\n" + BUGGY)
    assert main(["sums.py", *FAST]) == 1
    told = capsys.readouterr().out
    assert "cannot be loaded; while loading: ValueError: invalid literal for int() with base 10: 'x'" in told


def test_a_missing_package_is_named_with_the_option_that_allows_it(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = project / "installed"
    packages.mkdir()
    (packages / "helpful.py").write_text("ZERO = 0\n")
    monkeypatch.syspath_prepend(str(packages))
    (project / "sums.py").write_text("import helpful\n" + BUGGY.replace("found = 0", "found = helpful.ZERO"))
    assert main(["sums.py", *FAST]) == 1
    assert "imports helpful" in (told := capsys.readouterr().out)
    assert "--allow-package helpful" in told
    assert main(["sums.py", *FAST, "--allow-package", "helpful", "--write"]) == 0
    assert "found += number" in (project / "sums.py").read_text()


def test_a_package_that_is_not_installed_cannot_be_allowed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sums.py", *FAST, "--allow-package", "nowhere_installed"]) == 2
    assert "No package 'nowhere_installed' is installed" in capsys.readouterr().err


def test_a_full_disk_leaves_the_file_as_it_was(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def full(source: str | Path, target: str | Path, **options: int) -> None:
        if Path(target).name == "sums.py":
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target, **options)

    monkeypatch.setattr(os, "replace", full)
    assert main(["sums.py", *FAST, "--write"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert (project / "sums.py").read_text() == BUGGY
    assert {each.name for each in project.iterdir()} == {"sums.py", "runs"}


def test_a_diff_is_coloured_on_a_terminal_only_and_its_text_is_visible(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    print_diff_line("+    return '\x1b[31m'")
    assert capsys.readouterr().out == "    +    return '\\x1b[31m'\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_diff_line("-    return '\x1b[31m'")
    assert capsys.readouterr().out == "\x1b[31m    -    return '\\x1b[31m'\x1b[0m\n"

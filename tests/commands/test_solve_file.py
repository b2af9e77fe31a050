"""`solve FILE.py` in a project folder: results belong to the content of file and tests, and patches are delivered."""

import subprocess
from pathlib import Path

import pytest

from cwm_agent.agent.repair import patch_delivery
from cwm_agent.solve import main

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

    def changed_first(path: Path) -> object:
        path.write_text(other)
        return found(path)

    found = patch_delivery._task
    monkeypatch.setattr(patch_delivery, "_task", changed_first)
    assert main(["sums.py", *FAST, "--write"]) == 2
    assert (project / "sums.py").read_text() == other


def test_a_file_that_passes_has_nothing_to_repair(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "sums.py").write_text(BUGGY.replace("*=", "+="))
    assert main(["sums.py", *FAST, "--write"]) == 0
    assert "nothing to repair" in capsys.readouterr().out
    assert not (project / "runs/sums-0/sums.py.before").exists()


def test_a_program_that_cannot_be_loaded_is_reported_after_its_first_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "sums.py").write_text("LIMIT = int('x')\n" + BUGGY)
    assert main(["sums.py", *FAST]) == 1
    told = capsys.readouterr().out
    assert "cannot be loaded; while loading: ValueError: invalid literal for int() with base 10: 'x'" in told
    assert "  1 real runs" in told


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

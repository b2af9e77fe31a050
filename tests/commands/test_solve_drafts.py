"""`solve FILE.py --drafts DRAFTS.jsonl`: programs of a language model are ranked in imagination, run, and repaired."""

import json
from pathlib import Path

import pytest

from cwm_agent.agent.draft_programs import draft_edits
from cwm_agent.solve import main
from tasks import CallTest, RepairTask

STUB = "def double(items):\n    pass\n"
TESTS = """from doubles import double

def test_double():
    assert double([1, 2]) == [2, 4]
    assert double([]) == []
    assert double([5]) == [10]
"""
WRONG = "def double(items):\n    return items * 2\n"
BROKEN = "def double(items) return"
OTHER = "def triple(items):\n    return items\n"
RIGHT = "def double(items):\n    return [2 * item for item in items]\n"
NEARLY = (
    "def double(items):\n    found = []\n    for item in items:\n        found.append(item + 2)\n    return found\n"
)
IMAGINED = ("--oracle", "exact", "--ceiling", "--policy", "none", "--jobs", "1", "--json")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "doubles.py").write_text(STUB)
    (tmp_path / "test_doubles.py").write_text(TESTS)
    return tmp_path


def write_drafts(project: Path, *drafts: str) -> None:
    rows = [json.dumps({"draft": draft}) + "\n" for draft in drafts]
    (project / "drafts.jsonl").write_text("".join(rows))


def solved(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["doubles.py", "--drafts", "drafts.jsonl", *IMAGINED, *words]) == 0
    [task] = json.loads(capsys.readouterr().out)["tasks"]
    assert isinstance(task, dict)
    return task


def test_the_right_draft_is_the_first_that_is_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two real executions until the tests pass: the file's own, and the draft's."""
    write_drafts(project, WRONG, BROKEN, OTHER, f"Here it is:\n```python\n{RIGHT}```\n")
    task = solved(capsys, "--write")
    assert len(json.loads((project / "runs/doubles-0/episodes.jsonl").read_text())["runs"]) == 1
    assert task["status"] == "solved"
    assert (project / "doubles.py").read_text() == RIGHT


def test_the_best_draft_is_repaired(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_drafts(project, WRONG, NEARLY)
    patch = solved(capsys)["patch"]
    assert isinstance(patch, list)
    assert patch[0].startswith("proposed ")
    assert len(patch) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no draft"), ("{}\n", "draft"), ("nonsense\n", "JSON"), ('{"draft": 3}\n', "draft")],
    ids=["empty", "no-field", "no-json", "no-text"],
)
def test_a_file_without_drafts_is_one_sentence(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    (project / "drafts.jsonl").write_text(text)
    assert main(["doubles.py", "--drafts", "drafts.jsonl", *IMAGINED]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert len(shown.splitlines()) == 1


def test_a_missing_file_of_drafts_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doubles.py", "--drafts", "none.jsonl", *IMAGINED]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_drafts_of_another_task_and_equal_drafts_are_left_out() -> None:
    task = RepairTask("a", STUB, "double", (CallTest("[1]", "[2]"),))
    found = draft_edits(task, {"": (RIGHT, RIGHT, STUB), "a": (WRONG,), "b": (NEARLY,)})
    assert [edit.apply(STUB) for edit in found] == [RIGHT, WRONG]

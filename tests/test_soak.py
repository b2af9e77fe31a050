"""The soak tells level from growing, and a short one over evaluations is level."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import soak
from tasks import RepairTask, load

ROOT = Path(__file__).parent.parent


def rows(memory: list[float], descriptors: int = 9) -> list[soak.Held]:
    return [
        soak.Held("x", done, 1.0, each, peak_mib=900.0, descriptors=descriptors, processes=3)
        for done, each in enumerate(memory)
    ]


@pytest.mark.parametrize(
    ("memory", "level"),
    [
        pytest.param([300, 400, 400, 500, 400, 480, 400, 401], True, id="grows at the start only"),
        pytest.param([300, 310, 320, 330, 340, 350, 360, 370], False, id="grows always"),
        pytest.param([300, 400, 400, 400, 700, 400, 900, 400], False, id="some tasks leave more at the end"),
    ],
)
def test_the_most_memory_of_a_quarter_tells_a_leak(memory: list[float], level: bool) -> None:
    assert soak.is_level(rows(memory), slack_mib=16) is level


def test_a_descriptor_more_is_a_leak() -> None:
    assert not soak.is_level([*rows([400.0] * 6), *rows([400.0] * 2, descriptors=10)], slack_mib=16)


def test_a_short_soak_of_evaluations_is_level_and_writes_its_rows(tmp_path: Path) -> None:
    """In a process of its own: memory and descriptors of other tests are not counted."""
    out = tmp_path / "rows.jsonl"
    words = ["--evaluations", "48", "--every", "4", "--solves", "0", "--out", str(out)]
    command = [sys.executable, "-m", "benchmarks.soak", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(out.read_text().splitlines()) == 12


def test_a_renamed_task_has_the_same_tests() -> None:
    (first, *_), again = (list(soak._tasks(count, "repair/one_edit_short")) for count in (1, 21))
    renamed = again[-1]
    assert renamed.id == f"{first.id}-1"
    assert renamed.entry == f"{first.entry}_1"
    assert f"def {renamed.entry}(" in renamed.source
    assert len(renamed.tests) == len(first.tests)


def test_every_shipped_task_can_be_solved_again_under_another_name() -> None:
    tasks = [task for task in load("tasks/repair").tasks if isinstance(task, RepairTask)]
    second = list(soak._tasks(2 * len(tasks), "tasks/repair"))[len(tasks) :]
    assert [task.id for task in second] == [f"{task.id}-1" for task in tasks]
    assert all(new.source != old.source for new, old in zip(second, tasks, strict=True))

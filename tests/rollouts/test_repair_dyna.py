"""`benchmarks.repair_dyna`: what the learner does with real and imagined runs; and programs with two bugs."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.random_programs.task_families import mutants, with_second_bugs
from benchmarks.repair_dyna import (
    ImaginedTries,
    RepairChances,
    TaskTries,
    imagine,
    imagine_single,
    is_repaired,
    main,
    real_runs,
    summary,
)
from envs.domains.evaluation import Evaluation
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.repair_arrays import ROW
from tasks import RepairTask, load

RIGHT = 3


@dataclass
class OneRepairs:
    """An evaluator by which only one candidate passes."""

    ran: list[str] = field(default_factory=list)

    def run(self, source: str) -> Evaluation:
        self.ran.append(source)
        return Evaluation((source == f"candidate {RIGHT}",))


class WrongOracle(ImaginedTries):
    """Imagines that no candidate passes."""

    def runs_well(self, task: TaskTries, number: int) -> bool:
        self.runs += 1
        self.wrong += task.runs_well(number)
        return False


def tries(count: int = 8) -> TaskTries:
    rows = np.zeros((count, ROW), dtype=np.float32)
    rows[:, 0] = 1
    rows[RIGHT, 5] = 1
    return TaskTries(rows, [f"candidate {number}" for number in range(count)], cast(Any, OneRepairs()))


def test_the_learner_finds_what_repairs_have_in_common_and_tries_no_candidate_twice() -> None:
    learner, task = RepairChances(Random(0)), tries()
    runs = real_runs(learner, [task], budget=8)
    found = [next(runs)[1] for _ in range(60)]
    assert sum(found[30:]) > sum(found[:10])
    assert is_repaired(learner, tries(), budget=1)
    assert sorted(task.evaluator.ran) == sorted(set(task.evaluator.ran)), "a real run is kept"  # type: ignore[attr-defined]
    assert learner.choose(task, set(range(7)), 1.0) == 7


@pytest.mark.parametrize("mode", ["dream", "dyna"])
def test_so_many_runs_are_imagined_as_were_asked_for(mode: str) -> None:
    learner, dream = RepairChances(Random(0)), WrongOracle(cast(Any, None))
    if mode == "dream":
        imagine(learner, [tries()], dream, 21, budget=5)
    else:
        imagine_single(learner, [tries()], dream, 21)
    assert dream.runs == 21
    assert dream.wrong >= 1


def test_errors_that_are_drawn_anew_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--oracle", "noisy:iid:state=0.1", "--out", str(tmp_path / "lines")])
    assert "choose noisy:systematic" in capsys.readouterr().err
    assert not (tmp_path / "lines").exists()


def test_a_table_has_a_row_for_each_cell_over_its_seeds() -> None:
    lines = [
        {
            "oracle": "exact",
            "mode": "dream",
            "each": each,
            "seed": seed,
            "reward": seed / 10,
            "held_out": 1.0,
            "wrong": 0,
        }
        for each in (1, 4)
        for seed in (0, 2)
    ]
    rows = summary(lines)
    assert [(row["each"], row["seeds"], row["reward"][0]) for row in rows] == [(1, 2, 0.1), (4, 2, 0.1)]


def test_a_second_bug_stands_on_another_line_and_changes_a_test() -> None:
    operators = ("comparison", "augment", "constant-step")
    shipped = [task for task in load("repair/one_edit_short").tasks if isinstance(task, RepairTask)][:6]
    with Sandbox() as sandbox:
        one = [bug for task in shipped for bug in mutants(task, operators[:1], sandbox, most=1, rng=Random(0))]
        two = with_second_bugs(one, operators, sandbox)
    assert two
    by_id = {task.id: task for task in one}
    for task in two:
        first = by_id[task.id.partition("+")[0]]
        assert task.reference is not None
        texts = [each.split("\n") for each in (task.source, first.source, task.reference)]
        assert sum(len(set(lines)) > 1 for lines in zip(*texts, strict=True)) == 2

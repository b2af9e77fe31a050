"""The benchmarks of learners run on a small scale and give the figures that they promise."""

import json
from argparse import Namespace
from dataclasses import asdict
from random import Random

from benchmarks import repair_learning
from benchmarks.candidate_choice import difference, some_of
from benchmarks.dyna import GOAL, Imagination, Learner, cell, imagined_steps
from benchmarks.learnt_search import table
from benchmarks.random_programs.task_families import mutants
from cwm_agent.agent.episodes.episode import Episode
from envs.domains.evaluation import Evaluator
from envs.execution.sandbox.sandbox import Sandbox
from tasks import load

from local_worlds import exact  # isort: skip


def test_imagined_steps_of_an_exact_oracle_are_never_wrong_and_teach_the_goal():
    """A state one swap from the goal: after some imagined steps the learner takes that swap."""
    start = (1, 0, *GOAL[2:])
    for mode in ("dyna", "dream"):
        learner, dream = Learner(Random(0), 10), Imagination(exact(), repeats=True)
        imagined_steps(learner, dream, [start], 200, mode=mode)
        assert (dream.steps, dream.wrong) == (200, 0)
        assert learner.act(start, 0.0) == 0


def test_a_cell_without_imagination_learns_from_real_steps_alone():
    row = cell("none", "dyna", 0, 50, seed=3)
    assert (row["each"], row["wrong"]) == (0, 0.0)
    assert row == cell("none", "dyna", 0, 50, seed=3)


def test_a_family_has_bugs_of_one_class_that_tests_notice():
    task = load("repair").named("overlap")
    with Sandbox() as sandbox:
        found = mutants(task, ["comparison-boundary"], sandbox, most=2, rng=Random(0))
        assert found
        for mutant in found:
            assert mutant.tier == "comparison-boundary"
            assert not Evaluator(mutant, sandbox).original.solved
            assert mutant.reference == task.reference


def test_a_difference_has_an_interval_around_its_mean():
    mean, low, high = difference([0.0, 1.0, 2.0, 3.0])
    assert low < mean == 1.5 < high


def test_a_limit_takes_tasks_of_every_family():
    tasks = list(load("repair").tasks)
    found = some_of(tasks, 20)  # type: ignore[arg-type]
    assert len(found) == len({task.id for task in found}) == 20
    assert len({task.tier for task in found}) == len({task.tier for task in tasks})
    assert some_of(tasks, None) == some_of(tasks, 10_000) == tasks  # type: ignore[arg-type]


def test_a_table_compares_the_tasks_that_every_row_has_ended(tmp_path):
    """Task b is missing in one row, so that only a counts; unsolved tasks count with the whole budget."""
    ended = {"none-0": {"a": 4, "b": 2}, "prior-0": {"a": 2}, "value-0": {"a": 0, "b": 2}, "both-0": {"a": 3, "b": 2}}
    for folder, tasks in ended.items():
        (tmp_path / folder).mkdir()
        rows = [asdict(Episode(name, count > 0, None, spent={"executions": count})) for name, count in tasks.items()]
        (tmp_path / folder / "episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = table(Namespace(out=tmp_path, seeds=2, executions=10))
    assert {name: (row["episodes"], row["executions"]) for name, row in found.items()} == {
        "none": (1, 4.0),
        "prior": (1, 2.0),
        "value": (1, 10.0),
        "both": (1, 3.0),
    }
    assert found["prior"]["difference"] == [-2.0, -2.0, -2.0]


def test_validation_learns_and_tests_on_different_programs_of_one_half(monkeypatch):
    tasks = [task for task in load("repair").tasks if task.split == "dev"][:7]
    monkeypatch.setattr(repair_learning, "families", lambda names, split, sandbox, most: {names[0]: tasks})
    learnt, tested = repair_learning.sides(Namespace(family="index", most=1, validation=True), None)
    assert [task.id for task in tested] == [tasks[at].id for at in (0, 3, 6)]
    assert sorted(task.id for task in (*learnt, *tested)) == sorted(task.id for task in tasks)

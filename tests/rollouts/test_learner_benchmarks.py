"""The benchmarks of learners run on a small scale and give the figures that they promise."""

from random import Random

from benchmarks.candidate_choice import difference
from benchmarks.dyna import GOAL, Imagination, Learner, cell, imagined_steps
from benchmarks.random_programs.task_families import mutants
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

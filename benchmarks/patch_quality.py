"""Holds the patches of a run against the references of its tasks, on inputs that no test has.

    python -m cwm_agent.solve repair --split dev --out runs/dev
    python -m benchmarks.patch_quality runs/dev repair
    python -m benchmarks.patch_quality runs/fix humanevalfix_dev.jsonl --inputs 200 --seed 0

The inputs are those of the visible and hidden tests with changes that keep their types
(`envs/domains/inputs/input_variation.py`); inputs that the reference refuses by an exception or a limit are left out. A
patch agrees if it gives the reference's result on every input.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from scipy.stats import binomtest

from cwm_agent.agent.episodes.episode import Episode, read
from envs.domains.inputs.input_variation import varied_inputs
from envs.domains.task_tests import passed, sandbox_test
from envs.editing.edit import apply_patch
from envs.execution.sandbox.sandbox import Sandbox
from tasks import BadTask, CallTest, RepairTask, load
from tasks.comparison import EQUAL


@dataclass(frozen=True, slots=True)
class PatchQuality:
    """One patch beside its task's reference."""

    task: str
    right: bool | None
    """Whether the hidden tests pass."""
    edits: int
    inputs: int
    """Inputs that the reference accepts."""
    differences: tuple[tuple[str, str, str], ...]
    """(arguments, result of the reference, result of the patch), the shortest arguments first."""


def quality_of(task: RepairTask, episode: Episode, sandbox: Sandbox, *, inputs: int, seed: int) -> PatchQuality:
    """Run patch and reference on varied inputs and compare what they return."""
    assert task.reference is not None
    arguments = varied_inputs((*task.tests, *task.hidden), Random(seed), inputs)
    expected = list(_expected(task, arguments, sandbox))
    patched = apply_patch(task.source, episode.patch)
    checks = [sandbox_test(test, task.entry) for test in expected]
    found = sandbox.run_tests(patched, checks, entry=task.entry)
    differences = [
        (test.arguments, test.expected, verdict.value)
        for test, verdict in zip(expected, found, strict=True)
        if not passed(test, verdict)
    ]
    shortest = tuple(sorted(differences, key=lambda each: (len(each[0]), each)))
    return PatchQuality(task.id, episode.right, len(episode.patch), len(expected), differences=shortest)


def _expected(task: RepairTask, arguments: Sequence[str], sandbox: Sandbox) -> Iterator[CallTest]:
    """A test for each input that the reference answers with a plain value, compared as the task's own tests are."""
    comparison = next((test.comparison for test in task.tests if isinstance(test, CallTest)), EQUAL)
    questions = [sandbox_test(CallTest(each, "None", comparison), task.entry) for each in arguments]
    assert task.reference is not None
    answers = sandbox.run_tests(task.reference, questions, entry=task.entry)
    for each, answer in zip(arguments, answers, strict=True):
        if answer.outcome == "returned":
            try:
                yield CallTest(each, answer.value, comparison)
            except BadTask:
                continue  # an object that has no plain form


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of the patches that differ, and how many agree."""
    options = _parser().parse_args(arguments)
    tasks = {task.id: task for task in load(options.tasks).tasks if isinstance(task, RepairTask)}
    solved = [each for each in read(options.run / "episodes.jsonl") if each.solved and each.patch]
    with Sandbox() as sandbox:
        found = [
            quality_of(tasks[episode.task], episode, sandbox, inputs=options.inputs, seed=options.seed)
            for episode in solved
            if episode.task in tasks and tasks[episode.task].reference is not None
        ]
    judged = [each for each in found if each.inputs]
    for each in judged:
        if each.differences:
            text, wanted, given = each.differences[0]
            hidden = {True: "right", False: "wrong", None: "-"}[each.right]
            share = f"{len(each.differences)} of {each.inputs}"
            print(f"{each.task:<24} hidden tests {hidden:<5} {share:>10} differ: ({text}) is {wanted}, patch {given}")
    if judged:
        agree = sum(not each.differences for each in judged)
        exact = binomtest(agree, len(judged)).proportion_ci()
        shown = f"{agree / len(judged):.3f} ({exact.low:.3f} to {exact.high:.3f})"
        print(f"{agree} of {len(judged)} patches agree with the reference: {shown}")
    print(f"{len(solved)} solved, {len(found)} with a reference, {len(judged)} with inputs that the reference accepts")


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.patch_quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("run", type=Path, help="folder of the run, with its episodes")
    command.add_argument("tasks", help="the tasks of the run: a name, a folder or a file")
    command.add_argument("--inputs", type=int, default=200, help="inputs per task (default: %(default)s)")
    command.add_argument("--seed", type=int, default=0, help="of the inputs (default: %(default)s)")
    return command


if __name__ == "__main__":
    main()

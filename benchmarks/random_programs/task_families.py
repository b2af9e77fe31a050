"""Families of repair tasks: bugs of one edit class, put into the reference programs of shipped tasks.

A family is named by the class of the edit that puts the bug in, such as `comparison-boundary`. A mutant becomes a task
if it fails some visible test of the original task; the hidden tests come along. Programs of the `dev` half are for
training and those of the `test` half for measuring, so no program occurs on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from random import Random

from envs.domains.evaluation import Evaluator
from envs.domains.repair_core import expected_constants
from envs.editing.edit_generation import edits
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load
from tasks.task import Split


def mutants(
    task: RepairTask, operators: Iterable[str], sandbox: Sandbox, *, most: int, rng: Random
) -> list[RepairTask]:
    """Up to `most` tasks for each class: the reference of a task with one edit that some visible test notices."""
    if task.reference is None:
        return []
    listed = edits(task.reference, expected_constants(task.tests))
    found = []
    for operator in operators:
        made = 0
        drawn = [edit for edit in listed if edit.operator == operator]
        for edit in rng.sample(drawn, min(len(drawn), 4 * most)):
            if made == most:
                break
            mutant = replace(
                task,
                id=f"{task.id}/{operator}-{made}",
                source=edit.apply(task.reference),
                known_patch=(),
                tier=operator,
            )
            original = Evaluator(mutant, sandbox).original
            if not original.solved and not original.stopped:
                found.append(mutant)
                made += 1
    return found


def families(
    operators: Sequence[str], split: Split, sandbox: Sandbox, *, most: int = 2, seed: int = 0
) -> dict[str, list[RepairTask]]:
    """The tasks of each family over all programs of one half of the shipped tasks."""
    rng = Random(seed)
    found: dict[str, list[RepairTask]] = {operator: [] for operator in operators}
    for task in load("repair").tasks:
        if isinstance(task, RepairTask) and task.split == split:
            for mutant in mutants(task, operators, sandbox, most=most, rng=rng):
                found[str(mutant.tier)].append(mutant)
    return found


def with_second_bugs(
    tasks: Sequence[RepairTask], operators: Sequence[str], sandbox: Sandbox, *, seed: int = 0
) -> list[RepairTask]:
    """Each task with another bug on another line; tasks are left out in which the second bug changes no test."""
    rng = Random(seed)
    found = (_with_second_bug(task, operators, sandbox, rng) for task in tasks)
    return [task for task in found if task is not None]


def _with_second_bug(task: RepairTask, operators: Sequence[str], sandbox: Sandbox, rng: Random) -> RepairTask | None:
    assert task.reference is not None
    first = {
        number
        for number, pair in enumerate(zip_longest(task.source.split("\n"), task.reference.split("\n")), start=1)
        if len(set(pair)) > 1
    }
    listed = edits(task.source, expected_constants(task.tests))
    drawn = [edit for edit in listed if edit.operator in operators and edit.line not in first]
    before = Evaluator(task, sandbox).original.marks
    for edit in rng.sample(drawn, min(len(drawn), 8)):
        both = replace(task, id=f"{task.id}+{edit.operator}", source=edit.apply(task.source))
        original = Evaluator(both, sandbox).original
        if not original.solved and not original.stopped and original.marks != before:
            return both
    return None

"""Renders a repair episode as text: the patch as a diff, a mark for each test, and the executions."""

from __future__ import annotations

from difflib import unified_diff

from envs.domains.evaluation import Evaluation
from envs.editing.edit import Edit
from tasks.task import RepairTask

_MARKS = {True: "+", False: "-", None: "?"}


def rendered_repair(
    task: RepairTask, source: str, evaluation: Evaluation, *, spent: str, last: tuple[Edit, Evaluation] | None = None
) -> str:
    """The diff of a program, its tests (+ passes, - fails, ? not run), the executions and the last edit tried."""
    diff = "".join(unified_diff(task.source.splitlines(True), source.splitlines(True), "buggy", "patched", n=1))
    lines = [f"{task.id}  tests {marks_of(evaluation)}  executions {spent}"]
    if last is not None:
        edit, found = last
        lines.append(f"tried {edit}  tests {marks_of(found)}")
    return "\n".join([*lines, diff.rstrip("\n") or "(unchanged)"])


def marks_of(evaluation: Evaluation) -> str:
    """One mark for each test."""
    return "".join(_MARKS[mark] for mark in evaluation.marks)

"""A repair episode as text: the patch as a diff, a mark for each test, and what was spent."""

from __future__ import annotations

from difflib import unified_diff

from envs.domains.evaluation import Evaluation
from envs.editing.edit import Edit
from tasks.task import RepairTask

_MARKS = {True: "+", False: "-", None: "?"}


def picture(
    task: RepairTask,
    source: str,
    evaluation: Evaluation,
    executions: int,
    budget: int,
    last: tuple[Edit, Evaluation] | None = None,
) -> str:
    """The program's changes, its tests (+ passes, - fails, ? not run) and the last edit that was tried."""
    diff = "".join(unified_diff(task.source.splitlines(True), source.splitlines(True), "buggy", "patched", n=1))
    lines = [f"{task.id}  tests {marks_of(evaluation)}  executions {executions}/{budget}"]
    if last is not None:
        edit, found = last
        lines.append(f"tried {edit}  tests {marks_of(found)}")
    return "\n".join([*lines, diff.rstrip("\n") or "(unchanged)"])


def marks_of(evaluation: Evaluation) -> str:
    """One sign for each test."""
    return "".join(_MARKS[mark] for mark in evaluation.marks)

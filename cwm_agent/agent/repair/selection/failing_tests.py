"""The tests that a program fails, as lines for a reader: the call, what was expected, what it gave."""

from envs.domains.evaluation import Evaluation
from tasks import CallTest, RepairTask
from tasks.errors import shortened

MOST_LINES = 5
"""Failing tests that are named; a last line counts the others."""


def failing_lines(task: RepairTask, evaluation: Evaluation) -> tuple[str, ...]:
    """A line for each of the first failing tests."""
    failing = [at for at, mark in enumerate(evaluation.marks) if not mark]
    found = [_line(task, at, evaluation.values[at]) for at in failing[:MOST_LINES]]
    left = len(failing) - len(found)
    return (*found, *([f"and {left} more"] if left else []))


def _line(task: RepairTask, at: int, value: str) -> str:
    test = task.tests[at]
    if isinstance(test, CallTest):
        return shortened(f"{task.entry}({test.arguments}) gave {value}, expected {test.expected}")
    return shortened(f"{test.code.splitlines()[-1].strip()}: {value}")

"""Tests that fail, as lines for a reader, and tests that cannot be relied on."""

from envs.domains.evaluation import Evaluation, Evaluator
from tasks import CallTest, CodeTest, RepairTask
from tasks.errors import TaskError, shortened

MOST_LINES = 5
"""Failing tests that are named; a last line counts the others."""


def failing_lines(task: RepairTask, evaluation: Evaluation) -> tuple[str, ...]:
    """A line for each of the first failing tests."""
    failing = [at for at, mark in enumerate(evaluation.marks) if not mark]
    found = [_line(task, at, evaluation.values[at]) for at in failing[:MOST_LINES]]
    left = len(failing) - len(found)
    return (*found, *([f"and {left} more"] if left else []))


class FlakyTests(TaskError):
    """Tests that end differently when they are run again, so that no patch can be judged by them."""


def refuse_flaky(task: RepairTask, evaluator: Evaluator) -> None:
    """FlakyTests where a test of the buggy program ends differently when it is run again."""
    flaky = evaluator.flaky_tests()
    if flaky:
        named = ", ".join(_call(task, at) for at in flaky[:MOST_LINES])
        raise FlakyTests(f"flaky: {named} ended differently when run again. Make the program or its tests repeatable.")


def _call(task: RepairTask, at: int) -> str:
    """What a test looks at: the call of the entry, or the last line of its code."""
    test = task.tests[at]
    if isinstance(test, CallTest):
        return shortened(f"{task.entry}({test.arguments})")
    return shortened(test.code.splitlines()[-1].strip().removeprefix("return "))


def _line(task: RepairTask, at: int, value: str) -> str:
    test = task.tests[at]
    if isinstance(test, CodeTest):
        return shortened(f"{_call(task, at)}: {value}")
    return f"{_call(task, at)} gave {shortened(value)}, expected {shortened(test.expected)}"

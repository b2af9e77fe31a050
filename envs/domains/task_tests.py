"""Converts tests of tasks to tests of the sandbox, and verdicts of the sandbox to passed or failed.

A task defines which results count as expected (`tasks.comparison`); the sandbox returns the result of a call as text.
This module compares the two outside the sandbox. Knows no edit and runs nothing.
"""

from __future__ import annotations

import json

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.sandbox.program_tests import Assertion, BadTest, Check, Verdict
from envs.execution.sandbox.program_tests import Test as SandboxTest
from tasks.task import CHECK, CallTest, CodeTest, FunctionTest, Test

_ITEMS = "(lambda value: list(value) if hasattr(value, '__next__') or hasattr(value, 'isdisjoint') else value)({})"
"""Reads an iterator to its end inside the sandbox, for comparisons of items; a set's order is known only there."""


@bounded_cache(8 * MIB, per_character=3)
def sandbox_test(test: Test, entry: str) -> SandboxTest:
    """The test as the sandbox runs it."""
    if isinstance(test, CodeTest):
        return Assertion(test.code)
    call, setup = f"{CHECK}()", ""
    if isinstance(test, FunctionTest):
        setup = test.function
    else:
        call = f"{entry}({test.arguments}\n)"
    if test.comparison.reads_items:
        call = _ITEMS.format(call)
    world = json.dumps(test.world.record())
    try:
        return Check(call, test.expected, setup=setup, world=world)
    except BadTest:  # plain data that is no literal, such as [nan]: only `passed` compares it
        return Check(call, "None", setup=setup, world=world)


def passed(test: Test, verdict: Verdict) -> bool:
    """Whether a verdict of the sandbox means that the task's test passed."""
    if isinstance(test, CodeTest):
        return verdict.passed
    return verdict.outcome == "returned" and _accepts(verdict.value, test)


@bounded_cache(8 * MIB)
def _accepts(value: str, test: CallTest | FunctionTest) -> bool:
    return test.accepts_text(value)

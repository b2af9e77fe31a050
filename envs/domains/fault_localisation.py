"""Fault localisation: the Ochiai suspicion of each line, from the real coverage of passing and failing tests.

Ochiai(line) = failing tests that ran it / sqrt(all failing tests * all tests that ran it). It is 1 for a line that all
failing tests run and no passing test does. A test that a limit stopped has no coverage and is left out. Knows no edit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from envs.domains.evaluation import Marks
from envs.domains.task_tests import sandbox_test
from envs.execution.sandbox.isolation.message_fields import MalformedMessage, items, whole
from envs.execution.sandbox.program_tests import plan
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks.task import Test

COVERAGE = "envs.domains.line_coverage:covered"
"""The function that the sandbox runs to find the lines of each test."""

Suspicion = Mapping[int, float]
"""A value from 0 to 1 for each line that some test ran."""


def coverage(
    sandbox: Sandbox, source: str, tests: Sequence[Test], *, entry: str, limits: SandboxLimits | None = None
) -> tuple[frozenset[int] | None, ...]:
    """The lines that each test ran; None if a limit stopped it, or the program disturbed the measurement."""
    found: list[frozenset[int] | None] = []
    last = source.count("\n") + source.count("\r") + 1
    while len(found) < len(tests):
        steps = [_step(test, entry) for test in tests[len(found) :]]
        stream = sandbox.stream(
            COVERAGE,
            {"source": source, "steps": steps},
            limits=limits,
            renewals=len(steps) + 1,
        )
        with stream:
            found += [_lines(message, last) for message in islice(stream, len(steps))]
        if len(found) < len(tests):  # the last test ended the process; the rest run in a new one
            found.append(None)
    return tuple(found)


def _lines(message: object, last: int) -> frozenset[int] | None:
    """The lines that a message of the coverage names; None for a message that the program forged."""
    try:
        return frozenset(whole(line, 1, last) for line in items(message, most=last))
    except MalformedMessage:
        return None


def _step(test: Test, entry: str) -> dict[str, Any]:
    """The test as one step; several calls of one assertion become a tuple, statements and a call further statements."""
    planned = plan(sandbox_test(test, entry), entry)
    steps, world = planned.steps, {"world": planned.payload()[0]["world"]}
    if len(steps) == 1:
        return {steps[0][0]: steps[0][1], **world}
    if any(kind == "code" for kind, _ in steps):
        return {"code": "\n".join(text for _, text in steps), **world}
    return {"call": "(" + ", ".join(text for _, text in steps) + ")", **world}


def ochiai(covered: Sequence[frozenset[int] | None], marks: Marks) -> dict[int, float]:
    """The suspicion of each line that some test ran."""
    failed = [lines for lines, mark in zip(covered, marks, strict=True) if not mark and lines is not None]
    passed = [lines for lines, mark in zip(covered, marks, strict=True) if mark and lines is not None]
    found = {}
    for line in sorted(frozenset().union(*failed, *passed)):
        bad, good = sum(line in lines for lines in failed), sum(line in lines for lines in passed)
        found[line] = bad / math.sqrt(len(failed) * (bad + good)) if bad else 0.0
    return found

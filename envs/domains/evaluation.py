"""Runs candidate programs of one task on its tests in the sandbox, each different program once.

One run of a program on the visible tests is one *real execution*, the cost that budgets count. Programs that compile
to the same code share one result and are counted once. Only `passes_hidden` runs the hidden tests; it judges a patch
after the search and is not counted. Knows no edit, no order and no environment.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from envs.domains.task_tests import passed, sandbox_test
from envs.editing.fingerprint import fingerprint
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks.task import RepairTask, Test

Marks = tuple[bool | None, ...]
"""For each test whether it passed; None if it was not run."""


_DEFAULT_TEST_S = 0.01
"""CPU seconds assumed for a test until one is measured."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_LONGEST_VALUE = 2_000
"""Characters of a result that are kept: thousands of candidates may each return megabytes."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of the tests on one program."""

    marks: Marks
    values: tuple[str, ...] = ()
    """The result of each test as text: the returned value, the exception, or the limit that stopped it; the beginning
    of a long one."""
    cpu_s: float = 0.0
    """CPU seconds of the longest test that no limit stopped."""
    stopped: tuple[int, ...] = ()
    """Tests that the CPU limit stopped."""
    loaded: bool = True
    """False where the program's module could not be run; each value then says why."""

    @property
    def solved(self) -> bool:
        """Whether every test passed."""
        return all(mark is True for mark in self.marks)

    @property
    def share(self) -> float:
        """Share of tests that passed."""
        return sum(mark is True for mark in self.marks) / max(1, len(self.marks))


class Evaluator:
    """Runs candidates of one task and caches their results."""

    def __init__(self, task: RepairTask, sandbox: Sandbox, *, limits: SandboxLimits | None = None) -> None:
        self.task = task
        self.executions = 0
        """Number of real executions so far: different programs run on the visible tests."""
        self._sandbox = sandbox
        self._limits = (limits or sandbox.limits).scaled_to(_DEFAULT_TEST_S)
        self._cache: dict[tuple[bytes | None, bool], Evaluation] = {}
        self.original = self._run_original(limits or sandbox.limits)
        """The evaluation of the buggy program, which is the first real execution."""
        self._order = sorted(range(len(task.tests)), key=lambda place: bool(self.original.marks[place]))

    def __deepcopy__(self, memo: dict[int, Any]) -> Evaluator:
        """An evaluator that counts on its own, in the same sandbox and with the same results so far."""
        copied = copy.copy(self)
        copied._cache = dict(self._cache)
        return copied

    @property
    def limits(self) -> SandboxLimits:
        """The current limits, scaled to the CPU time of the buggy program's tests."""
        return self._limits

    def _run_original(self, generous: SandboxLimits) -> Evaluation:
        """Runs the buggy program and scales the limits to it, since a candidate that loops costs its whole limit.

        If the default limit stops a test, that test runs again with the generous limit, to tell a long run from
        non-termination.
        """
        source, tests = self.task.source, self.task.tests
        found = self._run_tests(source, tests, range(len(tests)), False)
        if found.stopped:
            self._limits = generous
            if not self._run_tests(source, tests[found.stopped[0] :][:1], range(1), False).stopped:
                found = self._run_tests(source, tests, range(len(tests)), False)
        self.executions += 1
        self._cache[fingerprint(source), False] = found
        self._limits = generous.scaled_to(max(found.cpu_s, _DEFAULT_TEST_S if found.stopped else 0.0))
        return found

    def flaky_tests(self, repeats: int = 2) -> tuple[int, ...]:
        """The tests of the buggy program that end differently when they are run again; not counted as an execution."""
        ended = [at for at in range(len(self.task.tests)) if at not in self.original.stopped]
        found: set[int] = set()
        for _ in range(repeats):
            again = self._run_tests(self.task.source, self.task.tests, ended, False)
            found |= {at for at in ended if _differ(self.original, again, at)}
        return tuple(sorted(found))

    def run(self, source: str, *, stop_early: bool = False) -> Evaluation:
        """Runs the visible tests on a program; with `stop_early` it stops at the first failure.

        With `stop_early` the tests that the buggy program fails run first, since most candidates fail one of them.
        """
        key = fingerprint(source)
        for early in (False, True) if stop_early else (False,):
            if (key, early) in self._cache:
                return self._cache[key, early]
        self.executions += 1
        order = self._order if stop_early else range(len(self.task.tests))
        found = self._run_tests(source, self.task.tests, order, stop_early)
        self._cache[key, stop_early and not found.solved] = found
        return found

    def passes_hidden(self, source: str) -> bool | None:
        """Whether a program passes the hidden tests; None if the task has none."""
        hidden = self.task.hidden
        if not hidden:
            return None
        return self._run_tests(source, hidden, range(len(hidden)), True).solved

    def _run_tests(self, source: str, tests: Sequence[Test], order: Sequence[int], stop_early: bool) -> Evaluation:
        checks = [sandbox_test(tests[place], self.task.entry) for place in order]
        marks: list[bool | None] = [None] * len(tests)
        values, cpu_s = [""] * len(tests), 0.0
        stopped, loaded = [], True
        found = self._sandbox.iter_tests(source, checks, entry=self.task.entry, limits=self._limits)
        for number, verdict in found:
            place = order[number]
            marks[place] = passed(tests[place], verdict)
            values[place] = _shortened(verdict.value)
            loaded &= verdict.loaded
            if verdict.outcome in ("returned", "raised"):
                cpu_s = max(cpu_s, verdict.cpu_s)
            elif verdict.outcome == "cpu":
                stopped.append(place)
            if stop_early and not marks[place]:
                break
        return Evaluation(tuple(marks), tuple(values), cpu_s, tuple(stopped), loaded=loaded)


def _differ(one: Evaluation, other: Evaluation, at: int) -> bool:
    """Whether a test passed once and failed once, or returned two different values; addresses of objects may differ."""
    if at in other.stopped:
        return False
    return one.marks[at] != other.marks[at] or _ADDRESS.sub("", one.values[at]) != _ADDRESS.sub("", other.values[at])


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "..."

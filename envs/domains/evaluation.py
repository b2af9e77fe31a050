"""Programs of one task really run on its tests, in the sandbox, each different program once.

One program run on the visible tests is one *real execution*: the price that budgets count. Programs that Python
compiles to the same code share a result and its price. Hidden tests are run only by who asks for them by name, and
are never counted: they judge a patch after the search. Knows no edit, no order and no environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envs.domains.task_tests import passed, sandbox_test
from envs.editing.fingerprint import fingerprint
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks.task import RepairTask, Test

Marks = tuple[bool | None, ...]
"""For each test whether it passed; None where it was not run."""


_USUAL_S = 0.01
"""CPU seconds that a test is taken to need, until one is seen to need more."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the tests said of one program."""

    marks: Marks
    values: tuple[str, ...] = ()
    """What each test gave, as text: the value returned, the exception, or the limit that stopped it."""
    cpu_s: float = 0.0
    """CPU seconds of the longest test that came to its own end."""
    stopped: tuple[int, ...] = ()
    """Tests that the limit of CPU time stopped."""

    @property
    def solved(self) -> bool:
        """Whether every test passed."""
        return all(mark is True for mark in self.marks)

    @property
    def share(self) -> float:
        """Share of the tests that passed."""
        return sum(mark is True for mark in self.marks) / max(1, len(self.marks))


class Evaluator:
    """Runs candidates of one task and remembers what it ran."""

    def __init__(self, task: RepairTask, sandbox: Sandbox, *, limits: SandboxLimits | None = None) -> None:
        self.task = task
        self.executions = 0
        """Real executions so far: different programs run on the visible tests."""
        self._sandbox = sandbox
        self._limits = (limits or sandbox.limits).scaled_to(_USUAL_S)
        self._known: dict[tuple[bytes | None, bool], Evaluation] = {}
        self.original = self._first(limits or sandbox.limits)
        """The buggy program's own evaluation; it is the first real execution."""
        self._order = sorted(range(len(task.tests)), key=lambda place: bool(self.original.marks[place]))

    @property
    def limits(self) -> SandboxLimits:
        """Limits in force: scaled to what the tests of the buggy program need."""
        return self._limits

    def _first(self, generous: SandboxLimits) -> Evaluation:
        """The buggy program run, and the limits scaled to it: candidates that loop cost their whole limit.

        Where the usual limit stopped a test, that test alone is tried with the generous one, to tell long from endless.
        """
        source, tests = self.task.source, self.task.tests
        found = self._judged(source, tests, range(len(tests)), False)
        if found.stopped:
            self._limits = generous
            if not self._judged(source, tests[found.stopped[0] :][:1], range(1), False).stopped:
                found = self._judged(source, tests, range(len(tests)), False)
        self.executions += 1
        self._known[fingerprint(source), False] = found
        self._limits = generous.scaled_to(max(found.cpu_s, _USUAL_S if found.stopped else 0.0))
        return found

    def run(self, source: str, *, stop_early: bool = False) -> Evaluation:
        """The visible tests on a program; with `stop_early` those after the first failure are not run.

        Early stopping tries the tests first that the buggy program fails: most candidates fail there at once.
        """
        key = fingerprint(source)
        for early in (False, True) if stop_early else (False,):
            if (key, early) in self._known:
                return self._known[key, early]
        self.executions += 1
        order = self._order if stop_early else range(len(self.task.tests))
        found = self._judged(source, self.task.tests, order, stop_early)
        self._known[key, stop_early and not found.solved] = found
        return found

    def knows(self, source: str) -> bool:
        """Whether running this program would cost nothing."""
        key = fingerprint(source)
        return (key, False) in self._known or (key, True) in self._known

    def passes_hidden(self, source: str) -> bool | None:
        """Whether a patch also passes the hidden tests; None where the task has none."""
        hidden = self.task.hidden
        if not hidden:
            return None
        return self._judged(source, hidden, range(len(hidden)), True).solved

    def _judged(self, source: str, tests: Sequence[Test], order: Sequence[int], stop_early: bool) -> Evaluation:
        asked = [sandbox_test(tests[place], self.task.entry) for place in order]
        marks: list[bool | None] = [None] * len(tests)
        values, cpu_s = [""] * len(tests), 0.0
        stopped = []
        found = self._sandbox.iter_tests(source, asked, entry=self.task.entry, limits=self._limits)
        for number, verdict in found:
            place = order[number]
            marks[place] = passed(tests[place], verdict)
            values[place] = verdict.value
            if verdict.outcome in ("returned", "raised"):
                cpu_s = max(cpu_s, verdict.cpu_s)
            elif verdict.outcome == "cpu":
                stopped.append(place)
            if stop_early and not marks[place]:
                break
        return Evaluation(tuple(marks), tuple(values), cpu_s, tuple(stopped))

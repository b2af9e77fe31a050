"""What the buggy program's real run says about an edit: which tests would see another value or branch.

A repair changes what failing tests see and seldom what passing ones see. The traces of the buggy program's one real run
say which values its variables had before each line, so an edit of an expression, or one that adds a condition, can be
judged before anything is imagined. Knows no model and no search.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cwm_agent.agent.repair.evidence.added_condition import AddedCondition, added_condition
from cwm_agent.agent.repair.evidence.replaced_expression import ReplacedExpression, replaced_expression
from cwm_agent.agent.repair.evidence.run_state import RunState, Unknown
from envs.editing.edit import Edit
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Trace
from tasks.reading.program_text import bare_lines

MOST_FACTOR = 30.0
MOST_STATES = 30
"""Different states of a test at a line that are looked at."""


class ChangedTests(NamedTuple):
    """Which tests an edit changes."""

    kind: str
    failing: str
    """Of the tests that the buggy program fails: "none", "some" or "all"."""
    passing: str
    """Of the tests that it passes, in the same words."""


SHARES: Mapping[ChangedTests, float] = {
    ChangedTests("expression", "all", "none"): 0.52,
    ChangedTests("expression", "some", "none"): 0.2,
    ChangedTests("expression", "all", "some"): 0.16,
    ChangedTests("expression", "some", "some"): 0.04,
    ChangedTests("expression", "none", "none"): 0.035,
    ChangedTests("expression", "all", "all"): 0.035,
    ChangedTests("condition", "all", "none"): 0.5,
    ChangedTests("condition", "some", "none"): 0.2,
    ChangedTests("condition", "all", "some"): 0.14,
    ChangedTests("condition", "some", "some"): 0.05,
    ChangedTests("condition", "none", "none"): 0.03,
    ChangedTests("condition", "all", "all"): 0.03,
}
"""Of edits that mend one mistake of a program: how many change which tests, where six programs of ten have one mistake.

Expressions are counted on the dev halves of `tasks/repair` and `tasks/repair_further`: the one mistake changes all
failing tests and no passing one in 41 of 52 programs; one of several does in 2 of 17, and changes some failing tests
and no passing one in 8. Conditions are assumed, being few there.
"""
RARE = 0.01
"""The share of each other verdict."""


@dataclass(slots=True)
class RunEvidence:
    """The states of the buggy program's real runs by line, and what they say of edits."""

    source_lines: Sequence[str]
    marks: Mapping[int, bool]
    """Of each test that was traced, whether the buggy program passes it."""
    states: Mapping[int, Mapping[int, Sequence[RunState]]]
    """For each line of the program the tests that came there, with the states in which they did."""
    _known: dict[AddedCondition, ChangedTests | None] = field(default_factory=dict)

    @classmethod
    def of_runs(
        cls, source: str, runs: Iterable[tuple[int, Program, Trace]], marks: Sequence[bool | None]
    ) -> "RunEvidence":
        """Evidence from traced runs of a program, each given as test, decomposed program and trace."""
        lines = bare_lines(source)
        states: defaultdict[int, dict[int, list[RunState]]] = defaultdict(dict)
        traced = {}
        for test, program, trace in runs:
            traced[test] = bool(marks[test])
            for line, found in _states(program, trace, len(lines)).items():
                states[line][test] = found
        return cls(lines, traced, states)

    def factors(self, edits: Sequence[Edit]) -> list[float]:
        """By what the prior of each edit is multiplied.

        Where few of the edits change failing runs alone, each of these is likelier by as much. Edits of which this is
        not known keep their prior.
        """
        verdicts = [self.verdict(edit) for edit in edits]
        counts = Counter(each for each in verdicts if each)
        totals = Counter(each.kind for each in verdicts if each)
        gains = {
            each: min(MOST_FACTOR, SHARES.get(each, RARE) * totals[each.kind] / count) for each, count in counts.items()
        }
        return [1.0 if each is None else gains[each] for each in verdicts]

    def verdict(self, edit: Edit) -> ChangedTests | None:
        """Which tests see another value or branch by an edit; None where that is not known."""
        if not 0 < edit.line <= len(self.source_lines):
            return None
        try:
            return self._judged(edit)
        except (Unknown, RecursionError):  # a sum of hundreds of terms is a tree as deep
            return None

    def _judged(self, edit: Edit) -> ChangedTests | None:
        condition = added_condition(edit, self.source_lines)
        if condition is not None:
            if condition not in self._known:
                self._known[condition] = None
                self._known[condition] = self._verdict("condition", condition)
            return self._known[condition]
        replaced = replaced_expression(edit, self.source_lines[edit.line - 1])
        return None if replaced is None else self._verdict("expression", replaced)

    def _verdict(self, kind: str, change: AddedCondition | ReplacedExpression) -> ChangedTests | None:
        """The verdict on a change, None where its line was not reached; raises `Unknown` where it cannot be told."""
        states = self.states.get(change.line)
        if not states:
            return None
        changed = {test for test, found in states.items() if any(map(change.changes, found))}
        return ChangedTests(kind, self._share(changed, passing=False), self._share(changed, passing=True))

    def _share(self, changed: set[int], *, passing: bool) -> str:
        tests = [test for test, mark in self.marks.items() if mark is passing]
        count = sum(test in changed for test in tests)
        return "none" if not count else "all" if count == len(tests) else "some"


def _states(program: Program, trace: Trace, lines: int) -> dict[int, list[RunState]]:
    """The different states of a run before each line of the original program."""
    entries, seen = _entries(program), set()
    found: defaultdict[int, list[RunState]] = defaultdict(list)
    for frame in trace.frames:
        line = program.origin[frame.line - 1] if 0 < frame.line <= len(program.origin) else 0
        if frame.event != "line" or not 0 < line <= lines or entries[line] != frame.line:
            continue
        key = line, frame.locals, frame.heap, frame.globals
        if len(found[line]) < MOST_STATES and key not in seen:
            seen.add(key)
            found[line].append(RunState.of_frame(frame))
    return found


def _entries(program: Program) -> dict[int, int]:
    """For each line of the original program the line of the decomposed one with which it begins.

    The head of a loop that became `while True:` is no step; its condition, which is calculated anew each time, is.
    """
    entries: dict[int, int] = {}
    texts = program.source.splitlines()
    for number, line in enumerate(program.origin, start=1):
        head = texts[number - 1].strip() == "while True:" and line in program.origin[number : number + 1]
        if not head:
            entries.setdefault(line, number)
    return entries

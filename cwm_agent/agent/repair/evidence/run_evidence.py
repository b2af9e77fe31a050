"""What the buggy program's real run says about an edit: which tests would see another value or branch.

A repair changes what failing tests see and seldom what passing ones see. The traces of the buggy program's one real run
say which values its variables had before each line, so an edit of an expression, or one that adds a condition, can be
judged before anything is imagined. Knows no model and no search.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cwm_agent.agent.repair.evidence.added_condition import AddedCondition, added_condition
from cwm_agent.agent.repair.evidence.changed_statement import ChangedStatement, changed_statement
from cwm_agent.agent.repair.evidence.expression_value import Change
from cwm_agent.agent.repair.evidence.replaced_expression import ReplacedExpression, replaced_expression
from cwm_agent.agent.repair.evidence.run_state import RunState, Unknown
from cwm_agent.agent.repair.evidence.unread_names import UnreadName, unread_names
from cwm_agent.agent.repair.evidence.unread_names import factors as unread_factors
from envs.editing.edit import Edit
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Trace
from tasks.reading.program_text import bare_lines, parse

Judged = AddedCondition | ReplacedExpression | ChangedStatement
StatesByLine = defaultdict[int, dict[int, list[RunState]]]
FramesByLine = list[tuple[int, Frame]]
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
    raises: bool = False
    """Whether one of them sees an error in place of its value, and nothing around the line handles errors."""


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
    ChangedTests("statement", "all", "some"): 0.5,
    ChangedTests("statement", "all", "none"): 0.3,
    ChangedTests("statement", "some", "some"): 0.08,
    ChangedTests("statement", "some", "none"): 0.05,
    ChangedTests("statement", "none", "some"): 0.03,
}
"""Of edits that mend one mistake of a program: how many change which tests, where six programs of ten have one mistake.

Expressions are counted on the dev halves of `tasks/repair` and `tasks/repair_further`: the one mistake changes all
failing tests and no passing one in 41 of 52 programs; one of several does in 2 of 17, and changes some failing tests
and no passing one in 8. Conditions and statements are few there, so these are partly assumed. No mending edit makes a
test see an error that it did not see.
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
    states_behind: Mapping[int, Mapping[int, Sequence[RunState]]] = field(default_factory=dict)
    """The same behind each line, where its function went on."""
    states_at_start: Mapping[int, Mapping[int, Sequence[RunState]]] = field(default_factory=dict)
    """The same before the first round of each `while`, where what stands before it runs."""
    handled: frozenset[int] = frozenset()
    """The lines of which errors are handled in the program."""
    handling: frozenset[int] = frozenset()
    """The tests that handle errors themselves: one may be what they expect."""
    unread: Sequence[UnreadName] = ()
    """Names that the program never reads, which the run does not tell."""
    _known: dict[AddedCondition, ChangedTests | None] = field(default_factory=dict)

    @classmethod
    def of_runs(
        cls, source: str, runs: Iterable[tuple[int, Program, Trace]], marks: Sequence[bool | None]
    ) -> "RunEvidence":
        """Evidence from traced runs of a program, each given as test, decomposed program and trace."""
        lines, loops = bare_lines(source), _while_loops(source)
        before: StatesByLine = defaultdict(dict)
        behind: StatesByLine = defaultdict(dict)
        at_start: StatesByLine = defaultdict(dict)
        traced, handling = {}, set()
        for test, program, trace in runs:
            traced[test] = bool(marks[test])
            if _handles_errors(program):
                handling.add(test)
            frames_found = _frames(program, trace, len(lines), loops)
            for states, frames in zip((before, behind, at_start), frames_found, strict=True):
                for line, found in _states(frames).items():
                    states[line][test] = found
        names = unread_names(source)
        return cls(lines, traced, before, behind, at_start, _handled(source), frozenset(handling), names)

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
        by_run = [1.0 if each is None else gains[each] for each in verdicts]
        return [one * other for one, other in zip(by_run, unread_factors(self.unread, edits), strict=True)]

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
        if replaced is not None:
            return self._verdict("expression", replaced)
        statement = changed_statement(edit, self.source_lines)
        return None if statement is None else self._verdict("statement", statement)

    def _verdict(self, kind: str, change: Judged) -> ChangedTests | None:
        """The verdict on a change, None where its line was not reached; raises `Unknown` where it cannot be told."""
        states = self._states_of(change)
        if not states:
            return None
        found = {test: _first_change(change, each) for test, each in states.items()}
        changed = {test for test, each in found.items() if each is not Change.NONE}
        failing = {test for test, each in found.items() if each is Change.ERROR}
        raises = bool(failing - self.handling) and change.line not in self.handled
        return ChangedTests(kind, self._share(changed, passing=False), self._share(changed, passing=True), raises)

    def _states_of(self, change: Judged) -> Mapping[int, Sequence[RunState]] | None:
        """The states in which a change is met, by test."""
        if isinstance(change, ChangedStatement) and change.behind:
            return self.states_behind.get(change.line)
        at_start = None if isinstance(change, ReplacedExpression) else self.states_at_start.get(change.line)
        return at_start or self.states.get(change.line)

    def _share(self, changed: set[int], *, passing: bool) -> str:
        tests = [test for test, mark in self.marks.items() if mark is passing]
        count = sum(test in changed for test in tests)
        return "none" if not count else "all" if count == len(tests) else "some"


def _first_change(change: Judged, states: Sequence[RunState]) -> Change:
    """What a test sees where a change first makes a difference to it; raises `Unknown`."""
    changes = map(change.change, states)
    return next((each for each in changes if each is not Change.NONE), Change.NONE)


def _handles_errors(program: Program) -> bool:
    """Whether the function that a run begins with handles errors, as that of a test does which expects one."""
    return any(
        isinstance(part, ast.Try | ast.TryStar | ast.With)
        for node in program.layout.tree.body
        if isinstance(node, ast.FunctionDef) and node.name == program.entry
        for part in ast.walk(node)
    )


def _handled(source: str) -> frozenset[int]:
    """The lines that stand within a `try` with handlers."""
    blocks = [node for node in ast.walk(parse(source)) if isinstance(node, ast.Try | ast.TryStar) and node.handlers]
    statements = [each for block in blocks for each in block.body]
    return frozenset(line for each in statements for line in range(each.lineno, (each.end_lineno or each.lineno) + 1))


def _while_loops(source: str) -> dict[int, int]:
    """The last line of each `while`, by its first."""
    loops = [node for node in ast.walk(parse(source)) if isinstance(node, ast.While)]
    return {each.lineno: each.end_lineno or each.lineno for each in loops}


def _states(frames: Iterable[tuple[int, Frame]]) -> dict[int, list[RunState]]:
    """The different states of a run at each line."""
    found: defaultdict[int, list[RunState]] = defaultdict(list)
    seen = set()
    for line, frame in frames:
        key = line, frame.locals, frame.heap, frame.globals
        if len(found[line]) < MOST_STATES and key not in seen:
            seen.add(key)
            found[line].append(RunState.of_frame(frame))
    return found


def _frames(
    program: Program, trace: Trace, lines: int, loops: Mapping[int, int]
) -> tuple[FramesByLine, FramesByLine, FramesByLine]:
    """The frames of a run before each line of the original program, behind it, and where a `while` of it begins."""
    entries = _entries(program)
    before: FramesByLine = []
    behind: FramesByLine = []
    at_start: FramesByLine = []
    under_way: list[int] = []
    """For each function under way the line where it stands."""
    for frame in trace.frames:
        line = program.origin[frame.line - 1] if 0 < frame.line <= len(program.origin) else 0
        under_way = [*under_way[: frame.depth], *[0] * (frame.depth - len(under_way))]
        if frame.event != "line" or not 0 < line <= lines:
            if frame.event == "exception":
                under_way[-1] = 0
            continue
        enters = entries[line] == frame.line
        if under_way[-1] and (enters or line != under_way[-1]):
            behind.append((under_way[-1], frame))
        if enters:
            before.append((line, frame))
            if line in loops and not line <= under_way[-1] <= loops[line]:
                at_start.append((line, frame))
        under_way[-1] = line
    return before, behind, at_start


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

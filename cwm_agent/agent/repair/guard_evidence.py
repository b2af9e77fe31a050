"""What the buggy program's real run says about a condition that an edit adds.

A missing guard holds in runs that fail and seldom in runs that pass. The traces of the buggy program's one real run say
which values its variables had at each line, so a condition can be judged before anything is imagined: an edit whose
condition changes no failing run cannot repair it. Conditions that only running would tell count as unknown. Knows no
model and no search.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cwm_agent.agent.repair.condition_value import names_of, truth
from envs.editing.edit import Edit
from envs.execution.decompose.program import Program
from envs.execution.state.frames import Frame, Trace
from tasks import NotPlain, read_value

SHARES: Mapping[str, float] = {"failing runs alone": 0.6, "failing and passing runs": 0.38, "no failing run": 0.02}
"""Of added conditions that repair a program: how many change which runs. Assumed; the order is what matters."""
MOST_FACTOR = 30.0
MOST_STATES = 40
"""Different states of a test at a line that are looked at."""
_GUARD = re.compile(r"\s*if (?P<condition>[^\n]+):\n")
_ALSO = re.compile(r"(?P<first>.+?) (?P<word>and|or) (?P<condition>.+)", re.DOTALL)
_REFERENCE = re.compile(r"#(\d+)")

State = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AddedCondition:
    """A condition that an edit adds at a line, and for which of its truth values the program runs differently."""

    line: int
    condition: str
    changes_if: bool
    beside: str = ""
    """The condition that it is joined with; empty where it stands alone."""

    def changes(self, state: State) -> bool | None:
        """Whether a run in this state goes another way than before; None where that is not known."""
        found = truth(self.condition, state)
        if found is None or found is not self.changes_if:
            return None if found is None else False
        other = truth(self.beside, state) if self.beside else None
        return True if other is None else other is not self.changes_if


def added_condition(edit: Edit) -> AddedCondition | None:
    """The condition that an edit adds; None where it adds none, or stands behind its line."""
    guard = _GUARD.match(edit.after)
    if guard and not edit.before and edit.column == 0:
        return AddedCondition(edit.line, guard["condition"], changes_if=True)
    if guard and edit.before and edit.after.rstrip().endswith(edit.before.rstrip()) and "else:" not in edit.after:
        return AddedCondition(edit.line, guard["condition"], changes_if=False)
    also = _ALSO.fullmatch(edit.after) if edit.operator in ("ask-also", "variable-join", "condition-join") else None
    if also and also["first"].strip("()") == edit.before.strip("()"):
        return AddedCondition(edit.line, also["condition"], changes_if=also["word"] == "or", beside=edit.before)
    return None


@dataclass(slots=True)
class GuardEvidence:
    """The states of the buggy program's real runs by line, and what they say of added conditions."""

    marks: Sequence[bool | None]
    """Whether the buggy program really passes each test."""
    states: Mapping[int, Sequence[tuple[int, State]]]
    """For each line of the program the tests that came there, each with the values of its plain variables."""
    _known: dict[AddedCondition, str | None] = field(default_factory=dict)

    @classmethod
    def of_runs(
        cls, runs: Iterable[tuple[int, Program, Trace]], marks: Sequence[bool | None], lines: int
    ) -> "GuardEvidence":
        """Evidence from traced runs, each given as test, decomposed program and trace; `lines` are the program's."""
        states: defaultdict[int, list[tuple[int, State]]] = defaultdict(list)
        for test, program, trace in runs:
            first: dict[int, int] = {}
            for number, line in enumerate(program.origin, start=1):
                first.setdefault(line, number)
            seen: defaultdict[int, set[tuple[tuple[str, str], ...]]] = defaultdict(set)
            for frame in trace.frames:
                line = program.origin[frame.line - 1] if 0 < frame.line <= len(program.origin) else 0
                if frame.event != "line" or not 0 < line <= lines or first[line] != frame.line:
                    continue
                written = _written(frame)
                if len(seen[line]) < MOST_STATES and written not in seen[line]:
                    seen[line].add(written)
                    states[line].append((test, _plain(written)))
        return cls(marks, states)

    def factors(self, edits: Sequence[Edit]) -> list[float]:
        """By what the prior of each edit is multiplied.

        Where few of the conditions change failing runs alone, each of these is likelier by as much. Edits without a
        condition, or with one that is not known, keep their prior.
        """
        verdicts = [self.verdict(edit) for edit in edits]
        counts = Counter(each for each in verdicts if each)
        total = sum(counts.values())
        gains = {each: min(MOST_FACTOR, SHARES[each] * total / count) for each, count in counts.items()}
        return [1.0 if each is None else gains[each] for each in verdicts]

    def verdict(self, edit: Edit) -> str | None:
        """Which runs of the buggy program an added condition changes, a key of `SHARES`; None where unknown."""
        added = added_condition(edit)
        if added is None or added.line not in self.states:
            return None
        if added not in self._known:
            self._known[added] = self._verdict(added)
        return self._known[added]

    def _verdict(self, added: AddedCondition) -> str | None:
        changed: dict[bool, set[int]] = {True: set(), False: set()}
        names, seen = names_of(added.condition) + names_of(added.beside), set()
        for test, state in self.states[added.line]:
            key = test, tuple(repr(state.get(name, Frame)) for name in names)
            if key in seen:
                continue
            seen.add(key)
            changes = added.changes(state)
            if changes is None:
                return None
            if changes:
                changed[bool(self.marks[test])].add(test)
        if not changed[False]:
            return "no failing run"
        return "failing and passing runs" if changed[True] else "failing runs alone"


def _written(frame: Frame) -> tuple[tuple[str, str], ...]:
    """The variables of a frame as texts; of an object on the heap its content, with what it holds as texts."""
    heap = {f"#{label}": content for label, content in frame.heap}
    return tuple((name, heap.get(text, text)) for name, text in frame.locals if not name.startswith(("_", "@")))


def _plain(written: Iterable[tuple[str, str]]) -> State:
    """The variables whose values can be read; objects inside others stand as texts that differ."""
    found: dict[str, object] = {}
    for name, text in written:
        if "#" in text and ("'" in text or '"' in text):
            continue  # a text may hold what looks like a reference
        try:
            found[name] = read_value(_REFERENCE.sub(r"'#\1'", text))
        except (NotPlain, ValueError, RecursionError):
            continue
    return found

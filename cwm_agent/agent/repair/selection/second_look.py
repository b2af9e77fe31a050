"""The second look at a task whose tests pass: other programs that pass too, compared with the first one.

1. Edits that are not needed are dropped: each smaller patch is run for real.
2. Imagining goes on for a bounded effort, and what is believed to pass by then is scored by `naturalness.py`.
3. Plausible programs are imagined on inputs that no test has. One that is less natural than a program that already
   passes, and is imagined to return the same, is not run; the others are run on the tests for real.
4. All programs that pass are run on those inputs. The most natural one is chosen, of nearly equal ones that which
   passed first; where another one returns something else, the task is ambiguous, and the shortest such input is kept.

Knows no planner and charges nothing: `repair_domain.py` runs the candidates and counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cwm_agent.agent.repair.beliefs import Belief, TestImaginer
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.selection.copied_constants import FailingTest
from cwm_agent.agent.repair.selection.naturalness import PatchFeatures, features_of, has_odd_type, known_types
from cwm_agent.agent.repair.selection.pointless_code import adds_pointless_code
from cwm_agent.agent.repair.selection.result_differences import CallEnd, ResultDifference, VariedCalls
from cwm_agent.agent.repair.selection.smaller_patches import smaller_patches
from envs.domains.evaluation import Evaluation
from envs.editing.fingerprint import fingerprint
from tasks import CallTest, RepairTask

MOST_SCORED = 8
"""Believed solutions that are scored: those with the best odds."""
MOST_ALTERNATIVES = 3
"""Further candidates that are run for real."""
PLAUSIBLE = 4.0
"""By how much less natural than the best a program may be and still make a task ambiguous."""
NEARLY_EQUAL = 0.5
"""By how much less natural than the best a program that passed earlier may be and still be chosen: the search ran it
first because it also knows where the fault is suspected."""
IMAGINED_INPUTS = 4
"""Inputs that alternatives are imagined on: the shortest."""


@dataclass(frozen=True, slots=True)
class PassingProgram:
    """A candidate that really passes all tests."""

    candidate: Candidate
    results: tuple[str, ...]
    """What the tests really returned."""
    features: PatchFeatures
    ends: tuple[CallEnd, ...] = ()
    """How the varied calls really end; empty until they are run."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The program that was chosen among those that pass."""

    program: PassingProgram
    rivals: int = 0
    """Plausible programs that pass too and return something else on some input."""
    margin: float = PLAUSIBLE
    """By how much the most natural rival is less natural; at most `PLAUSIBLE`."""
    difference: ResultDifference | None = None
    """The shortest input on which it differs from a rival; None where there is none, so that nothing is ambiguous."""


@dataclass(slots=True)
class SecondLook:
    """Programs that pass, and candidates that may be preferred to them."""

    task: RepairTask
    calls: VariedCalls
    original: Evaluation
    policy: Policy | None
    passing: list[PassingProgram] = field(default_factory=list)
    _queue: list[Candidate] = field(default_factory=list)
    _ran: set[bytes | None] = field(default_factory=set)
    """Fingerprints of programs that were run."""
    _features: dict[str, PatchFeatures] = field(default_factory=dict)
    _shrunk_from: dict[str, str] = field(default_factory=dict)
    """The program that a smaller patch was made of, by source."""

    def __post_init__(self) -> None:
        self._ran.add(fingerprint(self.task.source))

    def was_run(self, candidate: Candidate) -> bool:
        """Whether a program that compiles to the same code was run."""
        return fingerprint(candidate.state.source) in self._ran

    def is_sensible(self, candidate: Candidate) -> bool:
        """Whether an author could have written the program: one with pointless code passes tests by accident."""
        return not adds_pointless_code(self.task.source, candidate.state.source)

    def notice(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Keep a candidate that was run; one that passes takes the place of a larger patch, and is shrunk next."""
        self._ran.add(fingerprint(candidate.state.source))
        if evaluation.solved:
            source = candidate.state.source
            larger = self._shrunk_from.get(source)
            self.passing = [each for each in self.passing if each.candidate.state.source != larger]
            self.passing.append(PassingProgram(candidate, evaluation.values, self._scored(candidate)))
            smaller = list(smaller_patches(self.task.source, candidate.state.patch))
            self._shrunk_from |= {state.source: source for state in smaller}
            nothing = (None,) * len(self.task.tests)
            self._queue = [Candidate(state, nothing, candidate.prior) for state in smaller] + self._queue

    def next(self) -> Candidate | None:
        """The next candidate to run; None where there is none."""
        while self._queue:
            candidate = self._queue.pop(0)
            if not self.was_run(candidate):
                return candidate
        return None

    def add_alternatives(self, believed: Sequence[Candidate], imaginer: TestImaginer) -> None:
        """Queue the plausible ones of some candidates that are believed to pass, the most natural first."""
        fresh: dict[bytes | None, Candidate] = {}
        for each in believed:
            fresh.setdefault(fingerprint(each.state.source), each)
        listed = [each for key, each in fresh.items() if key not in self._ran][:MOST_SCORED]
        best = max((self._scored(each).score for each in (*listed, *self.passing_candidates())), default=0.0)
        plausible = [each for each in listed if self._scored(each).score > best - PLAUSIBLE]
        ranked = sorted(plausible, key=lambda each: -self._scored(each).score)
        self._queue += self._imagined_apart(ranked, imaginer)[:MOST_ALTERNATIVES]

    def _imagined_apart(self, ranked: Sequence[Candidate], imaginer: TestImaginer) -> list[Candidate]:
        """The candidates without those that are imagined to return what a more natural program returns."""
        known = [*self.passing_candidates(), *ranked]
        tests = self.calls.questions[:IMAGINED_INPUTS]
        questions = [(each.state.source, self.task.entry, test) for each in known for test in tests]
        beliefs = iter(imaginer.beliefs(questions) if ranked else ())
        results = {each.state.source: [_imagined(next(beliefs)) for _ in tests] for each in known} if ranked else {}
        found: list[Candidate] = []
        for candidate in ranked:
            mine, score = results[candidate.state.source], self._scored(candidate).score
            rivals = [each for each in (*self.passing_candidates(), *found) if self._scored(each).score >= score]
            unknown = not tests or None in mine
            if unknown or all(results[each.state.source] != mine for each in rivals):
                found.append(candidate)
        return found

    def add_ends(self, ends: Sequence[tuple[CallEnd, ...]]) -> None:
        """Take in how the varied calls of each passing program really end."""
        known = known_types(self.task.tests, self._passing_results())
        self.passing = [
            replace(each, ends=its, features=replace(each.features, odd_type=has_odd_type(_results(each, its), known)))
            for each, its in zip(self.passing, ends, strict=True)
        ]

    def selected(self) -> Selection:
        """The most natural program that passes, and how the plausible others and the first one differ from it."""
        most = max(each.features.score for each in self.passing)
        best = next(each for each in self.passing if each.features.score >= most - NEARLY_EQUAL)
        first = self.passing[0]
        differing = [
            (each, found)
            for each in self.passing
            if each is not best
            and (each is first or each.features.score > most - PLAUSIBLE)
            and (found := self._difference(best, each)) is not None
        ]
        if not differing:
            return Selection(best)
        shortest = min((found for _, found in differing), key=lambda found: len(found.arguments))
        margin = best.features.score - max(each.features.score for each, _ in differing)
        margin = min(PLAUSIBLE, max(0.0, margin))
        return Selection(best, len(differing), margin, shortest)

    def _difference(self, one: PassingProgram, other: PassingProgram) -> ResultDifference | None:
        patch = tuple(map(str, other.candidate.state.patch))
        return self.calls.difference(one.ends, other.ends, patch) if one.ends and other.ends else None

    def passing_candidates(self) -> list[Candidate]:
        """The candidates that really pass all tests."""
        return [each.candidate for each in self.passing]

    def _passing_results(self) -> list[str]:
        """What tests of calls return that the buggy program passes."""
        rows = zip(self.task.tests, self.original.values, self.original.marks, strict=True)
        return [value for test, value, mark in rows if mark and isinstance(test, CallTest)]

    def _failing(self) -> list[FailingTest]:
        """The tests that the buggy program fails, with what they gave."""
        rows = zip(self.task.tests, self.original.values, self.original.marks, strict=True)
        return [(test, value) for test, value, mark in rows if not mark]

    def _scored(self, candidate: Candidate) -> PatchFeatures:
        source = candidate.state.source
        if source not in self._features:
            self._features[source] = features_of(
                self.task.source, candidate.state.patch, self.task.tests, self.policy, failing=self._failing()
            )
        return self._features[source]


def _results(program: PassingProgram, ends: Sequence[CallEnd]) -> list[str]:
    return [*program.results, *(end.value for end in ends if end.ending == "returned")]


def _imagined(belief: Belief) -> str | None:
    """The imagined result; None where it is unknown."""
    return None if belief.passes is None else belief.value

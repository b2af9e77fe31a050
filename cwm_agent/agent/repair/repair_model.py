"""Repair as a `planners.Model`: a step edits the program and imagines its tests.

The model decides which tests of a candidate are imagined, in which order, and when a candidate is dropped. Candidates
are imagined side by side and finish in any order. Knows no planner, no real run and no budget.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import accumulate, islice
from random import Random
from typing import Any

from cwm_agent.agent.learning.candidate_features import candidate_features
from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import BaseProgram, Candidate, PendingCandidate
from cwm_agent.agent.repair.edit_ranking import EditPriors, Policy
from cwm_agent.agent.repair.evidence.run_evidence import RunEvidence
from cwm_agent.agent.repair.imagined_tests import ImaginedTests
from cwm_agent.agent.repair.odds import Trust, chance_among, expected_share, log_odds
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import BadEdit, Edit
from envs.editing.fingerprint import fingerprint
from planners import LatePrior, Refused, Step

THOROUGH_CANDIDATES = 64
"""The first candidates of one program: these are imagined on all its cheap failing tests, later ones on one.

The further tests of a candidate that fails its first one wait until as many candidates are judged."""
CHEAP_STEPS = 600
"""Failing tests are cheap as long as their runs of the buggy program take no more steps than this in total."""
_SHARING = re.compile(r"\bcache\b|\blru_cache\b|\bglobal\b")
"""In programs where a test may not run a line again because another test did."""
FIXING_WORTH = 3
"""The tests of a candidate that is believed to fix one may cost 64 times as much before they wait for cheaper ones."""
NOTICEABLE = 0.01
"""By how much the expected share of a candidate must exceed its base's for the search to extend it."""


@dataclass(slots=True)
class ImaginedRepair:
    """Repair as imagined: one step edits the program and imagines its tests. A `planners.Model`."""

    core: RepairCore
    imagined_tests: ImaginedTests[tuple[str, int]]
    """Imagines tests, by the program's source and the test's number."""
    _: KW_ONLY
    marks: tuple[bool | None, ...]
    """Whether the buggy program really passes each test."""
    original_scores: tuple[float, ...]
    """The same with part credit for results that are close."""
    trusts: list[Trust]
    """Trust in the imagination of each test; lowered where imagination proved wrong."""
    order: tuple[int, ...]
    """Tests in the order they are imagined: failing ones first, short ones first; long ones are left out."""
    lengths: tuple[int, ...]
    """Steps of each test of the buggy program."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    covered: tuple[frozenset[int] | None, ...] = ()
    """Lines of the buggy program that each test ran; empty where that is not known."""
    policy: Policy | None = None
    """Ranks edits before they are imagined."""
    evidence: RunEvidence | None = None
    """What the real run of the buggy program says of conditions that edits add."""
    learnt_value: Callable[[Any], float] | None = None
    """The chance that a candidate leads to a repair, from its features; without it the expected share is the value."""
    open: bool = True
    """Whether there is budget left to imagine; a closed model imagines nothing."""
    steps: int = 0
    """Steps imagined so far, over all candidates."""
    seen: dict[str, Candidate] = field(default_factory=dict)
    """Every finished candidate, by source."""
    most_passing: int = 0
    """Most tests that one candidate is believed to pass."""
    believed_solutions: list[Candidate] = field(default_factory=list)
    """Candidates that are believed to pass every test."""
    under_way: dict[str, PendingCandidate] = field(default_factory=dict)
    """Candidates whose tests are being imagined, by source."""
    _failing: set[str] = field(default_factory=set)
    """Candidates under way that fail their first test and are imagined on later ones, by source."""
    _held: list[PendingCandidate] = field(default_factory=list)
    """Those of them whose later tests wait for the first tests of others."""
    _bases: dict[str, BaseProgram] = field(default_factory=dict)
    _priors: EditPriors = field(init=False)

    def __post_init__(self) -> None:
        self._priors = EditPriors(self.core, self.suspicion, self.policy, self.evidence)

    def actions(self, state: RepairState) -> Sequence[Edit]:
        return self.core.actions_unchecked(state)

    def prior(self, state: RepairState) -> tuple[float, ...] | None:
        """The prior probability of each action; None where there are no actions."""
        return tuple(self._priors.of(state).values()) or None

    def step(self, moves: Sequence[tuple[RepairState, Edit]], rng: Random) -> list[Step[RepairState] | Refused]:
        """Imagine every edited program to its end; finished candidates are not imagined again."""
        states = [self.begin(state, edit) for state, edit in moves]
        wanted = {state.source for state in states if isinstance(state, RepairState)}
        while wanted & self.under_way.keys():
            self.advance()
        return [state if isinstance(state, Refused) else self.answer(state) for state in states]

    def begin(
        self, state: RepairState, edit: Edit, *, prior: float | None = None, first_tests: Sequence[int] = ()
    ) -> RepairState | Refused:
        """Return the edited program, and begin to imagine it unless it is finished or under way.

        `prior` is for edits that are not among the state's actions; the candidate is dropped unless it may pass one
        of `first_tests`.
        """
        try:
            edited = self.core.transition(state, edit)
        except BadEdit as error:
            return Refused(str(error))
        if state.patch and fingerprint(edited.source) is None:
            return Refused(f"{edit} makes no program.")
        if edited.source not in self.seen and edited.source not in self.under_way:
            base = self.base(state)
            known = {} if state.patch else self._unaffected_tests(edit)
            if known and all(mark or at in known for at, mark in enumerate(self.marks)):
                return Refused(f"No failing test reaches {edit}.")
            prior = self._prior_of(state, edit) if prior is None else prior
            pending = PendingCandidate(edited, prior, base, known)
            self.under_way[edited.source] = pending
            tests = [at for at in first_tests or self._cheap_failing_tests(base) if at not in known]
            if not first_tests:
                tests, pending.later = tests[:1], tests[1:] if base.candidates < THOROUGH_CANDIDATES else []
            self._begin_tests(edited.source, tests if self.open else ())
            base.candidates += 1
        return edited

    def base(self, state: RepairState) -> BaseProgram:
        """The program of a state as a base of candidates."""
        if state.source not in self._bases:
            known = self.seen.get(state.source)
            beliefs: Sequence[Belief | None] = known.beliefs if known else (None,) * len(self.marks)
            passes = tuple(
                bool(mark) if belief is None or belief.passes is None else belief.passes
                for belief, mark in zip(beliefs, self.marks, strict=True)
            )
            expected = self.expected_share(known) if known else None
            share = sum(self.original_scores) / len(self.original_scores) if expected is None else expected
            self._bases[state.source] = BaseProgram(passes, share)
        return self._bases[state.source]

    def learn(self, state: RepairState, marks: Sequence[bool | None]) -> None:
        """Record which tests a candidate really passes: candidates made from it must fix one that it fails."""
        share = sum(map(bool, marks)) / len(marks)
        self._bases[state.source] = BaseProgram(tuple(map(bool, marks)), share)

    def _unaffected_tests(self, edit: Edit) -> dict[int, Belief]:
        """Beliefs for tests whose run never reaches the edited lines of the buggy program: their result stays."""
        lines = {line + off for line in edit.lines for off in (-1, 0, 1)}
        ran_by_one = frozenset[int]().union(*(ran for ran in self.covered if ran))
        if not ran_by_one.issuperset(edit.lines) or _SHARING.search(self.core.source):
            return {}  # a line outside the functions, or a result that tests share, may affect every test
        return {
            at: Belief(bool(self.marks[at]), value="unchanged: the run does not reach the edit")
            for at, ran in enumerate(self.covered)
            if ran is not None and not ran & lines
        }

    def _cheap_failing_tests(self, base: BaseProgram) -> list[int]:
        """The first failing tests of a program, as far as they are cheap, and two at least.

        Several are needed because an edit of a larger repair fixes some of them and not others.
        """
        failing = [at for at in self.order if not base.passes[at]] or list(self.order)
        cheap = sum(total <= CHEAP_STEPS for total in accumulate(self.lengths[at] for at in failing))
        return failing[: max(2, cheap)]

    def dropped(self) -> list[Candidate]:
        """Candidates dropped before all cheap failing tests were imagined, those with the highest prior first."""
        if not self.open:
            return []
        return sorted((each for each in self.seen.values() if self._tests_left(each)), key=lambda each: -each.prior)

    def resume(self, candidate: Candidate) -> None:
        """Imagine further failing tests of a dropped candidate: it may fix another one."""
        if self.seen.get(candidate.state.source) is candidate:
            del self.seen[candidate.state.source]
            beliefs = {at: belief for at, belief in enumerate(candidate.beliefs) if belief is not None}
            pending = PendingCandidate(candidate.state, candidate.prior, candidate.base, beliefs)
            self.under_way[candidate.state.source] = pending
            self._begin_tests(candidate.state.source, self._tests_left(candidate))

    def _tests_left(self, candidate: Candidate) -> list[int]:
        """Cheap failing tests that were not imagined for a candidate."""
        return [at for at in self._cheap_failing_tests(candidate.base) if candidate.beliefs[at] is None]

    def advance(self) -> list[str]:
        """Imagine all candidates under way a little further; return the sources of those that finished."""
        before = len(self.seen)
        for (source, index), belief in self.imagined_tests.advance():
            self.steps += belief.steps
            pending = self.under_way.get(source)
            if pending is not None:
                self._record(pending, index, belief)
        self._release()
        return list(islice(self.seen, before, None))

    @property
    def judged(self) -> int:
        """Candidates that are finished, or under way although they fail their first test."""
        return len(self.seen) + len(self._failing)

    def _release(self) -> None:
        """Begin the later tests of candidates that were held, once enough were, or nothing else is under way."""
        if self._held and (self.judged >= THOROUGH_CANDIDATES or len(self._held) == len(self.under_way)):
            held, self._held = self._held, []
            for pending in held:
                self._begin_tests(pending.state.source, [at for at in pending.later if at not in pending.beliefs])

    def finish_all(self) -> list[str]:
        """Finish all candidates under way with the beliefs they have: no budget is left to imagine them further."""
        sources, self._held = list(self.under_way), []
        for source in sources:
            self._finish(self.under_way[source])
        return sources

    def is_believed_solution(self, candidate: Candidate) -> bool:
        """Whether every test was imagined, none is believed to fail, and one that failed before is believed to pass."""
        verdicts = candidate.verdicts
        fixes = any(passes and not mark for passes, mark in zip(verdicts, self.marks, strict=True))
        return fixes and None not in candidate.beliefs and False not in verdicts

    def odds(self, candidate: Candidate) -> float:
        """Logarithm of the odds that a candidate is right."""
        return log_odds(candidate.prior, candidate.beliefs, self.trusts, self.marks)

    def chance(self, candidate: Candidate) -> float:
        """Probability that a candidate is right, beside all that were imagined and the prior left for all others."""
        return chance_among(self.odds(candidate), [(each.prior, self.odds(each)) for each in self.seen.values()])

    def expected_share(self, candidate: Candidate) -> float | None:
        """Share of the tests that a candidate is expected to pass; None where nothing is believed."""
        return expected_share(candidate.beliefs, self.trusts, self.original_scores)

    def _prior_of(self, before: RepairState, edit: Edit) -> float:
        known = self.seen.get(before.source)
        return self._priors.of(before).get(str(edit), 0.0) * (known.prior if known else 1.0)

    def _begin_tests(self, source: str, tests: Sequence[int]) -> None:
        """Begin to imagine tests of a candidate; a candidate that waits for no test is finished."""
        pending = self.under_way[source]
        pending.waiting.update(tests)
        worth = self._worth(pending.beliefs)
        for index in tests:
            self.imagined_tests.begin((source, index), source, self.core.entry, self.core.tests[index], worth=worth)
        if not pending.waiting:
            self._finish(pending)

    def _worth(self, beliefs: Mapping[int, Belief]) -> int:
        """The worth of a candidate's further tests: more where it is believed to fix a failing one."""
        fixes = any(belief.passes and not self.marks[at] for at, belief in beliefs.items())
        return FIXING_WORTH if fixes else 0

    def _record(self, pending: PendingCandidate, index: int, belief: Belief) -> None:
        """Keep one belief; after the first tests begin the remaining ones, or the later ones if all of the first fail.

        Most candidates are wrong and fail the first test. The later tests wait behind the first tests of all candidates
        under way: where one edit is the repair it is found before them, and where several are, little is lost.
        """
        pending.beliefs[index] = belief
        pending.waiting.discard(index)
        if not pending.waiting:
            fixes = _may_fix_one(pending)
            rest = [each for each in (self.order if fixes else pending.later) if each not in pending.beliefs]
            if rest and not fixes:
                self._failing.add(pending.state.source)
            if rest and not fixes and self.judged < THOROUGH_CANDIDATES:
                self._held.append(pending)
            else:
                self._begin_tests(pending.state.source, rest)

    def _finish(self, pending: PendingCandidate) -> None:
        del self.under_way[pending.state.source]
        self._failing.discard(pending.state.source)
        beliefs = tuple(self._belief(pending.beliefs, index) for index in range(len(self.marks)))
        candidate = Candidate(pending.state, beliefs, pending.prior, pending.base)
        self.seen[pending.state.source] = candidate
        self.most_passing = max(self.most_passing, candidate.verdicts.count(True))
        if self.is_believed_solution(candidate):
            self.believed_solutions.append(candidate)

    def _belief(self, beliefs: Mapping[int, Belief], index: int) -> Belief | None:
        left_out = beliefs and index not in self.order
        return Belief(None, value="a run that is too long to imagine") if left_out else beliefs.get(index)

    def answer(self, state: RepairState) -> Step[RepairState]:
        """The step to a finished candidate; one that is no better than its base is an end."""
        candidate = self.seen[state.source]
        tokens = sum(belief.tokens for belief in candidate.beliefs if belief)
        share = self.expected_share(candidate)
        better = share is not None and share > candidate.base.expected_share + NOTICEABLE
        value = share if self.learnt_value is None else self._chance(candidate, share)
        solution = self.is_believed_solution(candidate)
        if better and not solution and len(state.patch) < (self.core.most_edits or len(state.patch) + 1):
            prior = LatePrior(lambda: self._priors.of(state).values())
            return Step(state, value=value, prior=prior, tokens=tokens)
        return Step(state, value=value, end="goal" if solution else "failure", tokens=tokens)

    def _chance(self, candidate: Candidate, share: float | None) -> float:
        """The chance that a candidate is a repair or leads to one, as it was learnt from episodes."""
        assert self.learnt_value is not None
        edits, prior = len(candidate.state.patch), candidate.prior
        numbers = candidate_features(candidate.verdicts, self.marks, expected=share, edits=edits, prior=prior)
        return self.learnt_value(numbers)


def _may_fix_one(pending: PendingCandidate) -> bool:
    """Whether one of the tests that the base fails is not believed to fail; of all tests where it fails none."""
    fixing = [belief for at, belief in pending.beliefs.items() if not pending.base.passes[at]]
    return any(belief.passes is not False for belief in fixing or pending.beliefs.values())

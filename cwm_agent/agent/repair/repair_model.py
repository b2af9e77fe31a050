"""Env cores as worlds that planners search, imagined by an oracle: the one place where envs and planners meet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from random import Random

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.edit_ranking import Policy, weighed
from cwm_agent.agent.repair.imagined_tests import ImaginedTests
from cwm_agent.agent.repair.odds import Trust, expected_share, log_odds
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import BadEdit, Edit
from envs.editing.fingerprint import fingerprint
from planners import Refused, Step

THOROUGH = 64
"""Candidates of one program that are imagined on all its failing tests at once, if those are short."""
FIRST_STEPS = 600
"""Of the buggy program's failing tests: so many are short."""
NOTICEABLE = 0.01
"""By how much a candidate must be better to be gone on from."""


@dataclass(slots=True)
class BaseProgram:
    """A program that candidates are made from."""

    passes: tuple[bool, ...]
    """Its tests, as they really are or as they are believed to be."""
    bar: float
    """What it promises."""
    begun: int = 0
    """Candidates made from it so far."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was imagined: what is believed of its tests."""

    state: RepairState
    beliefs: tuple[Belief | None, ...]
    """None for a test that was not even imagined, since others had failed."""
    prior: float
    """Of all its edits together."""
    base: BaseProgram = field(default_factory=lambda: BaseProgram((), 0.0))
    """What it was made from: nobody goes on from a candidate that promises no more."""


@dataclass(slots=True)
class ImaginedRepair:
    """Repair as imagined: one step edits the program and imagines its tests. A `planners.Model`."""

    core: RepairCore
    dreaming: ImaginedTests[tuple[str, int]]
    """Imagines tests, by the program's source and the test's number."""
    marks: tuple[bool | None, ...]
    """What the buggy program really passes."""
    before: tuple[float, ...]
    """The same with part credit for results that come close."""
    trusts: list[Trust]
    """Of each test; lowered where imagination proved wrong."""
    order: tuple[int, ...]
    """Tests in the order they are imagined: those that fail first, the shortest first; long ones are left out."""
    lengths: tuple[int, ...]
    """Steps of each test of the buggy program."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    covered: tuple[frozenset[int] | None, ...] = ()
    """Lines of the buggy program that each test ran; nothing where that is not known."""
    policy: Policy | None = None
    """Has an opinion on edits before they are imagined."""
    open: bool = True
    """Whether there is budget left to imagine; a closed world knows nothing new."""
    steps: int = 0
    """Imagined so far, over all candidates."""
    seen: dict[str, Candidate] = field(default_factory=dict)
    """Every program met so far, by source."""
    hopeful_candidates: list[Candidate] = field(default_factory=list)
    """Candidates that are believed to pass every test."""
    under_way: dict[str, "_UnderWay"] = field(default_factory=dict)
    """Programs whose tests are being imagined, by source."""
    _bases: dict[str, BaseProgram] = field(default_factory=dict)
    _opinions: dict[tuple[object, ...], float] = field(default_factory=dict)
    """What the policy said of each edit of the buggy program, by its line's text, place and change."""
    _priors: dict[tuple[str, bool], Mapping[str, float]] = field(default_factory=dict)
    """By source, and whether it was edited: the buggy program offers other edits where edits led back to it."""

    def actions(self, state: RepairState) -> Sequence[Edit]:
        return self.core.actions_unchecked(state)

    def prior(self, state: RepairState) -> tuple[float, ...] | None:
        """The chance of each edit, as far as it can be told without imagining anything."""
        priors = self._weights(state)
        return tuple(priors.values()) or None

    def _weights(self, state: RepairState) -> Mapping[str, float]:
        """The chance of each edit, by its text; they add up to one."""
        key = state.source, bool(state.patch)
        if key not in self._priors:
            actions = self.core.actions_unchecked(state)
            logprobs = self._opinion(state, actions)
            weights = weighed(actions, _moved(self.suspicion, state.patch), logprobs)
            self._priors[key] = dict(zip(map(str, actions), weights, strict=True))
        return self._priors[key]

    def _opinion(self, state: RepairState, edits: Sequence[Edit]) -> list[float] | None:
        """What the policy says of edits; of those of an edited program what it said of the same edits before.

        It is asked about the buggy program alone: an opinion on every program on the way would cost more than it tells.
        """
        if self.policy is None:
            return None
        lines = state.source.splitlines()
        keys = [(*lines[edit.line - 1 : edit.line], edit.column, edit.before, edit.after) for edit in edits]
        if not state.patch:
            logprobs = self.policy.logprobs(state.source, edits)
            self._opinions = {} if logprobs is None else dict(zip(keys, logprobs, strict=True))
            return logprobs
        if not self._opinions:
            return None
        usual = sorted(self._opinions.values())[len(self._opinions) // 2]
        return [self._opinions.get(key, usual) for key in keys]

    def step(self, moves: Sequence[tuple[RepairState, Edit]], rng: Random) -> list[Step[RepairState] | Refused]:
        """Imagine every edited program to its end; what was imagined before is not imagined again."""
        states = [self.begin(state, edit) for state, edit in moves]
        wanted = {state.source for state in states if isinstance(state, RepairState)}
        while wanted & self.under_way.keys():
            self.advance()
        return [state if isinstance(state, Refused) else self.answer(state) for state in states]

    def begin(
        self, state: RepairState, edit: Edit, prior: float | None = None, first: Sequence[int] = ()
    ) -> RepairState | Refused:
        """The edited program, which is imagined from now on unless it was before.

        `prior` is for edits that are not among the state's actions; `first` are the tests that it must mend one of.
        """
        try:
            edited = self.core.transition(state, edit)
        except BadEdit as error:
            return Refused(str(error))
        if state.patch and fingerprint(edited.source) is None:
            return Refused(f"{edit} makes no program.")
        if edited.source not in self.seen and edited.source not in self.under_way:
            base = self._base(state)
            prior = self._prior_of(state, edit) if prior is None else prior
            known = {} if state.patch else self._untouched(edit)
            self.under_way[edited.source] = _UnderWay(edited, prior, base, known)
            asked = [at for at in first or self._first(base, known) if at not in known]
            self._imagine(edited.source, asked if self.open else ())
            base.begun += 1
        return edited

    def _base(self, state: RepairState) -> BaseProgram:
        """What is known of a program that candidates are made from."""
        if state.source not in self._bases:
            known = self.seen.get(state.source)
            beliefs: Sequence[Belief | None] = known.beliefs if known else (None,) * len(self.marks)
            passes = tuple(
                bool(mark) if belief is None or belief.passes is None else belief.passes
                for belief, mark in zip(beliefs, self.marks, strict=True)
            )
            promised = self.expected_share(known) if known else None
            bar = sum(self.before) / len(self.before) if promised is None else promised
            self._bases[state.source] = BaseProgram(passes, bar)
        return self._bases[state.source]

    def learn(self, state: RepairState, marks: Sequence[bool | None]) -> None:
        """Take what a candidate really passes: those made from it are to mend what it fails."""
        share = sum(map(bool, marks)) / len(marks)
        self._bases[state.source] = BaseProgram(tuple(map(bool, marks)), share)

    def _untouched(self, edit: Edit) -> dict[int, Belief]:
        """Tests whose run never comes to the place of an edit of the buggy program: they end as they did."""
        lines = {line + off for line in edit.lines for off in (-1, 0, 1)}
        if not any(ran and ran & lines for ran in self.covered):
            return {}  # no function's own line, so it may matter to every test
        return {
            at: Belief(bool(self.marks[at]), value="as before: the run does not come there")
            for at, ran in enumerate(self.covered)
            if ran is not None and not ran & lines
        }

    def _first(self, base: BaseProgram, known: Mapping[int, Belief]) -> list[int]:
        """Tests that a candidate must mend one of, or it is dropped: all that are cheap for likely ones, else one."""
        thorough = [at for at in self._thorough(base) if at not in known]
        return thorough if base.begun < THOROUGH else thorough[:1]

    def _thorough(self, base: BaseProgram) -> list[int]:
        """Tests that a program fails, as far as they are cheap: of several edits each mends some and not others."""
        failing = [at for at in self.order if not base.passes[at]] or list(self.order)
        cheap = sum(total <= FIRST_STEPS for total in accumulate(self.lengths[at] for at in failing))
        return failing[: max(2, cheap)]

    def dropped(self) -> list[Candidate]:
        """Candidates that were dropped before all cheap failing tests were imagined, the likeliest first."""
        return sorted((each for each in self.seen.values() if self._left(each)), key=lambda each: -each.prior)

    def look_again(self, candidate: Candidate) -> None:
        """Imagine further failing tests of a candidate that was dropped: perhaps it mends another one."""
        if self.seen.get(candidate.state.source) is candidate:
            del self.seen[candidate.state.source]
            found = {at: belief for at, belief in enumerate(candidate.beliefs) if belief is not None}
            going = _UnderWay(candidate.state, candidate.prior, candidate.base, found)
            self.under_way[candidate.state.source] = going
            self._imagine(candidate.state.source, self._left(candidate))

    def _left(self, candidate: Candidate) -> list[int]:
        return [at for at in self._thorough(candidate.base) if candidate.beliefs[at] is None]

    def advance(self) -> list[str]:
        """Imagine all that are under way a little further; the sources of those that came to an end."""
        before = len(self.seen)
        for (source, index), belief in self.dreaming.advance():
            self.steps += belief.steps
            going = self.under_way.get(source)
            if going is not None:
                self._believe(going, index, belief)
        return list(islice(self.seen, before, None))

    def give_up(self) -> list[str]:
        """Take all that are under way as they are: there is no budget to imagine them further."""
        given_up = list(self.under_way)
        for source in given_up:
            self._end(self.under_way[source])
        return given_up

    def hopeful(self, candidate: Candidate) -> bool:
        """Whether every test was imagined, none that is known fails, and one that failed before is known to pass."""
        verdicts = [None if belief is None else belief.passes for belief in candidate.beliefs]
        mended = any(passes and not mark for passes, mark in zip(verdicts, self.marks, strict=True))
        return mended and None not in candidate.beliefs and False not in verdicts

    def odds(self, candidate: Candidate) -> float:
        """Logarithm of the odds that a candidate is right."""
        return log_odds(candidate.prior, candidate.beliefs, self.trusts, self.marks)

    def expected_share(self, candidate: Candidate) -> float | None:
        """Share of the tests that a candidate is expected to pass; None where nothing is believed."""
        return expected_share(candidate.beliefs, self.trusts, self.before)

    def _prior_of(self, before: RepairState, edit: Edit) -> float:
        known = self.seen.get(before.source)
        return self._weights(before).get(str(edit), 0.0) * (known.prior if known else 1.0)

    def _imagine(self, source: str, tests: Sequence[int]) -> None:
        """Begin with some tests of a program; without any it is at its end."""
        going = self.under_way[source]
        going.waiting.update(tests)
        promising = any(belief.passes and not self.marks[at] for at, belief in going.found.items())
        for index in tests:
            test = self.core.tests[index]
            self.dreaming.begin((source, index), source, self.core.entry, test, promising=promising)
        if not going.waiting:
            self._end(going)

    def _believe(self, going: "_UnderWay", index: int, belief: Belief) -> None:
        """Keep one belief; after the first tests the rest are imagined, unless all of these fail."""
        going.found[index] = belief
        going.waiting.discard(index)
        if not going.waiting:
            rest = [each for each in self.order if each not in going.found]
            self._imagine(going.state.source, rest if _may_mend(going.found) else ())

    def _end(self, going: "_UnderWay") -> None:
        del self.under_way[going.state.source]
        beliefs = tuple(self._belief(going.found, index) for index in range(len(self.marks)))
        candidate = Candidate(going.state, beliefs, going.prior, going.base)
        self.seen[going.state.source] = candidate
        if self.hopeful(candidate):
            self.hopeful_candidates.append(candidate)

    def _belief(self, found: Mapping[int, Belief], index: int) -> Belief | None:
        left_out = found and index not in self.order
        return Belief(None, value="a run that is too long to imagine") if left_out else found.get(index)

    def answer(self, state: RepairState) -> Step[RepairState]:
        """The step to a candidate; one that is no better than what it was made from is an end."""
        candidate = self.seen[state.source]
        tokens = sum(belief.tokens for belief in candidate.beliefs if belief)
        value = self.expected_share(candidate)
        better = value is not None and value > candidate.base.bar + NOTICEABLE
        further = (
            better and not self.hopeful(candidate) and len(state.patch) < (self.core.most_edits or len(state.patch) + 1)
        )
        if further:
            return Step(state, value=value, prior=self.prior(state), tokens=tokens)
        return Step(state, value=value, end="goal" if self.hopeful(candidate) else "failure", tokens=tokens)


@dataclass(slots=True)
class _UnderWay:
    """A program while its tests are imagined."""

    state: RepairState
    prior: float
    base: BaseProgram
    found: dict[int, Belief] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)
    """Tests begun whose end is not known yet."""


def _moved(suspicion: Mapping[int, float], patch: Sequence[Edit]) -> Mapping[int, float]:
    """The suspicion of each line, where the lines stand after some edits."""
    for edit in patch:
        grown = edit.after.count("\n") - edit.before.count("\n")
        if grown:
            suspicion = {line + (grown if line > edit.line else 0): value for line, value in suspicion.items()}
    return suspicion


def _may_mend(beliefs: Mapping[int, Belief]) -> bool:
    return any(belief.passes is not False for belief in beliefs.values())

"""Env cores as worlds that planners search, imagined by an oracle: the one place where envs and planners meet."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from cwm_agent.agent.beliefs import Belief, Dreamer
from cwm_agent.agent.trust import Trust, log_odds, promise
from envs.baselines import suspicion_of
from envs.editing.edit import BadEdit, Edit
from envs.editing.priors import prior_of
from envs.repair import RepairCore, RepairState
from planners import Refused, Step

FIRST_TESTS = 2
"""Failing tests imagined before the rest: a candidate that mends none of them is not looked at further."""
NOTICEABLE = 0.01
"""By how much a candidate must be better to be gone on from."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was imagined: what is believed of its tests."""

    state: RepairState
    beliefs: tuple[Belief | None, ...]
    """None for a test that was not even imagined, since others had failed."""
    prior: float
    """Of all its edits together."""


@dataclass(slots=True)
class ImaginedRepair:
    """Repair as imagined: one step edits the program and imagines its tests. A `planners.Model`."""

    core: RepairCore
    dreamer: Dreamer
    marks: tuple[bool | None, ...]
    """What the buggy program really passes."""
    before: tuple[float, ...]
    """The same with part credit for results that come close."""
    trusts: list[Trust]
    """Of each test; lowered where imagination proved wrong."""
    order: tuple[int, ...]
    """Tests in the order they are imagined: those that fail first, the shortest first; long ones are left out."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    open: bool = True
    """Whether there is budget left to imagine; a closed world knows nothing new."""
    steps: int = 0
    """Imagined so far, over all candidates."""
    seen: dict[str, Candidate] = field(default_factory=dict)
    """Every program met so far, by source."""
    _priors: dict[str, Mapping[str, float]] = field(default_factory=dict)

    def actions(self, state: RepairState) -> Sequence[Edit]:
        return self.core.actions(state)

    def prior(self, state: RepairState) -> tuple[float, ...] | None:
        """The chance of each edit, as far as it can be told without imagining anything."""
        priors = self._weights(state)
        return tuple(priors.values()) or None

    def _weights(self, state: RepairState) -> Mapping[str, float]:
        """Learnt rate of the class times the suspicion of the line, by edit; they add up to one.

        The k-th edit of a class counts a k-th: where the first ones fail, the rest are likely to fail too.
        """
        if state.source not in self._priors:
            suspicion = self.suspicion if not state.patch else {}
            actions = self.core.actions(state)
            tried: Counter[str] = Counter()
            found: dict[str, float] = {}
            for edit in sorted(actions, key=lambda each: -suspicion_of(each, suspicion)):
                tried[edit.operator] += 1
                found[str(edit)] = prior_of(edit.operator) / tried[edit.operator] * suspicion_of(edit, suspicion)
            total = sum(found.values())
            self._priors[state.source] = {str(edit): found[str(edit)] / total for edit in actions}
        return self._priors[state.source]

    def step(self, moves: Sequence[tuple[RepairState, Edit]], rng: Random) -> list[Step[RepairState] | Refused]:
        """Imagine every edited program; what was imagined before is not imagined again."""
        states: list[RepairState | Refused] = [self._edited(state, edit) for state, edit in moves]
        new = {
            state.source: (state, self._prior_of(before, edit))
            for state, (before, edit) in zip(states, moves, strict=True)
            if isinstance(state, RepairState) and state.source not in self.seen
        }
        self._imagine(list(new.values()))
        return [state if isinstance(state, Refused) else self._answer(state) for state in states]

    def hopeful(self, candidate: Candidate) -> bool:
        """Whether every test was imagined, none that is known fails, and one that failed before is known to pass."""
        verdicts = [None if belief is None else belief.passes for belief in candidate.beliefs]
        mended = any(passes and not mark for passes, mark in zip(verdicts, self.marks, strict=True))
        return mended and None not in candidate.beliefs and False not in verdicts

    def odds(self, candidate: Candidate) -> float:
        """Logarithm of the odds that a candidate is right."""
        return log_odds(candidate.prior, candidate.beliefs, self.trusts, self.marks)

    def promise(self, candidate: Candidate) -> float | None:
        """Share of the tests that a candidate is expected to pass; None where nothing is believed."""
        return promise(candidate.beliefs, self.trusts, self.before)

    def _prior_of(self, before: RepairState, edit: Edit) -> float:
        known = self.seen.get(before.source)
        return self._weights(before).get(str(edit), 0.0) * (known.prior if known else 1.0)

    def _edited(self, state: RepairState, edit: Edit) -> RepairState | Refused:
        try:
            return self.core.transition(state, edit)
        except BadEdit as error:
            return Refused(str(error))

    def _imagine(self, states: Sequence[tuple[RepairState, float]]) -> None:
        found: dict[str, dict[int, Belief]] = {state.source: {} for state, _ in states}
        if self.open:
            first, rest = self.order[:FIRST_TESTS], self.order[FIRST_TESTS:]
            self._believe([state for state, _ in states], first, found)
            self._believe([state for state, _ in states if _may_mend(found[state.source])], rest, found)
        for state, prior in states:
            beliefs = tuple(self._belief(found[state.source], index) for index in range(len(self.marks)))
            self.seen[state.source] = Candidate(state, beliefs, prior)

    def _belief(self, found: Mapping[int, Belief], index: int) -> Belief | None:
        left_out = self.open and index not in self.order
        return Belief(None, value="a run that is too long to imagine") if left_out else found.get(index)

    def _believe(
        self, states: Sequence[RepairState], tests: Sequence[int], found: dict[str, dict[int, Belief]]
    ) -> None:
        asked = [(state, index) for state in states for index in tests]
        calls = [(state.source, self.core.entry, self.core.tests[index]) for state, index in asked]
        for (state, index), belief in zip(asked, self.dreamer.beliefs(calls), strict=True):
            found[state.source][index] = belief
            self.steps += belief.steps

    def _answer(self, state: RepairState) -> Step[RepairState]:
        """The step to a candidate; one that is no better than the buggy program is an end: nobody goes on from it."""
        candidate = self.seen[state.source]
        tokens = sum(belief.tokens for belief in candidate.beliefs if belief)
        value = self.promise(candidate)
        better = value is not None and value > sum(self.before) / len(self.before) + NOTICEABLE
        further = (
            better and not self.hopeful(candidate) and len(state.patch) < (self.core.most_edits or len(state.patch) + 1)
        )
        return Step(
            state, value=value, terminal=not further, prior=self.prior(state) if further else None, tokens=tokens
        )


def _may_mend(beliefs: Mapping[int, Belief]) -> bool:
    return any(belief.passes is not False for belief in beliefs.values())

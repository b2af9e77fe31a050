"""Env cores as worlds that planners search, imagined by an oracle: the one place where envs and planners meet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from cwm_agent.agent.beliefs import Belief, Dreamer
from envs.baselines import suspicion_of
from envs.editing.edit import BadEdit, Edit
from envs.editing.priors import prior_of
from envs.repair import RepairCore, RepairState
from planners import Refused, Step

FIRST_TESTS = 2
"""Failing tests imagined before the rest: a candidate that mends none of them is not looked at further."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was imagined: what is believed of its tests."""

    state: RepairState
    beliefs: tuple[Belief | None, ...]
    """None for a test that was not even imagined, since others had failed."""
    prior: float

    def value(self, weights: Sequence[float], before: Sequence[bool | None]) -> float | None:
        """Share of the tests believed to pass, by weight; None where nothing is believed.

        A test that was not imagined counts as before the edit, halved: the candidate was dropped for failing others.
        """
        known = [
            (weight, belief.passes if belief else 0.5 * bool(mark))
            for weight, belief, mark in zip(weights, self.beliefs, before, strict=True)
            if belief is None or belief.passes is not None
        ]
        if not any(belief is not None and belief.passes is not None for belief in self.beliefs):
            return None
        total = sum(weight for weight, _ in known)
        return sum(weight * (passes or 0.0) for weight, passes in known) / total if total else None

    @property
    def hopeful(self) -> bool:
        """Whether every test that could be imagined is believed to pass, and at least one could."""
        told = [belief for belief in self.beliefs if belief is not None]
        known = [belief for belief in told if belief.passes is not None]
        return len(told) == len(self.beliefs) and bool(known) and all(belief.hopeful for belief in known)


@dataclass(slots=True)
class ImaginedRepair:
    """Repair as imagined: one step edits the program and imagines its tests. A `planners.Model`."""

    core: RepairCore
    dreamer: Dreamer
    marks: tuple[bool | None, ...]
    """What the buggy program really passes."""
    weights: list[float]
    """Trust in the imagination of each test; lowered where it proved wrong."""
    order: tuple[int, ...]
    """Tests in the order they are imagined: those that fail first, the shortest first."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    seen: dict[str, Candidate] = field(default_factory=dict)
    """Every program imagined so far, by source."""

    def actions(self, state: RepairState) -> Sequence[Edit]:
        return self.core.actions(state)

    def prior(self, state: RepairState) -> tuple[float, ...] | None:
        """Learnt class priors times the suspicion of the lines, which are known for the buggy program only."""
        actions = self.core.actions(state)
        if not actions:
            return None
        weights = [self._weight(state, edit) for edit in actions]
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def _weight(self, state: RepairState, edit: Edit) -> float:
        return prior_of(edit.operator) * (suspicion_of(edit, self.suspicion) if not state.patch else 1.0)

    def step(self, moves: Sequence[tuple[RepairState, Edit]], rng: Random) -> list[Step[RepairState] | Refused]:
        """Imagine every edited program; what was imagined before is not imagined again."""
        states: list[RepairState | Refused] = [self._edited(state, edit) for state, edit in moves]
        new = {
            state.source: (state, self._weight(before, edit))
            for state, (before, edit) in zip(states, moves, strict=True)
            if isinstance(state, RepairState) and state.source not in self.seen
        }
        self._imagine(list(new.values()))
        return [state if isinstance(state, Refused) else self._answer(state) for state in states]

    def _edited(self, state: RepairState, edit: Edit) -> RepairState | Refused:
        try:
            return self.core.transition(state, edit)
        except BadEdit as error:
            return Refused(str(error))

    def _imagine(self, states: Sequence[tuple[RepairState, float]]) -> None:
        first, rest = self.order[:FIRST_TESTS], self.order[FIRST_TESTS:]
        found: dict[str, dict[int, Belief]] = {state.source: {} for state, _ in states}
        self._believe([state for state, _ in states], first, found)
        alive = [state for state, _ in states if self._mends(found[state.source])]
        self._believe(alive, rest, found)
        for state, prior in states:
            beliefs = tuple(found[state.source].get(index) for index in range(len(self.marks)))
            self.seen[state.source] = Candidate(state, beliefs, prior)

    def _mends(self, beliefs: Mapping[int, Belief]) -> bool:
        return any(belief.passes is None or belief.hopeful for belief in beliefs.values())

    def _believe(
        self, states: Sequence[RepairState], tests: Sequence[int], found: dict[str, dict[int, Belief]]
    ) -> None:
        asked = [(state, index) for state in states for index in tests]
        beliefs = self.dreamer.beliefs(
            [(state.source, self.core.entry, self.core.tests[index]) for state, index in asked]
        )
        for (state, index), belief in zip(asked, beliefs, strict=True):
            found[state.source][index] = belief

    def _answer(self, state: RepairState) -> Step[RepairState]:
        candidate = self.seen[state.source]
        tokens = sum(belief.tokens for belief in candidate.beliefs if belief)
        value = candidate.value(self.weights, self.marks)
        before = sum(map(bool, self.marks)) / len(self.marks)
        better = value is not None and value > before  # others are hardly ever gone on from: their edits stay unlisted
        prior = self.prior(state) if better and not candidate.hopeful else None
        return Step(state, value=value, terminal=candidate.hopeful, prior=prior, tokens=tokens)

"""Extends candidates that fix some failing tests: which edit to add to which candidate, by its effect alone.

A search by depth lists all edits again behind each candidate and orders them by their classes. But most of them were
imagined alone before: an edit that alone fixed, or at least changed, a test that the candidate still fails is tried
first; an edit without an effect is tried later, since the other fault may have hidden its effect. Knows beliefs and
places of edits, and no search.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.odds import PART_CREDIT
from cwm_agent.agent.repair.proposals.proposal import Proposal, joined
from envs.domains.edit_orders import suspicion_of
from envs.domains.fault_localisation import ochiai
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit

MOST_BASES = 8
"""Candidates that are extended at a time: those with the highest weight."""
MOST_ALIKE = 2
"""Candidates extended of those that fail the same tests."""
REBUILD_AFTER = 64
"""New candidates before the queue is built again."""
MOST_QUEUED = 512
"""Pairs that the queue holds."""
PRIOR_POWER = 0.25
"""Power of a prior in the weight: the tests that a candidate fixes say more than its prior."""
FOR_FIXED, FOR_BROKEN, FOR_CLOSER = 8.0, 0.25, 4.0
"""Factors of a candidate's weight: for each test it fixes, each test it breaks, and wrong results that are closer."""
FIXES, CLOSER, CHANGED, UNKNOWN, SAME, UNREACHED = 1.0, 0.5, 0.2, 0.15, 0.05, 0.02
"""Weight of an edit for a test that still fails: the edit alone fixes it, brings its result closer, changes its
result, has an unknown effect, changes nothing, or stands where the test never runs."""
TOLERANCE = 0.01
"""Differences of closeness up to this count as none."""


@dataclass(frozen=True, slots=True)
class ExtensionBase:
    """A candidate to extend."""

    candidate: Candidate
    edits: tuple[Edit, ...]
    """Its edits, each as an edit of the buggy program."""
    weight: float
    failing: tuple[int, ...]
    """The tests that it is believed to fail, in the order in which they are imagined."""


@dataclass(frozen=True, slots=True)
class PartialEdit:
    """A single edit of the buggy program, as a part of a larger repair."""

    edit: Edit
    prior: float
    effects: tuple[float, ...]
    """For each test the weight of the edit's effect on it."""
    results: tuple[str, ...] = ()
    """The imagined result of each test; empty where the edit changed no test."""


@dataclass(slots=True)
class Extension:
    """Pairs of a candidate and an edit to add, those with the highest weight first."""

    core: RepairCore
    _: KW_ONLY
    marks: tuple[bool | None, ...]
    original_scores: tuple[float, ...]
    """The score of each test of the buggy program, with part credit for results that are close."""
    order: tuple[int, ...]
    """Tests in the order they are imagined."""
    most_edits: int
    """Edits that a patch may have."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    covered: tuple[frozenset[int] | None, ...] = ()
    """Lines of the buggy program that each test ran."""
    joined_edits: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    """The edits of the buggy program that joined programs were made of, by source."""
    _parts: dict[Edit, PartialEdit] = field(default_factory=dict)
    _bases: dict[frozenset[Edit], ExtensionBase] = field(default_factory=dict)
    _proposed: set[frozenset[Edit]] = field(default_factory=set)
    _queue: list[tuple[ExtensionBase, PartialEdit]] = field(default_factory=list)
    """The pair with the highest weight comes last."""
    _new_candidates: int = 0
    """Candidates noticed since the queue was built."""

    def __bool__(self) -> bool:
        """Whether there is a candidate to extend."""
        return bool(self._bases)

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate as a part of others and, where it is better than the buggy program, as a base."""
        patch = candidate.state.patch
        edits = patch if len(patch) == 1 else self.joined_edits.get(candidate.state.source, ())
        if not edits or not any(candidate.beliefs):
            return
        self._new_candidates += 1
        if len(edits) == 1:
            effects = tuple(self._effect(at, belief) for at, belief in enumerate(candidate.beliefs))
            results = _changed_results(candidate.beliefs, effects)
            self._parts[edits[0]] = PartialEdit(edits[0], candidate.prior, effects, results)
        base = self._base_of(candidate, edits)
        if base is not None:
            self._bases[frozenset(edits)] = base

    def add_unknown(self, edits: Iterable[tuple[Edit, float]]) -> None:
        """Add edits that were not imagined alone, with their priors: their effects are unknown."""
        unknown = (UNKNOWN,) * len(self.marks)
        for edit, prior in edits:
            self._parts.setdefault(edit, PartialEdit(edit, prior, unknown))

    def next(self, count: int) -> list[Proposal]:
        """Up to `count` proposals."""
        if self._bases and (self._new_candidates >= REBUILD_AFTER or (not self._queue and self._new_candidates)):
            self._rebuild_queue()
        found: list[Proposal] = []
        while self._queue and len(found) < count:
            base, part = self._queue.pop()
            key = frozenset((*base.edits, part.edit))
            if key in self._proposed:
                continue
            self._proposed.add(key)
            proposal = joined(self.core, (*base.edits, part.edit), base.candidate.prior * part.prior)
            if proposal is not None:
                first = max(base.failing, key=lambda at: part.effects[at])  # the first of equals: it is the cheapest
                found.append(replace(proposal, first_tests=(first,)))
        return found

    def _rebuild_queue(self) -> None:
        """Build the queue again from all bases and edits known now."""
        self._new_candidates = 0
        pairs = [
            (base.weight * weight, base, part)
            for base in self._best_bases()
            for part, weight in self._weighted_parts(base)
        ]
        best = heapq.nlargest(MOST_QUEUED, pairs, key=lambda each: each[0])
        self._queue = [(base, part) for _, base, part in reversed(best)]

    def _best_bases(self) -> list[ExtensionBase]:
        """The candidates with the highest weight, at most `MOST_ALIKE` of those that fail the same tests."""
        alike: Counter[frozenset[int]] = Counter()
        found: list[ExtensionBase] = []
        for base in sorted(self._bases.values(), key=lambda each: -each.weight):
            alike[frozenset(base.failing)] += 1
            if alike[frozenset(base.failing)] <= MOST_ALIKE:
                found.append(base)
            if len(found) == MOST_BASES:
                break
        return found

    def _weighted_parts(self, base: ExtensionBase) -> list[tuple[PartialEdit, float]]:
        """Each edit with its weight behind a candidate; the k-th edit with the same results counts a k-th."""
        passes = tuple(at not in base.failing for at in range(len(self.marks)))
        suspicion = ochiai(self.covered, passes) if self.covered else {}
        found = [
            (part, part.prior * max(part.effects[at] for at in base.failing) * self._suspicion(part.edit, suspicion))
            for part in self._parts.values()
        ]
        alike: Counter[tuple[str, ...]] = Counter()
        ranked: list[tuple[PartialEdit, float]] = []
        for part, weight in sorted(found, key=lambda pair: -pair[1]):
            if part.results:
                alike[part.results] += 1
            ranked.append((part, weight / max(1, alike[part.results])))
        return [pair for pair in ranked if frozenset((*base.edits, pair[0].edit)) not in self._proposed]

    def _suspicion(self, edit: Edit, suspicion: Mapping[int, float]) -> float:
        """Suspicion of an edit's place by the tests that still fail, divided by that of the buggy program."""
        return suspicion_of(edit, suspicion) / suspicion_of(edit, self.suspicion)

    def _base_of(self, candidate: Candidate, edits: tuple[Edit, ...]) -> ExtensionBase | None:
        """A candidate as a base; None where its patch is full, it fails nothing, or it improves nothing."""
        beliefs = candidate.beliefs
        failing = tuple(at for at in self.order if not self._passes(at, beliefs[at]))
        fixed = sum(self._passes(at, belief) and not self.marks[at] for at, belief in enumerate(beliefs))
        broken = sum(bool(self.marks[at]) and not self._passes(at, belief) for at, belief in enumerate(beliefs))
        closer = sum(max(0.0, self._closer_by(at, belief)) for at, belief in enumerate(beliefs))
        if len(edits) >= self.most_edits or not failing or not (fixed or (closer > TOLERANCE and not broken)):
            return None
        weight = candidate.prior**PRIOR_POWER * FOR_FIXED**fixed * FOR_BROKEN**broken * (1 + FOR_CLOSER * closer)
        return ExtensionBase(candidate, edits, weight, failing)

    def _passes(self, at: int, belief: Belief | None) -> bool:
        """Whether a test is believed to pass; as in the buggy program where that is unknown."""
        return bool(self.marks[at]) if belief is None or belief.passes is None else belief.passes

    def _closer_by(self, at: int, belief: Belief | None) -> float:
        """By how much a wrong result is closer to the expected one than the buggy program's result."""
        if belief is None or belief.passes is not False or self.marks[at] or not belief.steps:
            return 0.0
        return belief.close - self.original_scores[at] / PART_CREDIT

    def _effect(self, at: int, belief: Belief | None) -> float:
        """The weight of an edit's effect on a test."""
        if belief is None or belief.passes is None:
            return UNKNOWN
        if not belief.steps:
            return UNREACHED
        if self.marks[at]:
            return SAME if belief.passes else CHANGED
        closer = self._closer_by(at, belief)
        return (
            FIXES if belief.passes else CLOSER if closer > TOLERANCE else SAME if abs(closer) <= TOLERANCE else CHANGED
        )


def _changed_results(beliefs: Sequence[Belief | None], effects: Sequence[float]) -> tuple[str, ...]:
    """The imagined result of each test; empty where the edit changed no test."""
    changed = any(effect in (FIXES, CLOSER, CHANGED) for effect in effects)
    return tuple("" if belief is None else belief.value for belief in beliefs) if changed else ()

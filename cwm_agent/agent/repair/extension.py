"""Going on from half a repair: which edit to make behind which candidate, by what each of them showed alone.

A search by depth lists all edits anew behind each candidate and walks them by their classes. But most of them were
imagined alone before: one that mended, or at least moved, a test that the candidate still fails is worth trying first;
one that showed nothing may have been hidden by the other fault, so it is tried too, later. Knows beliefs and places,
and no search.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.odds import PART_CREDIT
from cwm_agent.agent.repair.proposal import Proposal, joined
from cwm_agent.agent.repair.repair_model import Candidate
from envs.domains.edit_orders import suspicion_of
from envs.domains.fault_localisation import ochiai
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit

MOST_BASES = 8
"""Candidates that are gone on from at a time: the most promising."""
ALIKE = 2
"""Of those that fail the same tests: the likeliest."""
RENEWED_AFTER = 64
"""Candidates seen before the queue is made anew."""
MOST_QUEUED = 512
"""Pairs that are kept until then."""
TEMPER = 0.25
"""Power of a prior in the weight: what a candidate mends says more, and two edits are not a hundredth of one."""
FOR_MENDED, FOR_BROKEN, FOR_CLOSER = 8.0, 0.25, 4.0
"""What a test that is mended or broken, and a wrong result that comes closer, makes of a candidate's weight."""
MENDS, CLOSER, MOVED, UNKNOWN, SAME, UNREACHED = 1.0, 0.5, 0.2, 0.15, 0.05, 0.02
"""What it is worth, for a test that still fails, that an edit alone mends it, brings its result closer, changes it,
that this is not known, that it changes nothing, and that the test never comes to its place."""
SLIGHT = 0.01
"""Difference of closeness that is none."""


@dataclass(frozen=True, slots=True)
class ExtensionBase:
    """A candidate to go on from."""

    candidate: Candidate
    edits: tuple[Edit, ...]
    """Of the buggy program, side by side."""
    weight: float
    failing: tuple[int, ...]
    """The tests that it is believed to fail, in the order in which they are imagined."""


@dataclass(frozen=True, slots=True)
class PartialEdit:
    """An edit that was imagined alone, as a part of a larger repair."""

    edit: Edit
    prior: float
    shows: tuple[float, ...]
    """For each test what it is worth that the edit alone did to it."""
    results: tuple[str, ...] = ()
    """What was imagined of the tests that it moved; nothing where it moved none."""


@dataclass(slots=True)
class Extension:
    """Pairs of a candidate and an edit behind it, the most promising first."""

    core: RepairCore
    marks: tuple[bool | None, ...]
    before: tuple[float, ...]
    """What each test of the buggy program counts, with part credit for results that come close."""
    order: tuple[int, ...]
    """Tests as they are imagined."""
    most: int
    """Edits that a patch may have."""
    suspicion: Mapping[int, float] = field(default_factory=dict)
    covered: tuple[frozenset[int] | None, ...] = ()
    """Lines of the buggy program that each test ran."""
    made: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    """The edits of the buggy program that joined programs were made of, by source."""
    _parts: dict[Edit, PartialEdit] = field(default_factory=dict)
    _bases: dict[frozenset[Edit], ExtensionBase] = field(default_factory=dict)
    _proposed: set[frozenset[Edit]] = field(default_factory=set)
    _queue: list[tuple[ExtensionBase, PartialEdit]] = field(default_factory=list)
    """The most promising last."""
    _news: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to go on from."""
        return bool(self._bases)

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate as a part of others and, where it is better than the buggy program, as a base."""
        patch = candidate.state.patch
        edits = patch if len(patch) == 1 else self.made.get(candidate.state.source, ())
        if not edits or not any(candidate.beliefs):
            return
        self._news += 1
        if len(edits) == 1:
            shows = tuple(self._shown(at, belief) for at, belief in enumerate(candidate.beliefs))
            self._parts[edits[0]] = PartialEdit(edits[0], candidate.prior, shows, _moved(candidate.beliefs, shows))
        base = self._base(candidate, edits)
        if base is not None:
            self._bases[frozenset(edits)] = base

    def expect(self, edits: Iterable[tuple[Edit, float]]) -> None:
        """Take edits that were not imagined alone, with their priors, as parts of which nothing is known."""
        unknown = (UNKNOWN,) * len(self.marks)
        for edit, prior in edits:
            self._parts.setdefault(edit, PartialEdit(edit, prior, unknown))

    def next(self, count: int) -> list[Proposal]:
        """So many proposals, fewer when there are none."""
        if self._bases and (self._news >= RENEWED_AFTER or (not self._queue and self._news)):
            self._renew()
        found: list[Proposal] = []
        while self._queue and len(found) < count:
            base, part = self._queue.pop()
            key = frozenset((*base.edits, part.edit))
            if key in self._proposed:
                continue
            self._proposed.add(key)
            proposal = joined(self.core, (*base.edits, part.edit), base.candidate.prior * part.prior)
            if proposal is not None:
                first = max(base.failing, key=lambda at: part.shows[at])  # the first of equals: it is the cheapest
                found.append(Proposal(proposal.edit, proposal.prior, (first,), proposal.state, proposal.edits))
        return found

    def _renew(self) -> None:
        """Make the queue anew from what is known now."""
        self._news = 0
        pairs = [(base.weight * weight, base, part) for base in self._chosen() for part, weight in self._weighed(base)]
        best = heapq.nlargest(MOST_QUEUED, pairs, key=lambda each: each[0])
        self._queue = [(base, part) for _, base, part in reversed(best)]

    def _chosen(self) -> list[ExtensionBase]:
        """The most promising candidates to go on from, few of those that fail the same tests."""
        alike: Counter[frozenset[int]] = Counter()
        found: list[ExtensionBase] = []
        for base in sorted(self._bases.values(), key=lambda each: -each.weight):
            alike[frozenset(base.failing)] += 1
            if alike[frozenset(base.failing)] <= ALIKE:
                found.append(base)
            if len(found) == MOST_BASES:
                break
        return found

    def _weighed(self, base: ExtensionBase) -> list[tuple[PartialEdit, float]]:
        """What each edit is worth behind a candidate; the k-th of those that did the same alone counts a k-th."""
        passes = tuple(at not in base.failing for at in range(len(self.marks)))
        suspicion = ochiai(self.covered, passes) if self.covered else {}
        found = [
            (part, part.prior * max(part.shows[at] for at in base.failing) * self._suspected(part.edit, suspicion))
            for part in self._parts.values()
        ]
        alike: Counter[tuple[str, ...]] = Counter()
        ranked: list[tuple[PartialEdit, float]] = []
        for part, weight in sorted(found, key=lambda pair: -pair[1]):
            if part.results:
                alike[part.results] += 1
            ranked.append((part, weight / max(1, alike[part.results])))
        return [pair for pair in ranked if frozenset((*base.edits, pair[0].edit)) not in self._proposed]

    def _suspected(self, edit: Edit, suspicion: Mapping[int, float]) -> float:
        """How much more suspicious an edit's place is by the tests that still fail than by those that did at first."""
        return suspicion_of(edit, suspicion) / suspicion_of(edit, self.suspicion)

    def _base(self, candidate: Candidate, edits: tuple[Edit, ...]) -> ExtensionBase | None:
        """A candidate as one to go on from; None where it may have no further edit, or is no better in anything."""
        beliefs = candidate.beliefs
        failing = tuple(at for at in self.order if not self._passes(at, beliefs[at]))
        mended = sum(self._passes(at, belief) and not self.marks[at] for at, belief in enumerate(beliefs))
        broken = sum(bool(self.marks[at]) and not self._passes(at, belief) for at, belief in enumerate(beliefs))
        closer = sum(max(0.0, self._nearer(at, belief)) for at, belief in enumerate(beliefs))
        if len(edits) >= self.most or not failing or not (mended or (closer > SLIGHT and not broken)):
            return None
        weight = candidate.prior**TEMPER * FOR_MENDED**mended * FOR_BROKEN**broken * (1 + FOR_CLOSER * closer)
        return ExtensionBase(candidate, edits, weight, failing)

    def _passes(self, at: int, belief: Belief | None) -> bool:
        """Whether a test is believed to pass; as before where nothing is known."""
        return bool(self.marks[at]) if belief is None or belief.passes is None else belief.passes

    def _nearer(self, at: int, belief: Belief | None) -> float:
        """By how much a wrong result is closer to the wanted one than the buggy program's."""
        if belief is None or belief.passes is not False or self.marks[at] or not belief.steps:
            return 0.0
        return belief.close - self.before[at] / PART_CREDIT

    def _shown(self, at: int, belief: Belief | None) -> float:
        """What it is worth for a test that an edit alone did this to it."""
        if belief is None or belief.passes is None:
            return UNKNOWN
        if not belief.steps:
            return UNREACHED
        if self.marks[at]:
            return SAME if belief.passes else MOVED
        nearer = self._nearer(at, belief)
        return MENDS if belief.passes else CLOSER if nearer > SLIGHT else SAME if abs(nearer) <= SLIGHT else MOVED


def _moved(beliefs: Sequence[Belief | None], shows: Sequence[float]) -> tuple[str, ...]:
    """The results that an edit changed, as far as they were imagined; nothing where it changed none."""
    moved = any(show in (MENDS, CLOSER, MOVED) for show in shows)
    return tuple("" if belief is None else belief.value for belief in beliefs) if moved else ()

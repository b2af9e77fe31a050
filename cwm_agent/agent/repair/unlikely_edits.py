"""More to try when the edits of every day are spent: many unlikely edits, and conditions for what is half right.

A candidate that mends a failing test and breaks others is often what was forgotten, without its condition. So the same
edit is tried again under every question that can be asked at its place; it takes one of two ways that were imagined
before, so this costs little but the question itself. Knows the world's beliefs and no search.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.edit_ranking import Policy, own_edits, weighed
from cwm_agent.agent.repair.proposal import Proposal, joined
from cwm_agent.agent.repair.repair_model import Candidate
from envs.domains.repair_core import RepairCore, unlikely_edits_of
from envs.editing.class_priors import is_likely, prior_of
from envs.editing.edit import Edit
from envs.editing.unlikely.guarded_edits import accepts_condition, conditional_edits

SHORT = 20
"""Characters of an edit beyond which it is half as likely."""
MOST_PAIRED = 24
"""Edits of one line that are tried two at a time: the likeliest."""
WORTH_A_CONDITION = 0.25
"""How much more a candidate must mend than break, as shares, to be tried under conditions before other edits are."""


@dataclass(slots=True)
class UnlikelyEdits:
    """What is tried beyond the edits of every day, the most promising first."""

    core: RepairCore
    marks: tuple[bool | None, ...]
    suspicion: Mapping[int, float]
    policy: Policy | None = None
    _half: list[tuple[float, Candidate]] = field(default_factory=list)
    """Candidates that wait for their conditions, with what each mends less what it breaks."""
    _near: deque[Proposal] = field(default_factory=deque)
    _wide: deque[Proposal] | None = None
    _pairs: Iterator[Proposal] = field(default_factory=lambda: iter(()))

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate in mind if it is half right."""
        worth = half_right(candidate.beliefs, self.marks)
        if worth is not None and len(candidate.state.patch) == 1 and accepts_condition(candidate.state.patch[0]):
            self._half.append((worth, candidate))

    def next(self, count: int, wanted: tuple[int, ...] = ()) -> list[Proposal]:
        """So many proposals, fewer when nothing is left: a quarter are conditions of half-right candidates.

        `wanted` are failing tests that nothing mends so far: unlikely edits are imagined on these first.
        """
        if self._wide is None:
            self._wide, self._pairs = deque(self._listed()), self._paired()
        while len(self._near) < count and self._half:
            best = max(range(len(self._half)), key=lambda at: self._half[at][0])
            if self._half[best][0] < WORTH_A_CONDITION and self._wide:
                break
            self._near.extend(self._under_conditions(self._half.pop(best)[1]))
        near = _taken(self._near, (count + 3) // 4)
        wide = [replace(each, first=wanted) for each in _taken(self._wide, count - len(near))]
        rest = _taken(self._near, count - len(near) - len(wide))
        pairs = islice(self._pairs, max(0, count - len(near) - len(wide) - len(rest)))
        return [*near, *wide, *rest, *pairs]

    def _listed(self) -> list[Proposal]:
        """The policy's own edits, what the search left of those of every day, and the wide ones, the likeliest first.

        Chances are on the scale of the world's own, where the edits of every day add up to one.
        """
        own = own_edits(self.core, self.policy) if self.policy else []
        listed = (*own, *self.core.actions(self.core.initial()), *unlikely_edits_of(self.core))
        logprobs = self.policy.logprobs(self.core.source, listed) if self.policy else None
        found = list(zip(listed, weighed(listed, self.suspicion, logprobs), strict=True))
        total = sum(weight for edit, weight in found if is_likely([edit])) or 1.0
        ranked = sorted(found, key=lambda pair: -pair[1])
        return [Proposal(edit, weight / total) for edit, weight in ranked]

    def _paired(self) -> Iterator[Proposal]:
        """Two likely edits of one line, neither of which helps alone: the most suspicious lines first."""
        lines: dict[int, list[Edit]] = {}
        for edit in self.core.actions(self.core.initial()):  # the likeliest classes first
            lines.setdefault(edit.line, []).append(edit)
        for line in sorted(lines, key=lambda each: -self.suspicion.get(each, 0.0)):
            for one, other in combinations(lines[line][:MOST_PAIRED], 2):
                prior = prior_of(one.operator) * prior_of(other.operator)
                if proposal := joined(self.core, (one, other), prior):
                    yield proposal

    def _under_conditions(self, candidate: Candidate) -> Iterator[Proposal]:
        """One edit under each condition, imagined first on a test that it mends and then on one that it breaks."""
        mended = [at for at, belief in enumerate(candidate.beliefs) if belief and belief.passes and not self.marks[at]]
        [edit] = candidate.state.patch
        for each in conditional_edits(self.core.source, edit):
            chance = prior_of(each.operator) * SHORT / (SHORT + len(each.after))  # of two conditions the shorter
            yield Proposal(each, candidate.prior * chance, tuple(mended[:1]))


def half_right(beliefs: Sequence[Belief | None], marks: Sequence[bool | None]) -> float | None:
    """How much more a candidate mends than it breaks, as shares; None where it mends nothing or breaks nothing."""
    verdicts = [None if belief is None else belief.passes for belief in beliefs]
    mended = sum(passes is True and not mark for passes, mark in zip(verdicts, marks, strict=True))
    broken = sum(passes is False and bool(mark) for passes, mark in zip(verdicts, marks, strict=True))
    failing = sum(not mark for mark in marks)
    if not mended or not broken:
        return None
    return mended / failing - broken / max(1, len(marks) - failing)


def _taken(queue: deque[Proposal], count: int) -> list[Proposal]:
    """The first of a queue, so many at most."""
    return [queue.popleft() for _ in range(min(len(queue), count))]

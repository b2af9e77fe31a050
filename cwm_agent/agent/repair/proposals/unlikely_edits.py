"""Proposes unlikely edits, and conditions for candidates that fix some tests and break others.

A candidate that fixes a failing test and breaks others is often the missing code without its condition. So the same
edit is tried again under every condition that can be formed at its place. This is cheap: each test takes one of two
branches that were imagined before. Knows the model's beliefs and no search.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.edit_ranking import Policy
from cwm_agent.agent.repair.evidence.run_evidence import RunEvidence
from cwm_agent.agent.repair.proposals.proposal import Proposal, joined
from cwm_agent.agent.repair.proposals.ranked_edits import RankedEdits
from envs.domains.repair_core import RepairCore
from envs.editing.class_priors import prior_of
from envs.editing.edit import Edit
from envs.editing.unlikely.guarded_edits import accepts_condition, conditional_edits

SHORT = 20
"""Characters of a conditional edit at which its prior is halved."""
MOST_PAIRED = 24
"""Edits of one line that are tried in pairs: the likeliest."""
LEAST_GAIN = 0.25
"""Net gain from which a candidate is tried under conditions before the unlikely edits are used up."""


@dataclass(slots=True)
class UnlikelyEdits:
    """Proposals beyond the likely edits, the likeliest first."""

    core: RepairCore
    marks: tuple[bool | None, ...]
    suspicion: Mapping[int, float]
    policy: Policy | None = None
    evidence: RunEvidence | None = None
    _partly_right: list[tuple[float, Candidate]] = field(default_factory=list)
    """Candidates that were not tried under conditions yet, with their net gain."""
    _conditional: deque[Proposal] = field(default_factory=deque)
    _ranked: RankedEdits = field(init=False)
    _pairs: Iterator[Proposal] = field(init=False)

    def __post_init__(self) -> None:
        self._ranked = RankedEdits(self.core, self.suspicion, self.policy, self.evidence)
        self._pairs = self._pairs_of_a_line()

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate of one edit that fixes some tests and breaks others."""
        gain = net_gain(candidate.verdicts, self.marks)
        if gain is not None and len(candidate.state.patch) == 1 and accepts_condition(candidate.state.patch[0]):
            self._partly_right.append((gain, candidate))

    def next(self, count: int, first_tests: tuple[int, ...] = ()) -> list[Proposal]:
        """Up to `count` proposals; a quarter of them put a kept candidate under a condition.

        `first_tests` are failing tests that no candidate fixes yet: unlikely edits are imagined on these first.
        """
        while len(self._conditional) < count and self._partly_right:
            best = max(range(len(self._partly_right)), key=lambda at: self._partly_right[at][0])
            if self._partly_right[best][0] < LEAST_GAIN and not self._ranked.spent:
                break
            self._conditional.extend(self._under_conditions(self._partly_right.pop(best)[1]))
        conditional = _take(self._conditional, (count + 3) // 4)
        left = count - len(conditional)
        unlikely = [replace(each, first_tests=first_tests) for each in self._ranked.take(left)]
        left -= len(unlikely)
        rest = _take(self._conditional, left)
        pairs = islice(self._pairs, max(0, left - len(rest)))
        return [*conditional, *unlikely, *rest, *pairs]

    def _pairs_of_a_line(self) -> Iterator[Proposal]:
        """Two likely edits of one line, for lines that need both: the most suspicious lines first."""
        lines: dict[int, list[Edit]] = {}
        for edit in self.core.actions(self.core.initial()):  # the likeliest classes first
            lines.setdefault(edit.line, []).append(edit)
        for line in sorted(lines, key=lambda each: -self.suspicion.get(each, 0.0)):
            for one, other in combinations(lines[line][:MOST_PAIRED], 2):
                prior = prior_of(one.operator) * prior_of(other.operator)
                if proposal := joined(self.core, (one, other), prior):
                    yield proposal

    def _under_conditions(self, candidate: Candidate) -> Iterator[Proposal]:
        """A candidate's edit under each condition, imagined first on a test that the edit fixes."""
        fixed = [at for at, passes in enumerate(candidate.verdicts) if passes and not self.marks[at]]
        [edit] = candidate.state.patch
        for each in conditional_edits(self.core.source, edit):
            chance = prior_of(each.operator) * SHORT / (SHORT + len(each.after))  # of two conditions the shorter
            yield Proposal(each, candidate.prior * chance, tuple(fixed[:1]))


def net_gain(verdicts: Sequence[bool | None], marks: Sequence[bool | None]) -> float | None:
    """Share of the failing tests that a candidate fixes less the share of the passing ones that it breaks.

    None where it fixes none or breaks none.
    """
    fixed = sum(passes is True and not mark for passes, mark in zip(verdicts, marks, strict=True))
    broken = sum(passes is False and bool(mark) for passes, mark in zip(verdicts, marks, strict=True))
    failing = sum(not mark for mark in marks)
    if not fixed or not broken:
        return None
    return fixed / failing - broken / max(1, len(marks) - failing)


def _take(queue: deque[Proposal], count: int) -> list[Proposal]:
    """Remove and return the first proposals of a queue, at most `count`."""
    return [queue.popleft() for _ in range(min(len(queue), count))]

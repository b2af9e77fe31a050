"""Joins edits that each fix some failing tests and break none: repairs of several places.

A search by depth would list all edits again behind each of these; here their effects are known already. Knows beliefs
and places of edits, and no search.
"""

import math
from dataclasses import dataclass, field
from itertools import combinations, product

from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.proposals.proposal import Proposal, joined
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit

MOST_OF_GROUP = 4
"""Candidates kept of those that fix the same tests: the ones with the highest prior."""
MOST_GROUPS = 24
"""Groups that are combined: those that fix most tests."""
MOST_COMBINATIONS = 64
"""Combinations that are proposed before new candidates are waited for."""


@dataclass(slots=True)
class Combination:
    """Candidates of one edit that are better than the buggy program, grouped by the tests they fix."""

    core: RepairCore
    marks: tuple[bool | None, ...]
    most_edits: int
    """Edits that a patch may have."""
    _groups: dict[frozenset[int], list[Candidate]] = field(default_factory=dict)
    _proposed: set[frozenset[Edit]] = field(default_factory=set)
    _changed: bool = False

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate of one edit that fixes a test and breaks none."""
        verdicts = candidate.verdicts
        fixed = frozenset(at for at, passes in enumerate(verdicts) if passes and not self.marks[at])
        breaks = any(mark and passes is not True for mark, passes in zip(self.marks, verdicts, strict=True))
        if fixed and not breaks and len(candidate.state.patch) == 1:
            group = self._groups.setdefault(fixed, [])
            group.append(candidate)
            group.sort(key=lambda each: -each.prior)
            self._changed |= candidate in group[:MOST_OF_GROUP]
            del group[MOST_OF_GROUP:]

    def next(self, count: int) -> list[Proposal]:
        """Up to `count` programs that join such edits; none unless a new candidate was kept."""
        if not self._changed or count <= 0:
            return []
        found: list[Proposal] = []
        for edits, prior in self._combinations():
            key = frozenset(edits)
            if key not in self._proposed and (proposal := joined(self.core, edits, prior)):
                self._proposed.add(key)
                found.append(proposal)
            if len(found) == count:
                return found
        self._changed = False
        return found

    def unfixed_tests(self) -> frozenset[int]:
        """Failing tests that no kept candidate fixes."""
        failing = frozenset(at for at, mark in enumerate(self.marks) if not mark)
        return failing - frozenset().union(*self._groups)

    def _combinations(self) -> list[tuple[tuple[Edit, ...], float]]:
        """Edits that together fix every test that any kept candidate fixes, with the product of their priors.

        The highest product comes first. A test that no candidate fixes alone may need several of them.
        """
        fixable = frozenset().union(*self._groups)
        groups = sorted(self._groups, key=lambda fixed: -len(fixed))[:MOST_GROUPS]
        found: list[tuple[tuple[Edit, ...], float]] = []
        for size in range(2, self.most_edits + 1):
            for some in combinations(groups, size):
                if frozenset().union(*some) != fixable or _has_redundant(some):
                    continue
                for each in product(*(self._groups[fixed] for fixed in some)):
                    edits = tuple(edit for candidate in each for edit in candidate.state.patch)
                    found.append((edits, math.prod(candidate.prior for candidate in each)))
        return sorted(found, key=lambda pair: -pair[1])[:MOST_COMBINATIONS]


def _has_redundant(groups: tuple[frozenset[int], ...]) -> bool:
    """Whether the tests of one group are all fixed by the other groups."""
    return any(each <= frozenset().union(*(other for other in groups if other is not each)) for each in groups)

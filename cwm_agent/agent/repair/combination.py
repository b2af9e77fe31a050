"""Edits that each mend some of the failing tests and break none, made together: repairs of several places.

A search by depth would list all edits anew behind each of them; these are known already. Knows beliefs and places, and
no search.
"""

import math
from dataclasses import dataclass, field
from itertools import combinations, product

from cwm_agent.agent.repair.proposal import Proposal, joined
from cwm_agent.agent.repair.repair_model import Candidate
from envs.domains.repair_core import RepairCore
from envs.editing.edit import Edit

ALIKE = 4
"""Candidates kept of those that mend the same tests: the likeliest."""
MOST_GROUPS = 24
"""Sets of tests that candidates are kept for: those that mend most."""
MOST_AT_ONCE = 64
"""Joined programs that are proposed before further candidates are waited for."""


@dataclass(slots=True)
class Combination:
    """Candidates of one edit that are better than the buggy program, by the tests they mend."""

    core: RepairCore
    marks: tuple[bool | None, ...]
    most: int
    """Edits that a patch may have."""
    _alike: dict[frozenset[int], list[Candidate]] = field(default_factory=dict)
    _proposed: set[frozenset[Edit]] = field(default_factory=set)
    _changed: bool = False

    def notice(self, candidate: Candidate) -> None:
        """Keep a candidate of one edit that mends something and breaks nothing."""
        verdicts = [None if belief is None else belief.passes for belief in candidate.beliefs]
        mended = frozenset(at for at, passes in enumerate(verdicts) if passes and not self.marks[at])
        broken = any(mark and passes is not True for mark, passes in zip(self.marks, verdicts, strict=True))
        if mended and not broken and len(candidate.state.patch) == 1:
            alike = self._alike.setdefault(mended, [])
            alike.append(candidate)
            alike.sort(key=lambda each: -each.prior)
            self._changed |= candidate in alike[:ALIKE]
            del alike[ALIKE:]

    def next(self, count: int) -> list[Proposal]:
        """Programs that join such edits; none unless something new was seen."""
        if not self._changed or count <= 0:
            return []
        found: list[Proposal] = []
        for edits, prior in self._covering():
            key = frozenset(edits)
            if key not in self._proposed and (proposal := joined(self.core, edits, prior)):
                self._proposed.add(key)
                found.append(proposal)
            if len(found) == count:
                return found
        self._changed = False
        return found

    def unexplained(self) -> frozenset[int]:
        """Failing tests that no candidate of one edit mends without harm."""
        failing = frozenset(at for at, mark in enumerate(self.marks) if not mark)
        return failing - frozenset().union(*self._alike)

    def _covering(self) -> list[tuple[tuple[Edit, ...], float]]:
        """Edits that mend together all that any of them mends, with their priors multiplied; the likeliest first.

        A test that none mends alone may need several of them.
        """
        explained = frozenset().union(*self._alike)
        groups = sorted(self._alike, key=lambda mended: -len(mended))[:MOST_GROUPS]
        found: list[tuple[tuple[Edit, ...], float]] = []
        for size in range(2, self.most + 1):
            for some in combinations(groups, size):
                if frozenset().union(*some) != explained or _is_idle(some):
                    continue
                for each in product(*(self._alike[mended] for mended in some)):
                    edits = tuple(edit for candidate in each for edit in candidate.state.patch)
                    found.append((edits, math.prod(candidate.prior for candidate in each)))
        return sorted(found, key=lambda pair: -pair[1])[:MOST_AT_ONCE]


def _is_idle(groups: tuple[frozenset[int], ...]) -> bool:
    """Whether one of some sets of tests is mended by the others already."""
    return any(each <= frozenset().union(*(other for other in groups if other is not each)) for each in groups)

"""All edits of the buggy program in the order of their priors, ranked in stages as far as they are taken.

The policy takes seconds to score thousands of edits to their end, and most searches take few of them. So nothing is
ranked before the first edit is taken, and the policy scores few edits first: those with the likeliest beginnings. It
scores more before half of them are taken, since an edit with an unlikely beginning may belong there. Knows no beliefs.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from cwm_agent.agent.repair.edit_ranking import Policy, edit_priors, policy_edits
from cwm_agent.agent.repair.evidence.run_evidence import RunEvidence
from cwm_agent.agent.repair.proposals.proposal import Proposal
from envs.domains.repair_core import RepairCore, unlikely_edits_of
from envs.editing.class_priors import is_likely
from envs.editing.edit import Edit
from envs.editing.fingerprint import fingerprint

STAGES = (500, 2_000)
"""Edits that the policy scores to their end: the first number until half as many are taken, then the second."""


@dataclass(slots=True)
class RankedEdits:
    """The policy's own edits, the likely edits and the unlikely ones, the likeliest first, each program taken once."""

    core: RepairCore
    suspicion: Mapping[int, float]
    policy: Policy | None = None
    evidence: RunEvidence | None = None
    _listed: tuple[Edit, ...] = ()
    """All edits, once the first is taken."""
    _scored: int = 0
    """How many of them the policy was asked to score to their end; 0 before they are ranked."""
    _left: deque[Proposal] = field(default_factory=deque)
    _seen: set[Edit] = field(default_factory=set)
    """The edits that were taken, and those that were passed over since they make no new program."""
    _programs: set[bytes | None] = field(default_factory=set)
    """Fingerprints of the buggy program and of those that the taken edits make."""
    _taken: int = 0

    @property
    def spent(self) -> bool:
        """Whether every edit was taken; before they are ranked this is not known."""
        return self._scored > 0 and not self._left

    def take(self, count: int) -> list[Proposal]:
        """The next edits, at most `count`."""
        if count <= 0:
            return []
        self._rank(self._taken + count)
        found: list[Proposal] = []
        while self._left and len(found) < count:
            proposal = self._left.popleft()
            self._seen.add(proposal.edit)
            if self._makes_new_program(proposal.edit):
                found.append(proposal)
        self._taken += len(found)
        return found

    def _makes_new_program(self, edit: Edit) -> bool:
        """Whether an edit compiles, and no edit taken before makes the same program.

        This is asked of edits that are taken: to compile all of the thousands takes seconds.
        """
        if not self._programs:
            self._programs.add(fingerprint(self.core.source))
        result = fingerprint(edit.apply(self.core.source))
        new = result is not None and result not in self._programs
        self._programs.add(result)
        return new

    def _rank(self, taken: int) -> None:
        """Rank the edits that are left, if so many are too many to be taken by the scores known so far."""
        stage = next((each for each in STAGES if 2 * taken <= each), STAGES[-1])
        if stage > self._scored:
            self._listed, self._scored = self._listed or self._all_edits(), stage
            self._left = deque(each for each in self._proposals() if each.edit not in self._seen)

    def _all_edits(self) -> tuple[Edit, ...]:
        own = policy_edits(self.core, self.policy) if self.policy else []
        return (*own, *self.core.actions(self.core.initial()), *unlikely_edits_of(self.core, compiled=False))

    def _proposals(self) -> list[Proposal]:
        """All edits, those with the highest prior first.

        Priors are scaled as the model's are: those of the likely edits add up to one.
        """
        edits, logprobs = self._listed, None
        if self.policy:
            logprobs = self.policy.logprobs(self.core.source, edits, complete=self._scored)
        factors = None if self.evidence is None else self.evidence.factors(edits)
        found = list(zip(edits, edit_priors(edits, self.suspicion, logprobs, factors), strict=True))
        total = sum(prior for edit, prior in found if is_likely([edit])) or 1.0
        ranked = sorted(found, key=lambda pair: -pair[1])
        return [Proposal(edit, prior / total) for edit, prior in ranked]

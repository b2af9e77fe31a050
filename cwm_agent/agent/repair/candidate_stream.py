"""Candidates imagined side by side: leaves of the planner's search, and proposals derived from beliefs.

Any planner walks the likely edits. Beside it, edits that each fix something are combined, candidates that fix some
failing tests and break none are extended, dropped candidates are imagined on other failing tests, and unlikely edits
are tried after enough failed candidates. A stream that lists has a closed model, which imagines nothing: all sources
propose as usual, and learn from the candidates that were really run. Knows no budget.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cwm_agent.agent.domain import Correction, Finding
from cwm_agent.agent.repair.candidate import Candidate
from cwm_agent.agent.repair.proposals.combination import Combination
from cwm_agent.agent.repair.proposals.extension import Extension
from cwm_agent.agent.repair.proposals.proposal import Proposal
from cwm_agent.agent.repair.proposals.unlikely_edits import UnlikelyEdits
from cwm_agent.agent.repair.repair_model import ImaginedRepair
from cwm_agent.agent.settings import CandidateSource, Settings
from envs.domains.repair_core import RepairState
from envs.editing.edit import Edit
from planners import Leaf, Refused

UNLIKELY_AFTER = 600
"""Failed candidates before unlikely edits are tried as well."""
UNLIKELY_WITH_POLICY = 128
"""The same where a policy ranks the unlikely edits."""
EXTEND_AFTER = 300
"""Failed candidates before candidates that fix some tests are extended."""
MOST_FIRST_TESTS = 3
"""Failing tests that an unlikely edit is imagined on before it is dropped."""
UNDER_WAY = 256
"""Candidates begun and not finished; most of them wait, since they turned out expensive."""
FEW_UNDER_WAY = 16
"""Candidates under way below which unlikely edits are tried as well, if the search has no leaf left."""
CLOSED_AT_ONCE = 64
"""Candidates listed by their priors alone, once nothing can be imagined any more."""


@dataclass(slots=True)
class CandidateStream:
    """Candidates under way over one model: leaves of a search, and proposals of its own."""

    world: ImaginedRepair
    combination: Combination
    extension: Extension
    lists: bool = False
    """Whether candidates are listed without being imagined."""
    without: frozenset[CandidateSource] = frozenset()
    """Sources that are switched off."""
    unlikely: UnlikelyEdits | None = None
    """Unlikely edits, once enough likely ones failed."""
    _to_resume: deque[Candidate] = field(default_factory=deque)
    """Dropped candidates that are to be imagined on other failing tests."""
    _leaves: dict[str, list[tuple[Leaf[RepairState, Edit], RepairState]]] = field(default_factory=dict)
    """Leaves of the search, with the edited program that is being imagined for each, by source."""

    @classmethod
    def begun(cls, world: ImaginedRepair, settings: Settings) -> "CandidateStream":
        """A new stream over patches of as many edits as the settings allow."""
        edits = settings.budget.edits
        extension = Extension(
            world.core,
            marks=world.marks,
            original_scores=world.original_scores,
            order=world.order,
            most_edits=edits,
            suspicion=world.suspicion,
            covered=world.covered,
        )
        initial = world.core.initial()
        extension.add_unknown(zip(world.actions(initial), world.prior(initial) or (), strict=False))
        world.open = not settings.lists
        combination = Combination(world.core, world.marks, edits)
        return cls(world, combination, extension, lists=settings.lists, without=frozenset(settings.without))

    def room(self) -> int:
        """How many leaves the search may be asked for; the rest of the room is for proposals."""
        if not self.world.open and not self.lists:
            return CLOSED_AT_ONCE
        room = UNDER_WAY - len(self.world.under_way)
        if self.unlikely is not None:
            return -(-room // 4) if self._extends else -(-room // 3)
        return -(-room * 3 // 4) if self._extends else room

    def imagine(self, leaves: Sequence[Leaf[RepairState, Edit]]) -> list[Finding[RepairState, Edit]]:
        """Begin leaves, imagine all candidates under way further, and return findings for those that finished."""
        refused = [found for leaf in leaves if (found := self._begin(leaf)) is not None]
        known = self._findings([source for source in self._leaves if source in self.world.seen])
        return [*refused, *known, *self._findings(self.world.advance())]

    def close(self) -> list[Finding[RepairState, Edit]]:
        """Finish all candidates under way with the beliefs they have, and imagine nothing from now on."""
        self.world.open = False
        return self._findings(self.world.finish_all())

    def _begin(self, leaf: Leaf[RepairState, Edit]) -> Finding[RepairState, Edit] | None:
        """Begin one leaf; return a finding at once where its edit cannot be made."""
        edited = self.world.begin(leaf.state, leaf.action)
        if isinstance(edited, Refused):
            return leaf, edited
        self._leaves.setdefault(edited.source, []).append((leaf, edited))
        return None

    def propose(self, asked: int) -> bool:
        """Begin proposals in the room that `asked` leaves of the search leave; whether there were any."""
        free = UNDER_WAY - len(self.world.under_way)
        return self._propose(free - asked, exhausted=bool(free) and not asked) > 0

    def _propose(self, room: int, *, exhausted: bool) -> int:
        """Begin proposals and return how many; `exhausted` says that the search has no leaf left."""
        if self._starts_unlikely(exhausted):
            self._start_unlikely()
        if exhausted and not self._to_resume and not self.world.under_way:
            self._to_resume.extend(self.world.dropped())
        found = [] if "combination" in self.without else self.combination.next(room)
        resumed = [self._to_resume.popleft() for _ in range(min(len(self._to_resume), room - len(found)))]
        for candidate in resumed:
            self.world.resume(candidate)
        if self._extends:
            left = room - len(found) - len(resumed)
            found += self.extension.next(left if self.unlikely is None else left // 3)
        if self.unlikely is not None:
            found += self.unlikely.next(room - len(found) - len(resumed), self._first_tests())
        for proposal in found:
            self._begin_proposed(proposal)
        return len(found) + len(resumed)

    @property
    def _extends(self) -> bool:
        allowed = "extension" not in self.without
        return allowed and bool(self.extension) and len(self.world.seen) >= EXTEND_AFTER

    def learn(self, judged: Candidate) -> None:
        """Let the sources of candidates see a candidate that was really run; its beliefs are the real verdicts."""
        source = judged.state.source
        if "extension" not in self.without and (listed := self.world.seen.get(source)):
            self.world.seen[source] = replace(listed, prior=judged.prior)
        self._notice(judged)

    def _begin_proposed(self, proposal: Proposal) -> None:
        state = proposal.state or self.world.core.initial()
        edited = self.world.begin(state, proposal.edit, prior=proposal.prior, first_tests=proposal.first_tests)
        if proposal.edits and not isinstance(edited, Refused):
            self.extension.joined_edits[edited.source] = proposal.edits

    @property
    def _unlikely_after(self) -> int:
        return UNLIKELY_WITH_POLICY if self.world.policy else UNLIKELY_AFTER

    def _starts_unlikely(self, exhausted: bool) -> bool:
        """Whether unlikely edits begin now: likely ones failed often enough, or hardly one is left.

        A short program has few likely edits, which are all under way at once: the policy ranks thousands of unlikely
        ones for seconds, so they wait until most of these have ended.
        """
        if self.unlikely is not None or "unlikely" in self.without:
            return False
        idle = exhausted and len(self.world.under_way) < FEW_UNDER_WAY
        return idle or len(self.world.seen) >= self._unlikely_after

    def _start_unlikely(self) -> None:
        """Propose unlikely edits from now on, and resume candidates that were dropped after one failing test."""
        self.unlikely = UnlikelyEdits(
            self.world.core, self.world.marks, self.world.suspicion, self.world.policy, self.world.evidence
        )
        for candidate in self.world.seen.values():
            self.unlikely.notice(candidate)
        self._to_resume.extend(self.world.dropped())

    def _first_tests(self) -> tuple[int, ...]:
        """The first failing tests that no candidate fixes yet."""
        unfixed = self.combination.unfixed_tests()
        return tuple(at for at in self.world.order if at in unfixed)[:MOST_FIRST_TESTS]

    def _findings(self, sources: Sequence[str]) -> list[Finding[RepairState, Edit]]:
        """Answers for the leaves of candidates that finished; the sources of proposals notice these candidates."""
        found: list[Finding[RepairState, Edit]] = []
        for source in sources:
            candidate = self.world.seen[source]
            self._notice(candidate)
            leaves = self._leaves.pop(source, [])
            found += [(leaf, self.world.answer(edited)) for leaf, edited in leaves]
            if not leaves and (answer := self.world.answer(candidate.state)).end is None:
                found.append(Correction(candidate.state.patch, answer))  # resumed, or proposed beside the search
        return found

    def _notice(self, candidate: Candidate) -> None:
        """Let the sources of proposals see a candidate."""
        self.combination.notice(candidate)
        self.extension.notice(candidate)
        if self.unlikely is not None:
            self.unlikely.notice(candidate)

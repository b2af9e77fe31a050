"""Candidates imagined at the same time: leaves of the planner's search, and proposals that the beliefs suggest.

Any planner walks the likely edits, one after the other. Beside it, edits that each fix something are combined,
candidates that fix some failing tests and break none are extended, discarded candidates are imagined on other failing
tests, and unlikely edits are tried after enough failed candidates. Knows no real run and no budget: a closed world
imagines nothing.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from cwm_agent.agent.domain import Correction, Finding
from cwm_agent.agent.repair.combination import Combination
from cwm_agent.agent.repair.extension import Extension
from cwm_agent.agent.repair.proposal import Proposal
from cwm_agent.agent.repair.repair_model import Candidate, ImaginedRepair
from cwm_agent.agent.repair.unlikely_edits import UnlikelyEdits
from envs.domains.repair_core import RepairState
from envs.editing.edit import Edit
from planners import Leaf, Refused

UNLIKELY_AFTER = 600
"""Failed candidates before unlikely edits are tried as well."""
UNLIKELY_WITH_POLICY = 128
"""The same where a policy ranks the unlikely edits."""
EXTEND_AFTER = 300
"""Failed candidates before candidates that fix some tests are extended."""
MOST_WANTED = 3
"""Failing tests that an unlikely edit is imagined on before it is dropped."""
UNDER_WAY = 256
"""Candidates begun and not finished; most of them wait, since they turned out expensive."""
CLOSED_AT_ONCE = 64
"""Candidates listed by their priors alone, once nothing can be imagined any more."""


@dataclass(slots=True)
class CandidateStream:
    """Candidates under way over one world: leaves of a search, and proposals of its own."""

    world: ImaginedRepair
    combination: Combination
    extension: Extension
    unlikely: UnlikelyEdits | None = None
    """Unlikely edits, once the likely ones were tried."""
    _again: deque[Candidate] = field(default_factory=deque)
    """Candidates that failed one test and are to be tried on others."""
    _asked: dict[str, list[tuple[Leaf[RepairState, Edit], RepairState]]] = field(default_factory=dict)
    """Leaves of the search, with the edited program that is being imagined for each, by source."""

    @classmethod
    def begun(cls, world: ImaginedRepair, edits: int) -> "CandidateStream":
        """A new stream over patches of so many edits."""
        extension = Extension(world.core, world.marks, world.before, world.order, edits, world.suspicion, world.covered)
        initial = world.core.initial()
        extension.expect(zip(world.actions(initial), world.prior(initial) or (), strict=False))
        return cls(world, Combination(world.core, world.marks, edits), extension)

    def room(self) -> int:
        """How many leaves the search may be asked for; the rest of the room is for proposals."""
        if not self.world.open:
            return CLOSED_AT_ONCE
        room = UNDER_WAY - len(self.world.under_way)
        if self.unlikely is not None:
            return -(-room // 4) if self._extends else -(-room // 3)
        return -(-room * 3 // 4) if self._extends else room

    def imagine(self, leaves: Sequence[Leaf[RepairState, Edit]]) -> list[Finding[RepairState, Edit]]:
        """Begin leaves, imagine all that are under way further, and return what came to an end."""
        refused = [found for leaf in leaves if (found := self._begin(leaf)) is not None]
        known = self._findings([source for source in self._asked if source in self.world.seen])
        return [*refused, *known, *self._findings(self.world.advance())]

    def close(self) -> list[Finding[RepairState, Edit]]:
        """Take all that are under way as they are, and imagine nothing from now on."""
        self.world.open = False
        return self._findings(self.world.give_up())

    def _begin(self, leaf: Leaf[RepairState, Edit]) -> Finding[RepairState, Edit] | None:
        """Begin one leaf; a finding at once where its edit cannot be made."""
        edited = self.world.begin(leaf.state, leaf.action)
        if isinstance(edited, Refused):
            return leaf, edited
        self._asked.setdefault(edited.source, []).append((leaf, edited))
        return None

    def propose(self, asked: int) -> bool:
        """Begin candidates that no search asks for, in the room that `asked` leaves leave; whether there were any."""
        free = UNDER_WAY - len(self.world.under_way)
        return self._propose(free - asked, spent=bool(free) and not asked) > 0

    def _propose(self, room: int, *, spent: bool) -> int:
        """Begin with candidates that no search asks for; how many were begun."""
        if self.unlikely is None and (spent or len(self.world.seen) >= self._unlikely_after):
            self._begin_unlikely()
        if spent and not self._again and not self.world.under_way:
            self._again.extend(self.world.dropped())
        found = self.combination.next(room)
        again = [self._again.popleft() for _ in range(min(len(self._again), room - len(found)))]
        for candidate in again:
            self.world.look_again(candidate)
        if self._extends:
            left = room - len(found) - len(again)
            found += self.extension.next(left if self.unlikely is None else left // 3)
        if self.unlikely is not None:
            found += self.unlikely.next(room - len(found) - len(again), self._wanted())
        for each in found:
            self._begin_proposed(each)
        return len(found) + len(again)

    @property
    def _extends(self) -> bool:
        return bool(self.extension) and len(self.world.seen) >= EXTEND_AFTER

    def _begin_proposed(self, each: Proposal) -> None:
        edited = self.world.begin(each.state or self.world.core.initial(), each.edit, each.prior, each.first)
        if each.edits and not isinstance(edited, Refused):
            self.extension.made[edited.source] = each.edits

    @property
    def _unlikely_after(self) -> int:
        return UNLIKELY_WITH_POLICY if self.world.policy else UNLIKELY_AFTER

    def _begin_unlikely(self) -> None:
        """Try unlikely edits from now on, and look again at candidates that were dropped after one failing test."""
        self.unlikely = UnlikelyEdits(self.world.core, self.world.marks, self.world.suspicion, self.world.policy)
        for candidate in self.world.seen.values():
            self.unlikely.notice(candidate)
        self._again.extend(self.world.dropped())

    def _wanted(self) -> tuple[int, ...]:
        """The first failing tests that nothing mends so far."""
        unexplained = self.combination.unexplained()
        return tuple(at for at in self.world.order if at in unexplained)[:MOST_WANTED]

    def _findings(self, sources: Sequence[str]) -> list[Finding[RepairState, Edit]]:
        """Answers for the leaves of candidates that came to their end; proposers take note of them."""
        found: list[Finding[RepairState, Edit]] = []
        for source in sources:
            candidate = self.world.seen[source]
            self.combination.notice(candidate)
            self.extension.notice(candidate)
            if self.unlikely is not None:
                self.unlikely.notice(candidate)
            asked = self._asked.pop(source, [])
            found += [(leaf, self.world.answer(edited)) for leaf, edited in asked]
            if not asked and (answer := self.world.answer(candidate.state)).end is None:
                found.append(Correction(candidate.state.patch, answer))  # imagined once more, on other tests
        return found

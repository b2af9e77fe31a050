"""Candidates imagined as others end: those the tree search asks for, and those that the beliefs themselves suggest.

The search walks the edits of every day, one behind the other. Beside it edits that each mend something are joined, half
repairs are gone on from, dropped candidates are looked at again on other failing tests, and when the likely edits are
spent, unlikely ones and conditions come. Knows no real run and no budget: a closed world imagines nothing more.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from cwm_agent.agent.repair.combination import Combination
from cwm_agent.agent.repair.extension import Extension
from cwm_agent.agent.repair.proposal import Proposal
from cwm_agent.agent.repair.repair_model import Candidate, ImaginedRepair
from cwm_agent.agent.repair.unlikely_edits import UnlikelyEdits
from envs.domains.repair_core import RepairState
from envs.editing.edit import Edit
from planners import MCTS, BadOption, Leaf, Limits, Refused, Step, TreeSearch, correct

WIDEN_AFTER = 600
"""Candidates imagined in vain before unlikely edits are tried as well."""
WIDEN_BY_POLICY = 128
"""The same where a policy tells which of them are not so unlikely."""
DEEPEN_AFTER = 300
"""Candidates imagined in vain before half repairs are gone on from."""
MOST_WANTED = 3
"""Failing tests that an unlikely edit is imagined on before it is dropped."""
UNDER_WAY = 256
"""Candidates begun and not yet at their end; most of them wait, since they turned out dear."""
CLOSED_AT_ONCE = 64
"""Candidates listed by their priors alone, once nothing can be imagined any more."""


@dataclass(slots=True)
class CandidateStream:
    """One tree search over a world, with all that is tried beside it."""

    world: ImaginedRepair
    search: TreeSearch[RepairState, Edit]
    joining: Combination
    deepening: Extension
    widening: UnlikelyEdits | None = None
    """Unlikely edits, once the likely ones were tried."""
    _again: deque[Candidate] = field(default_factory=deque)
    """Candidates that failed one test and are to be tried on others."""
    _asked: dict[str, list[tuple[Leaf[RepairState, Edit], RepairState]]] = field(default_factory=dict)
    """What the search asked, with the edited program that is being imagined for it, by source."""

    @classmethod
    def begun(
        cls, world: ImaginedRepair, root: Step[RepairState], planner: MCTS, edits: int, rng: Random
    ) -> "CandidateStream":
        """A new tree over patches of so many edits."""
        search = planner.search(world, root, Limits(depth=edits), rng)
        deepening = Extension(world.core, world.marks, world.before, world.order, edits, world.suspicion, world.covered)
        initial = world.core.initial()
        deepening.expect(zip(world.actions(initial), world.prior(initial) or (), strict=False))
        return cls(world, search, Combination(world.core, world.marks, edits), deepening)

    def advance(self) -> bool:
        """Imagine a few more candidates, or the same ones further; False when there are none left."""
        room, proposed = UNDER_WAY - len(self.world.under_way), 0
        if self.world.open:
            leaves = self.search.ask(self._for_search(room)) if room else []
            proposed = self._propose(room - len(leaves), spent=bool(room) and not leaves)
        else:
            self._tell(self.world.give_up())
            leaves = self.search.ask(CLOSED_AT_ONCE)
        for leaf in leaves:
            self._begin(leaf)
        self._tell([source for source in self._asked if source in self.world.seen])
        self._tell(self.world.advance())
        return bool(leaves or proposed or self.world.under_way)

    def correct(self, state: RepairState, known: Step[RepairState]) -> None:
        """Write what is known of a program over what the search was told of it."""
        with suppress(BadOption):  # other edits led the search to the same program, and it never opened these
            correct(self.search, list(state.patch), known)

    def _begin(self, leaf: Leaf[RepairState, Edit]) -> None:
        edited = self.world.begin(leaf.state, leaf.action)
        if isinstance(edited, Refused):
            self.search.tell([(leaf, edited)])
        else:
            self._asked.setdefault(edited.source, []).append((leaf, edited))

    def _propose(self, room: int, *, spent: bool) -> int:
        """Begin with candidates that no search asks for; how many were begun."""
        if self.widening is None and (spent or len(self.world.seen) >= self._widen_after):
            self._widen()
        if spent and not self._again and not self.world.under_way:
            self._again.extend(self.world.dropped())
        found = self.joining.next(room)
        again = [self._again.popleft() for _ in range(min(len(self._again), room - len(found)))]
        for candidate in again:
            self.world.look_again(candidate)
        if self._deepens:
            left = room - len(found) - len(again)
            found += self.deepening.next(left if self.widening is None else left // 3)
        if self.widening is not None:
            found += self.widening.next(room - len(found) - len(again), self._wanted())
        for each in found:
            self._begin_proposed(each)
        return len(found) + len(again)

    def _for_search(self, room: int) -> int:
        """How many candidates the tree search may ask for; the rest is for half repairs, and later unlikely edits."""
        if self.widening is not None:
            return -(-room // 4) if self._deepens else -(-room // 3)
        return -(-room * 3 // 4) if self._deepens else room

    @property
    def _deepens(self) -> bool:
        return bool(self.deepening) and len(self.world.seen) >= DEEPEN_AFTER

    def _begin_proposed(self, each: Proposal) -> None:
        edited = self.world.begin(each.state or self.world.core.initial(), each.edit, each.prior, each.first)
        if each.edits and not isinstance(edited, Refused):
            self.deepening.made[edited.source] = each.edits

    @property
    def _widen_after(self) -> int:
        return WIDEN_BY_POLICY if self.world.policy else WIDEN_AFTER

    def _widen(self) -> None:
        """Try unlikely edits from now on, and look again at candidates that were dropped after one failing test."""
        self.widening = UnlikelyEdits(self.world.core, self.world.marks, self.world.suspicion, self.world.policy)
        for candidate in self.world.seen.values():
            self.widening.notice(candidate)
        self._again.extend(self.world.dropped())

    def _wanted(self) -> tuple[int, ...]:
        """The first failing tests that nothing mends so far."""
        unexplained = self.joining.unexplained()
        return tuple(at for at in self.world.order if at in unexplained)[:MOST_WANTED]

    def _tell(self, sources: Sequence[str]) -> None:
        """Tell search and proposers what became of the candidates that came to their end."""
        for source in sources:
            candidate = self.world.seen[source]
            self.joining.notice(candidate)
            self.deepening.notice(candidate)
            if self.widening is not None:
                self.widening.notice(candidate)
            asked = self._asked.pop(source, [])
            self.search.tell([(leaf, self.world.answer(edited)) for leaf, edited in asked])
            if not asked and not (answer := self.world.answer(candidate.state)).terminal:
                self.correct(candidate.state, answer)  # one that was looked at again

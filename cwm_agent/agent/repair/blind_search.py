"""Repair without imagination: edits in a fixed order, each run for real; the baseline of planners with an oracle.

baseline               one edit of each class in turn, suspicious lines first (round-robin + Ochiai)
baseline:random        in random order
baseline:prior         by learnt class priors and suspicion
baseline:climb         round-robin, restarted from any program that really passes more tests than the best so far
"""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from random import Random

from cwm_agent.agent.repair.candidate import Candidate
from envs.domains.edit_orders import ORDERS
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import BadEdit

NAMES = ("baseline", "baseline:random", "baseline:prior", "baseline:climb")


@dataclass(slots=True)
class BlindSearch:
    """Candidates one after another, in a fixed order; learns the real result of each."""

    core: RepairCore
    suspicion: Mapping[int, float]
    rng: Random
    _: KW_ONLY
    order: str = "round-robin"
    climbs: bool = False
    best: float = 0.0
    """Share of the tests that the program being edited really passes."""
    _left: Iterator[RepairState] = field(init=False)
    _seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._left = self._from(self.core.initial())

    @classmethod
    def named(
        cls, name: str, core: RepairCore, suspicion: Mapping[int, float], rng: Random, *, share: float
    ) -> "BlindSearch":
        """The baseline with a name; it starts from the buggy program, which passes `share` of the tests."""
        kind = name.partition(":")[2]
        order = kind if kind in ORDERS else "round-robin"
        return cls(core, suspicion, rng, order=order, climbs=kind == "climb", best=share)

    def next(self) -> Candidate | None:
        """The next candidate; None when there is none left."""
        state = next(self._left, None)
        return None if state is None else Candidate(state, (None,) * len(self.core.tests), 0.0)

    def learn(self, candidate: Candidate, share: float) -> None:
        """Record the share of the tests that a candidate really passes; a climbing baseline may restart from it."""
        if self.climbs and share > self.best:
            self.best = share
            self._left = self._from(candidate.state)

    def _from(self, state: RepairState) -> Iterator[RepairState]:
        suspicion = self.suspicion if not state.patch else {}
        for edit in ORDERS[self.order](self.core.actions(state), suspicion, self.rng):
            try:
                made = self.core.transition(state, edit)
            except BadEdit:
                continue
            if made.source not in self._seen:
                self._seen.add(made.source)
                yield made

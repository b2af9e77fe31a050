"""What is known of plans besides what is imagined on the way: what a real run has shown, and what was told since.

Shared by the worlds that imagine permutation problems, frame by frame or by histories. Knows no oracle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from envs.domains.permutation_commands import Arrangement, Command
from envs.domains.permutation_core import PermutationCore
from envs.execution.state.frames import Frame

Plan = tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class PlanState:
    """A plan so far and what is believed of it; equal to others that are believed to stand where it stands."""

    plan: Plan = field(compare=False)
    frame: Frame | None = field(compare=False, repr=False)
    """Where its execution stands: all commands done, nothing returned yet. None where that is unknown."""
    arrangement: Arrangement | None = field(compare=False)
    """What the places hold; None where that is unknown, or no numbers at all."""
    key: tuple[object, ...] = field(repr=False)
    reason: str = field(default="", compare=False)
    """Why the frame is unknown."""


@dataclass(slots=True)
class KnownPlans(ABC):
    """Plans of one problem, and what is known of them."""

    core: PermutationCore
    _told: dict[Plan, PlanState] = field(default_factory=dict, kw_only=True)
    """Plans of which more is known than what was imagined on the way."""
    _seen: dict[tuple[Arrangement, Command], Arrangement] = field(default_factory=dict, kw_only=True)
    """What commands really did to arrangements."""

    def start(self) -> PlanState:
        """The empty plan: its arguments are known, so nothing is asked."""
        return self._known((), self.core.start)

    def actions(self, state: PlanState) -> Sequence[Command]:
        return self.core.commands if state.arrangement is None else self.core.actions(state.arrangement)

    def tell(self, state: PlanState) -> None:
        """Put what was imagined of a plan last in the place of what was imagined before."""
        self._told[state.plan] = state

    def learn(self, plan: Sequence[Command]) -> tuple[Arrangement, ...]:
        """Carry the plan out for real, keep what was seen, and return the arrangements it led through."""
        real = [self.core.start]
        for number, command in enumerate(plan, start=1):
            real.append(self.core.transition(real[-1], command))
            self._seen[real[-2], command] = real[-1]
            self._told[tuple(plan[:number])] = self._known(tuple(plan[:number]), real[-1])
        return tuple(real)

    @abstractmethod
    def _known(self, plan: Plan, arrangement: Arrangement) -> PlanState:
        """A plan whose arrangement is no matter of belief."""

"""States of plans that need no further imagining: shown by a real run, or imagined a second time.

Shared by the models that imagine permutation problems, frame by frame or by histories. Knows no oracle.
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
    """A plan so far and the arrangement that it is believed to reach; equal keys mean equal arrangements."""

    plan: Plan = field(compare=False)
    frame: Frame | None = field(compare=False, repr=False)
    """The frame after its last command, before the return; None where that is unknown."""
    arrangement: Arrangement | None = field(compare=False)
    """The items at the places; None where they are unknown or no numbers."""
    key: tuple[object, ...] = field(repr=False)
    reason: str = field(default="", compare=False, kw_only=True)
    """Why the arrangement is unknown."""


@dataclass(slots=True)
class KnownPlans(ABC):
    """A cache of plan states and of the real effects of commands, for one problem."""

    core: PermutationCore
    _states: dict[Plan, PlanState] = field(default_factory=dict, kw_only=True)
    """Plans that a real run showed or that were imagined a second time."""
    _real_effects: dict[tuple[Arrangement, Command], Arrangement] = field(default_factory=dict, kw_only=True)
    """The arrangement that a command really led to, by the arrangement before it."""

    def start(self) -> PlanState:
        """The empty plan: its arguments are known, so the oracle is not asked."""
        return self._known_state((), self.core.start)

    def actions(self, state: PlanState) -> Sequence[Command]:
        return self.core.commands if state.arrangement is None else self.core.actions(state.arrangement)

    def override(self, state: PlanState) -> None:
        """Replace the state of a plan by the one that was imagined last."""
        self._states[state.plan] = state

    def carry_out(self, plan: Sequence[Command]) -> tuple[Arrangement, ...]:
        """Run the plan for real, keep the effects, and return the arrangements it led through."""
        real = [self.core.start]
        for number, command in enumerate(plan, start=1):
            real.append(self.core.transition(real[-1], command))
            self._real_effects[real[-2], command] = real[-1]
            self._states[tuple(plan[:number])] = self._known_state(tuple(plan[:number]), real[-1])
        return tuple(real)

    @abstractmethod
    def _known_state(self, plan: Plan, arrangement: Arrangement) -> PlanState:
        """The state of a plan whose arrangement is certain."""

"""Worlds with hidden state as planners' models: POMCP plans in them from a belief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from envs.domains.hidden_permutation import HiddenArrangement, HiddenPermutationCore, Look
from envs.domains.hidden_programs import HiddenMachine
from envs.domains.permutation_commands import Command
from planners import ParticleBelief, Step

HiddenAction: TypeAlias = Command | Look
MachineState: TypeAlias = tuple[int, int]
"""The machine's state, and its last output; the number of outputs while nothing was shown."""


@dataclass(frozen=True)
class HiddenPermutationModel:
    """Permutation with hidden items: looks and commands cost, the goal gains 1."""

    core: HiddenPermutationCore
    price: float = 0.01

    def actions(self, state: HiddenArrangement) -> Sequence[HiddenAction]:
        return self.core.choices

    def step(
        self, moves: Sequence[tuple[HiddenArrangement, HiddenAction]], rng: Random
    ) -> list[Step[HiddenArrangement]]:
        return [self._arrived(self.core.transition(state, action, rng)) for state, action in moves]

    def _arrived(self, state: HiddenArrangement) -> Step[HiddenArrangement]:
        done = self.core.is_goal(state)
        return Step(state, float(done) - self.price, end="goal" if done else None)

    def observe(self, state: HiddenArrangement) -> tuple[int | None, ...]:
        return self.core.observe(state)

    def belief(self) -> ParticleBelief[HiddenArrangement]:
        """Return the belief of an agent that has seen nothing: every start is as likely."""
        return ParticleBelief(tuple(self.core.starts()))


@dataclass(frozen=True)
class HiddenStateModel:
    """A machine whose state is hidden: the belief is what every possible state would have shown, imagined."""

    machine: HiddenMachine
    price: float = 0.02

    def actions(self, state: MachineState) -> Sequence[int]:
        return range(self.machine.commands + self.machine.size)

    def step(self, moves: Sequence[tuple[MachineState, int]], rng: Random) -> list[Step[MachineState]]:
        return [self._one(state, action) for state, action in moves]

    def _one(self, state: MachineState, action: int) -> Step[MachineState]:
        claim = action - self.machine.commands
        if claim >= 0:
            right = claim == state[0]
            return Step(state, float(right), end="goal" if right else "failure")
        return Step(self.machine.table[state[0]][action], -self.price)

    def observe(self, state: MachineState) -> int:
        return state[1]

    def belief(self) -> ParticleBelief[MachineState]:
        """Return the belief before the first output: every state is as likely."""
        return ParticleBelief(tuple((state, self.machine.outputs) for state in range(self.machine.size)))

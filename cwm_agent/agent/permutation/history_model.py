"""Permutation problems in the history view: an oracle that continues histories imagines plans as programs.

A state is a plan so far; the model keeps the history of its program up to the frame after its last command. A step
appends one command to the program, and the oracle continues the history from there to the return. Histories of real
runs replace imagined ones. Programs are shown as written. Knows no planner and no budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from cwm_agent.agent.permutation.known_plans import KnownPlans, Plan, PlanState
from cwm_agent.agent.permutation.permutation_model import FRAMES_A_COMMAND, numbers_in, step_to
from cwm_agent.imagination.guides import BadGuide, Guide
from cwm_agent.imagination.history_rollouts import (
    FREE,
    HistoryRollout,
    HistorySettings,
    HistoryStart,
    imagine_histories,
)
from cwm_agent.imagination.history_start import history_call
from cwm_agent.oracles.history_protocol import HistoryOracle
from envs.bounded_cache import MIB, bounded_cache
from envs.domains.permutation_commands import Arrangement, Command, place_names
from envs.errors import BadEnvOption
from envs.execution.decompose.program import Program, plain
from envs.execution.state.history_frames import HistoryFrame
from planners import Step


@dataclass(slots=True)
class HistoryPermutation(KnownPlans):
    """The problem as a history oracle imagines it: states are plans. A `planners.Model`."""

    oracle: HistoryOracle
    guide: Guide = FREE
    imagined: int = 0
    """Programs that were imagined, each from the last frame of the plan before it."""
    frames: int = 0
    """Frames that were imagined in the search."""
    confirmed: dict[Plan, HistoryRollout] = field(default_factory=dict)
    """The rollout of each plan whose whole program was imagined once more."""
    _histories: dict[Plan, tuple[HistoryFrame, ...]] = field(default_factory=dict)
    """The history of each plan up to the frame after its last command."""

    def __post_init__(self) -> None:
        if self.guide.freedom not in ("free", "cfg") or self.guide.looks:
            raise BadGuide(
                f"In the history view a plan is shown as written, under the guide free or cfg, not {self.guide.name}."
            )
        if self.core.style.endswith("loop"):
            raise BadEnvOption(
                f"A plan of style {self.core.style} starts again with each command. Use the style straight."
            )

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """Append a command to each plan and imagine it, unless its state is cached."""
        plans = [(*state.plan, command) for state, command in moves]
        found = [self._cached(*move) for move in moves]
        missing = [at for at, state in enumerate(found) if state is None]
        rollouts = self._rollouts([(plans[at], len(plans[at]) - 1) for at in missing])
        tokens = dict.fromkeys(range(len(moves)), 0)
        for at, rollout in zip(missing, rollouts, strict=True):
            found[at], tokens[at] = self._state_after(plans[at], rollout), rollout.tokens
        self.frames += sum(rollout.asked for rollout in rollouts)
        return [step_to(self.core, state, state.arrangement, tokens[at]) for at, state in enumerate(found) if state]

    def reimagine(self, plan: Sequence[Command]) -> PlanState:
        """Imagine the plan's whole program again, from its call or its last real frame, and return its last state."""
        whole = tuple(plan)
        if self._is_seen(whole):
            return self._states[whole]
        seen = max(count for count in range(len(whole)) if self._is_seen(whole[:count]))
        [rollout] = self._rollouts([(whole, seen)])
        self.confirmed[whole] = rollout
        return self._state_after(whole, rollout)

    def _is_seen(self, plan: Plan) -> bool:
        return not plan or (plan in self._states and self._states[plan].reason == _SEEN)

    def _cached(self, state: PlanState, command: Command) -> PlanState | None:
        """The state of a longer plan that needs no oracle: cached, unknown like the plan before it, or really seen."""
        plan = (*state.plan, command)
        if plan in self._states:
            return self._states[plan]
        if state.arrangement is None or state.plan not in self._histories:
            return PlanState(plan, None, None, plan, reason=state.reason)
        after = self._real_effects.get((state.arrangement, command)) if self._is_seen(state.plan) else None
        return None if after is None else self._known_state(plan, after)

    def _known_state(self, plan: Plan, arrangement: Arrangement) -> PlanState:
        """The state of a plan whose arrangement is certain; also keeps its real history."""
        self._histories[plan] = self._real_history(plan)
        state = PlanState(plan, None, arrangement, arrangement, reason=_SEEN)
        self._states[plan] = state
        return state

    def _rollouts(self, plans: Sequence[tuple[Plan, int]]) -> list[HistoryRollout]:
        """Rollouts of the programs of plans to their ends, each from the frame after `count` commands."""
        self.imagined += len(plans)
        starts = []
        for plan, count in plans:
            program = _program(self.core.program(plan).source)
            call, *others, last = self._histories[plan[:count]]
            line = self.core.command_line(count)  # the line at which the shorter program ended
            here = replace(last, action=program.lines[line - 1], lines=(line,))
            most = FRAMES_A_COMMAND * (len(plan) + 1) + len(others)
            starts.append(HistoryStart(program, call, after=(*others, here), steps=most))
        return imagine_histories(starts, self.oracle, HistorySettings(self.guide))

    def _state_after(self, plan: Plan, rollout: HistoryRollout) -> PlanState:
        """The state of a plan by the imagined return value of its program."""
        if rollout.outcome is None or rollout.outcome.ending != "returned":
            return PlanState(plan, None, None, plan, reason=rollout.reason or "imagined to raise")
        arrangement = numbers_in(rollout.outcome.value.strip("()").split(", "), self.core.items)
        before = rollout.frames[:-1]
        if arrangement is None or before[-1].event != "line":
            return PlanState(plan, None, None, plan, reason="imagined to return no arrangement")
        self._histories[plan] = before
        return PlanState(plan, None, arrangement, arrangement)

    def _real_history(self, plan: Plan) -> tuple[HistoryFrame, ...]:
        """The real history of the plan's program, up to the frame after its last command."""
        written = self.core.program(plan)
        program = _program(written.source)
        call = history_call(program, written.arguments)
        assert isinstance(call, HistoryFrame)
        state, frames = self.core.start, [call]
        for number, command in enumerate(plan):
            line = self.core.command_line(number)
            frames.append(self._frame(program, line, state))
            if command.condition is not None and command.holds(state):
                frames.append(self._frame(program, line + 1, state))
            state = command.apply(state)
        return (*frames, self._frame(program, len(program.lines), state))

    def _frame(self, program: Program, line: int, state: Arrangement) -> HistoryFrame:
        rows = tuple(zip(place_names(self.core.items), map(str, state), strict=True))
        return HistoryFrame("line", program.lines[line - 1], (line,), rows)


_SEEN = "really seen"
"""The reason of a state whose arrangement a real run showed."""


@bounded_cache(16 * MIB, per_character=200)
def _program(source: str) -> Program:
    return plain(source, "f")

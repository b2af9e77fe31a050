"""Permutation problems as a model imagines them that continues histories: plans as programs, told frame by frame.

A state is a plan so far; behind it stands the history of its program up to where all commands are done. A step appends
one command to the program and has the oracle tell the run on from there to its return. What a real run has shown is
put in the place of what was imagined. Plans are told as they are written. Knows no planner's ways and no budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
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
    """Programs that were told in imagination, each from where the one before it stood."""
    frames: int = 0
    """Frames that were imagined in search."""
    _histories: dict[Plan, tuple[HistoryFrame, ...]] = field(default_factory=dict)
    """The run of each plan to where its commands are done."""

    def __post_init__(self) -> None:
        if self.guide.freedom not in ("free", "cfg") or self.guide.every is not None:
            raise BadGuide(
                f"In the history view plans are told as written, under the guide free or cfg, not {self.guide.name}."
            )
        if self.core.style.endswith("loop"):
            raise BadEnvOption(
                f"A plan of style {self.core.style} is begun anew with each command. Use straight plans."
            )

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """Append a command to each plan and have its program told on; what was told or seen is not asked."""
        plans = [(*state.plan, command) for state, command in moves]
        found = [self._remembered(*move) for move in moves]
        missing = [at for at, state in enumerate(found) if state is None]
        rollouts = self._rolled([(plans[at], len(plans[at]) - 1) for at in missing])
        tokens = dict.fromkeys(range(len(moves)), 0)
        for at, rollout in zip(missing, rollouts, strict=True):
            found[at], tokens[at] = self._believed(plans[at], rollout), rollout.tokens
        self.frames += sum(rollout.asked for rollout in rollouts)
        return [step_to(self.core, state, state.arrangement, tokens[at]) for at, state in enumerate(found) if state]

    def again(self, plan: Sequence[Command]) -> PlanState:
        """Where the plan leads when its whole program is told once more, from its call or from what was really seen."""
        whole = tuple(plan)
        if self._is_seen(whole):
            return self._told[whole]
        seen = max(count for count in range(len(whole)) if self._is_seen(whole[:count]))
        [rollout] = self._rolled([(whole, seen)])
        return self._believed(whole, rollout)

    def _is_seen(self, plan: Plan) -> bool:
        return not plan or (plan in self._told and self._told[plan].reason == _SEEN)

    def _remembered(self, state: PlanState, command: Command) -> PlanState | None:
        """What is known of a longer plan without asking: told, unknown as the plan before it, or really seen."""
        plan = (*state.plan, command)
        if plan in self._told:
            return self._told[plan]
        if state.arrangement is None or state.plan not in self._histories:
            return PlanState(plan, None, None, plan, state.reason)
        after = self._seen.get((state.arrangement, command)) if self._is_seen(state.plan) else None
        return None if after is None else self._known(plan, after)

    def _known(self, plan: Plan, arrangement: Arrangement) -> PlanState:
        """A plan whose arrangement is no matter of belief, with its true history."""
        self._histories[plan] = self._true(plan)
        state = PlanState(plan, None, arrangement, arrangement, _SEEN)
        self._told[plan] = state
        return state

    def _rolled(self, asked: Sequence[tuple[Plan, int]]) -> list[HistoryRollout]:
        """The programs of plans told to their ends, each from behind so many of its commands."""
        self.imagined += len(asked)
        starts = []
        for plan, count in asked:
            program = _program(self.core.program(plan).source)
            call, *others, last = self._histories[plan[:count]]
            line = self.core.command_line(count)  # there the shorter program ended
            here = replace(last, action=program.lines[line - 1], lines=(line,))
            most = FRAMES_A_COMMAND * (len(plan) + 1) + len(others)
            starts.append(HistoryStart(program, call, after=(*others, here), steps=most))
        return imagine_histories(starts, self.oracle, HistorySettings(self.guide))

    def _believed(self, plan: Plan, rollout: HistoryRollout) -> PlanState:
        """The plan with what its program was imagined to return."""
        if rollout.outcome is None or rollout.outcome.ending != "returned":
            return PlanState(plan, None, None, plan, rollout.reason or "imagined to raise")
        arrangement = numbers_in(rollout.outcome.value.strip("()").split(", "), self.core.items)
        before = rollout.frames[:-1]
        if arrangement is None or before[-1].event != "line":
            return PlanState(plan, None, None, plan, "imagined to return no arrangement")
        self._histories[plan] = before
        return PlanState(plan, None, arrangement, arrangement)

    def _true(self, plan: Plan) -> tuple[HistoryFrame, ...]:
        """The history that the plan's program really has, up to where its commands are done."""
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
"""Why a plan's arrangement is no belief."""


@lru_cache(maxsize=8192)
def _program(source: str) -> Program:
    return plain(source, "f")

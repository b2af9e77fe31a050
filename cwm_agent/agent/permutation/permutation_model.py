"""Permutation problems as an oracle imagines them: a `planners.Model`.

A state is a plan so far: a program of commands, the frame after its last command, and the arrangement read from that
frame. A step appends one command and has the oracle execute the longer program from that frame. Effects that a real
run has shown are not imagined again. Knows no planner and no budget.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from random import Random
from typing import TypeVar

from cwm_agent.agent.permutation.known_plans import KnownPlans, PlanState
from cwm_agent.imagination.guides import GROUNDED, BadGuide, Guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MARKOV_VIEWS, MarkovView, Oracle
from envs.bounded_cache import MIB, bounded_cache
from envs.domains.permutation_commands import Arrangement, Command, place_names
from envs.domains.permutation_core import PermutationCore
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import label_of
from envs.execution.stepper.first_frame import first_frame
from planners import Step

COMMAND_COST = 0.01
"""Reward lost with each command, so that of two plans the shorter is the better."""
FRAMES_A_COMMAND = 12
"""Frame limit of one imagined command: the longest needs nine."""
S = TypeVar("S")
_WHOLE_NUMBER = re.compile(r"-?\d{1,9}")


@dataclass(slots=True)
class ImaginedPermutation(KnownPlans):
    """The problem as an oracle imagines it: states are plans. A `planners.Model`."""

    oracle: Oracle
    view: MarkovView = "local"
    guide: Guide = GROUNDED
    imagined: int = 0
    """Programs that were imagined, each from the last frame of the plan before it."""
    frames: int = 0
    """Frames that were imagined in the search."""

    def __post_init__(self) -> None:
        if self.view not in MARKOV_VIEWS:
            raise ValueError("A plan is imagined from a frame, in the view local or program; history needs all frames.")
        if self.guide.needs_reality:
            raise BadGuide(f"The guide {self.guide.name} looks at the real run, which a plan does not have yet.")

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """Append a command to each plan and imagine it, unless its state is cached."""
        found = [self._cached(state, command) for state, command in moves]
        missing = [index for index, state in enumerate(found) if state is None]
        tokens = dict.fromkeys(range(len(moves)), 0)
        for index, (state, cost) in zip(missing, self._imagined([moves[index] for index in missing]), strict=True):
            found[index], tokens[index] = state, cost
        return [
            step_to(self.core, state, state.arrangement, tokens[index]) for index, state in enumerate(found) if state
        ]

    def reimagine(self, plan: Sequence[Command]) -> PlanState:
        """Imagine the plan again from its start, as one whole program, and return its last state.

        Commands whose real effect is known are not imagined.
        """
        self.imagined += 1
        whole, state = tuple(plan), self.start()
        for number, command in enumerate(whole, start=1):
            state = self._really_after(state, command) or self._reimagined(state, whole[:number], whole)
        return state

    def _cached(self, state: PlanState, command: Command) -> PlanState | None:
        """The state of a longer plan that needs no oracle: cached, unknown like the plan before it, or really seen."""
        plan = (*state.plan, command)
        if plan in self._states:
            return self._states[plan]
        if state.frame is None:
            return PlanState(plan, None, None, plan, reason=state.reason)
        return self._really_after(state, command)

    def _really_after(self, state: PlanState, command: Command) -> PlanState | None:
        after = None if state.arrangement is None else self._real_effects.get((state.arrangement, command))
        return None if after is None else self._known_state((*state.plan, command), after)

    def _reimagined(self, state: PlanState, plan: tuple[Command, ...], whole: tuple[Command, ...]) -> PlanState:
        """Imagine the last command of a plan inside the whole program that begins with this plan."""
        if state.frame is None:
            return PlanState(plan, None, None, plan, reason=state.reason)
        run = self._run(state, plan, whole)
        _imagine_runs([run], self.oracle, RolloutSettings(self.view, guide=self.guide))
        return self._state_of(run)

    def _known_state(self, plan: tuple[Command, ...], arrangement: Arrangement) -> PlanState:
        """The state of a plan whose arrangement is certain."""
        numbers = ", ".join(map(str, arrangement))
        arguments = f"[{numbers}]" if self.core.style.endswith("loop") else numbers
        frame = first_frame(_program(self.core.program(()).source), arguments)
        assert isinstance(frame, Frame)
        return PlanState(plan, frame, arrangement, arrangement)

    def _imagined(self, moves: Sequence[tuple[PlanState, Command]]) -> list[tuple[PlanState, int]]:
        """The states of the longer plans and their tokens; all are imagined together."""
        self.imagined += len(moves)
        runs = [self._run(state, (*state.plan, command)) for state, command in moves]
        _imagine_runs(runs, self.oracle, RolloutSettings(self.view, guide=self.guide))
        self.frames += sum(run.frames for run in runs)
        return [(self._state_of(run), run.tokens) for run in runs]

    def _run(self, state: PlanState, plan: tuple[Command, ...], whole: tuple[Command, ...] = ()) -> _Run:
        """The run of a plan from the last frame of the plan before it, inside a whole program where one is given.

        The local view under the guide grounded shows one line at a time, so there a program of the last command alone
        gives the same queries as the whole one. A loop reads its moves at its start, so it runs from its first frame.
        """
        assert state.frame is not None
        if self.core.style.endswith("loop"):
            written = self.core.program(plan)
            frame, program = first_frame(_program(written.source), written.arguments), _program(written.source)
            assert isinstance(frame, Frame)
            last_line = _line_of(written.source, 0)
            return _Run(plan, program, frame, last_line, most_frames=FRAMES_A_COMMAND * (len(plan) + 1))
        local = self.view == "local" and not self.guide.asks_line
        shown = plan[-1:] if local else whole or plan
        source, before = self.core.program(shown).source, 0 if local else len(plan) - 1
        begins, ends = (_line_of(source, self.core.command_line(number)) for number in (before, before + 1))
        return _Run(plan, _program(source), _frame_at(state.frame, begins), ends)

    def _state_of(self, run: _Run) -> PlanState:
        if not run.arrived:
            return PlanState(run.plan, None, None, run.plan, reason=run.reason)
        arrangement = _arrangement(run.frame, self.core)
        return PlanState(run.plan, run.frame, arrangement, run.plan if arrangement is None else arrangement)


def imagine_commands(moves: Sequence[tuple[ImaginedPermutation, PlanState, Command]]) -> None:
    """Imagine commands of several models together, to fill the cache of the oracle that they share."""
    if moves:
        runs = [world._run(state, (*state.plan, command)) for world, state, command in moves if state.frame]
        first = moves[0][0]
        _imagine_runs(runs, first.oracle, RolloutSettings(first.view, guide=first.guide))


def _imagine_runs(runs: Sequence[_Run], oracle: Oracle, settings: RolloutSettings) -> None:
    """Imagine frame by frame until every run has ended or has passed its last command."""
    while active := [run for run in runs if run.under_way]:
        starts = [RolloutStart(run.program, run.frame, steps=1) for run in active]
        for run, rollout in zip(active, imagine(starts, oracle, settings), strict=True):
            run.record(rollout)


@dataclass(slots=True)
class _Run:
    """One plan being imagined, from a frame to the line after its last command."""

    plan: tuple[Command, ...]
    program: Program
    frame: Frame
    last_line: int
    """The line after the last command."""
    _: KW_ONLY
    most_frames: int = FRAMES_A_COMMAND
    frames: int = 0
    tokens: int = 0
    reason: str = ""

    @property
    def arrived(self) -> bool:
        return not self.reason and self.frame.event == "line" and self.frame.line == self.last_line

    @property
    def under_way(self) -> bool:
        return not self.arrived and not self.reason

    def record(self, rollout: Rollout) -> None:
        """Keep one imagined frame; a run that ends before its last command leaves the plan unknown."""
        self.frames += 1
        self.tokens += rollout.tokens
        if len(rollout.frames) > 1:
            self.frame = rollout.frames[-1]
        elif rollout.end == "outcome":
            self.reason = "imagined to end before its last command"
        else:
            self.reason = rollout.reason or rollout.end
        if not self.reason and not self.arrived and self.frames >= self.most_frames:
            self.reason = "imagined to run over its frame limit"


def step_to(core: PermutationCore, state: S, arrangement: Arrangement | None, tokens: int = 0) -> Step[S]:
    """The step to a state, with the rewards of `cwm_agent/Permutation-v0`."""
    if arrangement is None:
        return Step(state, reward=-COMMAND_COST, tokens=tokens)
    goal = core.is_goal(arrangement)
    value = 0.0 if goal else closeness(core, arrangement)
    return Step(state, reward=float(goal) - COMMAND_COST, value=value, end="goal" if goal else None, tokens=tokens)


def closeness(core: PermutationCore, arrangement: Arrangement) -> float:
    """How close an arrangement is to the goal: 1 at the goal, from 0 to below 1 elsewhere.

    It is the share of items in place. Where commands swap neighbours only, it is computed from the distances of all
    items to their places, since the share says little there.
    """
    if core.generators != "adjacent":
        return core.value(arrangement)
    rank = {item: place for place, item in enumerate(core.goal)}
    far = len(core.goal)
    away = sum(abs(place - rank.get(item, place + far)) for place, item in enumerate(arrangement))
    return max(0.0, 1.0 - away / (far * far // 2))


def _arrangement(frame: Frame, core: PermutationCore) -> Arrangement | None:
    """The items at the places; None where one is not a number."""
    rows = dict(frame.locals)
    if not core.style.endswith("loop"):
        return numbers_in([rows.get(name, "") for name in place_names(core.items)], core.items)
    label = label_of(rows.get("items", ""))
    content = "" if label is None else dict(frame.heap).get(label, "")
    return numbers_in(content[1:-1].split(", "), core.items)


def numbers_in(texts: Sequence[str], count: int) -> Arrangement | None:
    """The texts as `count` whole numbers; None where they are anything else."""
    if len(texts) != count or not all(_WHOLE_NUMBER.fullmatch(text) for text in texts):
        return None
    return tuple(map(int, texts))


@bounded_cache(32 * MIB, per_character=200)
def _program(source: str) -> Program:
    return decomposed(source, "f")


@bounded_cache(4 * MIB, per_character=1)
def _line_of(source: str, line: int) -> int:
    """The first line of the decomposed program that comes from a line as written; 0 stands for the last line."""
    return _program(source).origin.index(line or source.count("\n")) + 1


def _frame_at(frame: Frame, line: int) -> Frame:
    """The same frame at another line; its values do not depend on the line."""
    here = replace(frame.stack[-1], line=line)
    return Frame("line", (*frame.stack[:-1], here), frame.heap, frame.globals)

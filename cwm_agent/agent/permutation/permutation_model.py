"""Permutation problems as worlds that planners search: one by the core, for real, one as an oracle imagines it.

A state is a plan so far: a program of commands, the frame at which its execution stands, and the arrangement read from
that frame. A step appends one command and has the oracle execute the longer program from that frame on. What a real
run has shown is learnt and not asked again. Knows no planner's ways and no budget.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeVar

from cwm_agent.agent.permutation.known_plans import KnownPlans, PlanState
from cwm_agent.imagination.guides import GROUNDED, BadGuide, Guide
from cwm_agent.imagination.rollout_loop import Rollout, RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MARKOV_VIEWS, MarkovView, Oracle
from envs.domains.permutation_commands import Arrangement, Command, place_names
from envs.domains.permutation_core import PermutationCore
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.frames import Frame
from envs.execution.state.value_grammar import label_of
from envs.execution.stepper.first_frame import first_frame
from planners import Step

PRICE = 0.01
"""Return lost with each command, so that of two plans the shorter is the better."""
FRAMES_A_COMMAND = 12
"""Frames after which an imagined command that has not ended is given up: the longest needs nine."""
S = TypeVar("S")
_WHOLE_NUMBER = re.compile(r"-?\d{1,9}")


@dataclass(frozen=True, slots=True)
class RealPermutation:
    """The problem as it is: states are arrangements. A `planners.Model`."""

    core: PermutationCore

    def actions(self, state: Arrangement) -> Sequence[Command]:
        return self.core.actions(state)

    def step(self, moves: Sequence[tuple[Arrangement, Command]], rng: Random) -> list[Step[Arrangement]]:
        return [step_to(self.core, after, after) for after in (self.core.transition(*move) for move in moves)]


@dataclass(slots=True)
class ImaginedPermutation(KnownPlans):
    """The problem as an oracle imagines it: states are plans. A `planners.Model`."""

    oracle: Oracle
    view: MarkovView = "local"
    guide: Guide = GROUNDED
    imagined: int = 0
    """Programs that were executed in imagination, each from where the one before it stood."""
    frames: int = 0
    """Frames that were imagined in search."""

    def __post_init__(self) -> None:
        if self.view not in MARKOV_VIEWS:
            raise ValueError("A plan is imagined from a frame, in the view local or program; history needs all frames.")
        if self.guide.needs_reality:
            raise BadGuide(f"The guide {self.guide.name} looks at the real run, which a plan does not have yet.")

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """Append a command to each plan and imagine it; what was told or seen is not imagined."""
        found = [self._remembered(state, command) for state, command in moves]
        missing = [index for index, state in enumerate(found) if state is None]
        tokens = dict.fromkeys(range(len(moves)), 0)
        for index, (state, cost) in zip(missing, self._imagined([moves[index] for index in missing]), strict=True):
            found[index], tokens[index] = state, cost
        return [
            step_to(self.core, state, state.arrangement, tokens[index]) for index, state in enumerate(found) if state
        ]

    def again(self, plan: Sequence[Command]) -> PlanState:
        """Where the plan leads when it is imagined once more from its start, now as one whole program.

        What was really seen on the way is not imagined again.
        """
        self.imagined += 1
        whole, state = tuple(plan), self.start()
        for number, command in enumerate(whole, start=1):
            state = self._seen_after(state, command) or self._once_more(state, whole[:number], whole)
        return state

    def _remembered(self, state: PlanState, command: Command) -> PlanState | None:
        """What is known of a longer plan without asking: told, unknown as the plan before it, or really seen."""
        plan = (*state.plan, command)
        if plan in self._told:
            return self._told[plan]
        if state.frame is None:
            return PlanState(plan, None, None, plan, state.reason)
        return self._seen_after(state, command)

    def _seen_after(self, state: PlanState, command: Command) -> PlanState | None:
        after = None if state.arrangement is None else self._seen.get((state.arrangement, command))
        return None if after is None else self._known((*state.plan, command), after)

    def _once_more(self, state: PlanState, plan: tuple[Command, ...], whole: tuple[Command, ...]) -> PlanState:
        """The last command of a plan, executed within the whole program that it is the beginning of."""
        if state.frame is None:
            return PlanState(plan, None, None, plan, state.reason)
        run = self._run(state, plan, whole)
        _carry_on([run], self.oracle, RolloutSettings(self.view, guide=self.guide))
        return self._read(run)

    def _known(self, plan: tuple[Command, ...], arrangement: Arrangement) -> PlanState:
        """A plan whose arrangement is no matter of belief."""
        numbers = ", ".join(map(str, arrangement))
        arguments = f"[{numbers}]" if self.core.style.endswith("loop") else numbers
        frame = first_frame(_program(self.core.program(()).source), arguments)
        assert isinstance(frame, Frame)
        return PlanState(plan, frame, arrangement, arrangement)

    def _imagined(self, moves: Sequence[tuple[PlanState, Command]]) -> list[tuple[PlanState, int]]:
        """Where the longer plans stand, and the tokens that this took; all are imagined together."""
        self.imagined += len(moves)
        runs = [self._run(state, (*state.plan, command)) for state, command in moves]
        _carry_on(runs, self.oracle, RolloutSettings(self.view, guide=self.guide))
        self.frames += sum(run.frames for run in runs)
        return [(self._read(run), run.tokens) for run in runs]

    def _run(self, state: PlanState, plan: tuple[Command, ...], whole: tuple[Command, ...] = ()) -> _Run:
        """A plan about to be imagined from where the plan before it stands, within a whole one where that is given.

        A local view under grounded shows one line at a time and no more, so there a program of the last command alone
        asks the same questions as the whole one. A loop's moves are made at its start, so it is begun anew.
        """
        assert state.frame is not None
        if self.core.style.endswith("loop"):
            written = self.core.program(plan)
            frame, program = first_frame(_program(written.source), written.arguments), _program(written.source)
            assert isinstance(frame, Frame)
            return _Run(plan, program, frame, _line_of(written.source, 0), FRAMES_A_COMMAND * (len(plan) + 1))
        local = self.view == "local" and not self.guide.asks_line
        shown = plan[-1:] if local else whole or plan
        source, before = self.core.program(shown).source, 0 if local else len(plan) - 1
        begins, ends = (_line_of(source, self.core.command_line(number)) for number in (before, before + 1))
        return _Run(plan, _program(source), _standing(state.frame, begins), ends)

    def _read(self, run: _Run) -> PlanState:
        if not run.arrived:
            return PlanState(run.plan, None, None, run.plan, run.reason)
        arrangement = _arrangement(run.frame, self.core)
        return PlanState(run.plan, run.frame, arrangement, run.plan if arrangement is None else arrangement)


def imagine_commands(moves: Sequence[tuple[ImaginedPermutation, PlanState, Command]]) -> None:
    """Imagine commands of several worlds together, for the sake of an oracle that remembers and that all share."""
    if moves:
        runs = [world._run(state, (*state.plan, command)) for world, state, command in moves if state.frame]
        first = moves[0][0]
        _carry_on(runs, first.oracle, RolloutSettings(first.view, guide=first.guide))


def _carry_on(runs: Sequence[_Run], oracle: Oracle, settings: RolloutSettings) -> None:
    """Imagine frame after frame until every run has ended or stands behind its last command."""
    while active := [run for run in runs if run.under_way]:
        starts = [RolloutStart(run.program, run.frame, steps=1) for run in active]
        for run, rollout in zip(active, imagine(starts, oracle, settings), strict=True):
            run.take(rollout)


@dataclass(slots=True)
class _Run:
    """One plan being imagined from a frame to the line behind its last command."""

    plan: tuple[Command, ...]
    program: Program
    frame: Frame
    last_line: int
    """Where all commands are done."""
    most: int = FRAMES_A_COMMAND
    frames: int = 0
    tokens: int = 0
    reason: str = ""

    @property
    def arrived(self) -> bool:
        return not self.reason and self.frame.event == "line" and self.frame.line == self.last_line

    @property
    def under_way(self) -> bool:
        return not self.arrived and not self.reason

    def take(self, rollout: Rollout) -> None:
        """Go one frame on; an end before the last command is done leaves the plan unknown."""
        self.frames += 1
        self.tokens += rollout.tokens
        if len(rollout.frames) > 1:
            self.frame = rollout.frames[-1]
        elif rollout.end == "outcome":
            self.reason = "imagined to end before its last command"
        else:
            self.reason = rollout.reason or rollout.end
        if not self.reason and not self.arrived and self.frames >= self.most:
            self.reason = "imagined to go on and on"


def step_to(core: PermutationCore, state: S, arrangement: Arrangement | None, tokens: int = 0) -> Step[S]:
    """What a command led to, with the return of `cwm_agent/Permutation-v0` as reward."""
    if arrangement is None:
        return Step(state, reward=-PRICE, tokens=tokens)
    goal = core.is_goal(arrangement)
    worth = 0.0 if goal else closeness(core, arrangement)
    return Step(state, reward=float(goal) - PRICE, value=worth, end="goal" if goal else None, tokens=tokens)


def closeness(core: PermutationCore, arrangement: Arrangement) -> float:
    """How near an arrangement is to the goal, from 0 to below 1 short of it.

    The share of items in place; where only neighbours change places that says little, so there it is how far all
    items are from their places.
    """
    if core.generators != "adjacent":
        return core.value(arrangement)
    rank = {item: place for place, item in enumerate(core.goal)}
    far = len(core.goal)
    away = sum(abs(place - rank.get(item, place + far)) for place, item in enumerate(arrangement))
    return max(0.0, 1.0 - away / (far * far // 2))


def _arrangement(frame: Frame, core: PermutationCore) -> Arrangement | None:
    """What the places hold, where all of it is numbers."""
    rows = dict(frame.locals)
    if not core.style.endswith("loop"):
        return numbers_in([rows.get(name, "") for name in place_names(core.items)], core.items)
    label = label_of(rows.get("items", ""))
    content = "" if label is None else dict(frame.heap).get(label, "")
    return numbers_in(content[1:-1].split(", "), core.items)


def numbers_in(texts: Sequence[str], count: int) -> Arrangement | None:
    """So many whole numbers; None where the texts are anything else."""
    if len(texts) != count or not all(_WHOLE_NUMBER.fullmatch(text) for text in texts):
        return None
    return tuple(map(int, texts))


@lru_cache(maxsize=8192)
def _program(source: str) -> Program:
    return decomposed(source, "f")


@lru_cache(maxsize=8192)
def _line_of(source: str, line: int) -> int:
    """The first line of the decomposed program that was made of a line; 0 stands for the last one."""
    return _program(source).origin.index(line or source.count("\n")) + 1


def _standing(frame: Frame, line: int) -> Frame:
    """The frame with its execution at another line: what it holds does not depend on where it is held."""
    here = replace(frame.stack[-1], line=line)
    return Frame("line", (*frame.stack[:-1], here), frame.heap, frame.globals)

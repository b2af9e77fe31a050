"""`cwm_agent/Trace-v0`: predict the next frame of a real run, step by step; it scores any model of execution.

Observation: the program (without line numbers), the event and line of the current frame, and the variables as text.
Action: the line and changes of the next frame, as in `trace_core.py`. Reward: 1 for a right frame; with `parts`, half
for the line and half for the changes. The next observation is always the real frame.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from gymnasium.spaces import Dict, Discrete, Text

from envs.domains.trace_core import Claim, ClaimScore, TraceCore, TraceState, written_out
from envs.errors import BadEnvOption
from envs.execution.decompose.program import decomposed, plain
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.state.frames import Event
from envs.execution.tracer.reality import Reality
from envs.execution.tracer.tracer import TraceLimits
from envs.gym.env_options import (
    check_reset_options,
    check_whole,
    loaded_tasks,
    task_named,
)
from envs.gym.text_env import SandboxedEnv
from tasks import RepairTask, TraceTask
from tasks.traced_calls import traced_task

Observation = dict[str, Any]
EVENTS: tuple[Event, ...] = get_args(Event)


class TraceEnv(SandboxedEnv[Observation, dict[str, Any]]):
    """Real calls: `reset` runs one in the sandbox, each step claims one frame.

    Args:
        tasks: trace tasks, repair tasks (the calls of their visible tests), or an argument of tasks.load.
        level: `operations` for the decomposed program, `plain` for the original one.
        stop_at_error: whether the first wrong frame ends the episode; its length is then the survival.
        parts: whether line and changes earn 0.5 each; otherwise only a right frame earns 1.
        steps: largest number of frames of a run; the episode of a longer run ends truncated.
        longest: largest number of characters of source and of state in an observation.
        sandbox: sandbox to use; without one, the environment opens and closes its own.
    """

    def __init__(
        self,
        *,
        tasks: Sequence[TraceTask | RepairTask] | str = "repair",
        level: str = "operations",
        stop_at_error: bool = False,
        parts: bool = False,
        steps: int = 1000,
        longest: int = 20_000,
        sandbox: Sandbox | None = None,
        render_mode: str | None = None,
    ) -> None:
        if level not in ("operations", "plain"):
            raise BadEnvOption(f"level={level!r}: choose 'operations' or 'plain'.")
        super().__init__(sandbox, render_mode)
        self.tasks = _trace_tasks(tasks)
        self.level, self.stop_at_error, self.parts = level, bool(stop_at_error), bool(parts)
        self.steps, self._longest = check_whole("steps", steps, 2), check_whole("longest", longest, 100)
        self._core: TraceCore | None = None
        self.task = self.tasks[0]
        self.state = TraceState()
        self._last: tuple[Claim, ClaimScore] | None = None
        text = Text(self._longest, min_length=0, charset=_characters(self.tasks))
        self.observation_space = Dict(
            {"source": text, "event": Discrete(len(EVENTS)), "line": Discrete(self._longest), "state": text}
        )
        self.action_space = Dict({"line": Discrete(self._longest), "changes": text})

    def _values(self) -> tuple[Any, ...]:
        return (*super()._values(), self._core, self.state, self._last)

    @property
    def core(self) -> TraceCore:
        """The run of this episode."""
        if self._core is None:
            raise RuntimeError("TraceEnv.core: there is no run before reset(). Call reset() first.")
        return self._core

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Runs a random call, or the one that `options={"task": id}` names."""
        super().reset(seed=seed)
        given = check_reset_options(options, ("task",))
        drawn = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        self.task = task_named(given["task"], self.tasks) if "task" in given else drawn
        reality = Reality(self._opened())
        limits, world = TraceLimits(steps=self.steps), self.task.world.record()
        call = traced_task(self.task)
        program = (decomposed if self.level == "operations" else plain)(call.source, call.entry)
        run = reality.trace(program, call.arguments, limits, world)
        reality.close()
        self._core = TraceCore(program, run)
        self.state, self._last = self._core.initial(), None
        self._show()
        return self.observation(), self._info()

    def step(self, action: dict[str, Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Scores one claim about the next frame, and returns the real next frame."""
        if self.core.is_over(self.state):
            raise RuntimeError("step() after the last frame. Call reset() first.")
        claim = _claim(action)
        score = self.core.score(self.state, claim)
        truth = self.core.truth(self.state)
        self.state = self.core.transition(self.state, claim)
        self._last = (claim, score)
        over = self.core.is_over(self.state)
        cut = over and self.core.trace.outcome.ending == "truncated"
        stopped = self.stop_at_error and not score.right
        reward = (score.line + score.changes) / 2 if self.parts else float(score.right)
        self._show()
        info = self._info() | {"line_right": score.line, "changes_right": score.changes}
        info |= {"real_line": truth.line, "real_changes": truth.changes}
        return self.observation(), reward, (over and not cut) or stopped, cut and not stopped, info

    def observation(self) -> Observation:
        """The current state as an observation."""
        frame = self.core.frame(self.state)
        rows = [f"{name} = {text}" for name, text in written_out(frame).items()]
        return {
            "source": self._fitting(self.core.program.source),
            "event": np.int64(EVENTS.index(frame.event)),
            "line": np.int64(frame.line),
            "state": self._fitting("\n".join(rows)),
        }

    def _fitting(self, text: str) -> str:
        """The text, cut to `longest`; characters outside the observation space become `?`."""
        known = self.observation_space["source"].character_set  # type: ignore[index]
        return "".join(each if each in known else "?" for each in text[: self._longest])

    def _info(self) -> dict[str, Any]:
        frames = len(self.core.trace.frames)
        return {"task": self.task.id, "frames": frames, "place": self.state.place, "right": self.state.right}

    def _rendered(self) -> str:
        """The current frame and the last claim."""
        frame, frames = self.core.frame(self.state), len(self.core.trace.frames)
        line = self.core.program.lines[frame.line - 1].strip()
        last = ""
        if self._last is not None:
            claim, score = self._last
            last = f"  claimed {claim.line} ({'right' if score.right else 'wrong'})"
        rows = [f"    {name} = {text}" for name, text in written_out(frame).items()]
        head = f"{self.task.id}  {self.state.place + 1}/{frames}  {frame.event} {frame.line}: {line}{last}"
        return "\n".join([head, *rows])


def _claim(action: Any) -> Claim:
    if not isinstance(action, Mapping) or not {"line", "changes"} <= action.keys():
        raise BadEnvOption(f"action {action!r:.80}: give a dict with 'line' and 'changes'.")
    return Claim(check_whole("line", action["line"], 0), str(action["changes"]))


def _trace_tasks(tasks: Sequence[TraceTask | RepairTask] | str) -> tuple[TraceTask, ...]:
    found = loaded_tasks(tasks)
    calls = [task for task in found if isinstance(task, TraceTask)]
    calls += [call for task in found if isinstance(task, RepairTask) for call in task.traces()]
    if not calls:
        raise BadEnvOption(f"tasks={tasks!r:.80} has no call to trace.")
    return tuple(calls)


def _characters(tasks: Sequence[TraceTask]) -> frozenset[str]:
    return frozenset(string.printable).union(*(task.source + task.arguments for task in tasks))

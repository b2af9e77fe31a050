"""`cwm_agent/Repair-v0`: edit a buggy program until its tests pass; every edited program runs in the sandbox.

Observation: the source, the tests that pass, the remaining budget and, unless switched off, the suspicion of each line
of the buggy program. Action: the rank of an edit in the core's stable order. Reward: the gain in the share of passing
tests, minus a price for each real execution. No observation shows the hidden tests; `passes_hidden()` runs them after
the episode.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Text
from numpy.typing import NDArray

from envs.domains.evaluation import Evaluation, Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.domains.repair_core import RepairCore, RepairState
from envs.editing.edit import Edit
from envs.editing.edit_spans import EditSpan, moved, spans_of
from envs.errors import BadEnvOption
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from envs.gym.env_options import (
    check_action,
    check_number,
    check_reset_options,
    check_whole,
    loaded_tasks,
    task_named,
)
from envs.gym.repair_rendering import rendered_repair
from envs.gym.text_env import SandboxedEnv
from tasks import RepairTask

Observation = dict[str, Any]
Keep = Literal["better", "always"]
_MAX_GROWTH = 2000
"""Number of characters that edits may add to a program."""


class RepairEnv(SandboxedEnv[Observation, np.int64]):
    """Repair tasks: `reset` picks a task, each step makes one edit and runs the tests.

    Args:
        tasks: repair tasks, or an argument of tasks.load; each reset draws one.
        budget: real executions per episode; the run of the buggy program, with its coverage, is the first.
        max_edits: size of the action space; further edits of a program are left out and counted in info.
        keep: `better` reverts an edit that gains no test, and masks it until another edit is kept; then the edits of
            the new program are listed. `always` keeps every edit, for edits that help only together. Its ranks stand
            for the edits of the buggy program during the whole episode; edits that clash with a made one are masked.
        localisation: whether the observation includes the Ochiai suspicion of each line.
        price: cost of each real execution in the reward.
        sandbox: sandbox to use; without one, the environment opens and closes its own.
    """

    def __init__(
        self,
        *,
        tasks: Sequence[RepairTask] | str = "repair",
        budget: int = 200,
        max_edits: int = 1024,
        keep: Keep = "better",
        localisation: bool = True,
        price: float = 0.001,
        sandbox: Sandbox | None = None,
        render_mode: str | None = None,
    ) -> None:
        if keep not in ("better", "always"):
            raise BadEnvOption(f"keep={keep!r}: choose 'better' or 'always'.")
        super().__init__(sandbox, render_mode)
        self.tasks = _repair_tasks(tasks)
        self.budget, self.max_edits = check_whole("budget", budget, 2), check_whole("max_edits", max_edits, 1)
        self.keep, self.localisation, self.price = keep, bool(localisation), check_number("price", price)
        self.evaluator: Evaluator | None = None
        self.action_space = Discrete(max_edits)
        self.observation_space = self._space()
        self.task = self.tasks[0]
        self._begin(self.task)

    def _space(self) -> Dict:
        """The observation space, large enough for every task."""
        characters = frozenset(string.printable).union(*(task.source for task in self.tasks))
        longest = max(len(task.source) for task in self.tasks) + _MAX_GROWTH
        tests = max(len(task.tests) for task in self.tasks)
        self._lines = max(task.source.count("\n") + 1 for task in self.tasks)
        spaces: dict[str, gymnasium.Space[Any]] = {
            "source": Text(longest, charset=characters),
            "tests": Box(-1, 1, (tests,), np.int8),  # 1 passes, 0 fails, -1 no such test
            "budget": Box(0, self.budget, (1,), np.int64),
        }
        if self.localisation:
            spaces["suspicion"] = Box(0, 1, (self._lines,), np.float32)
        return Dict(spaces)

    def _values(self) -> tuple[Any, ...]:
        evaluation = getattr(self, "evaluation", None)
        listed = (self._offered, self.offered, self._spans)
        return (*super()._values(), self.core, self.state, evaluation, self._last, *listed)

    def _begin(self, task: RepairTask) -> None:
        self.task = task
        self.core = RepairCore.of_task(task)
        self.state: RepairState = self.core.initial()
        self._suspicion: dict[int, float] = {}
        self._offered: tuple[Edit, ...] = ()
        self.offered: tuple[Edit, ...] = ()
        """The edits that ranks stand for; the same object until edits are listed again."""
        self._spans: tuple[EditSpan, ...] = ()
        """Spans of the offered edits in the program that they were listed for."""
        self._made: list[EditSpan] = []
        """Spans of the edits made since then."""
        self._allowed = np.zeros(self.max_edits, dtype=np.bool_)
        self._last: tuple[Edit, Evaluation] | None = None
        self._refused = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a random task, or the one that `options={"task": id}` names, and runs its buggy program."""
        super().reset(seed=seed)
        given = check_reset_options(options, ("task",))
        drawn = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        self._begin(task_named(given["task"], self.tasks) if "task" in given else drawn)
        sandbox = self._opened()
        self.evaluator = Evaluator(self.task, sandbox)
        self.evaluation = self.evaluator.original
        if self.localisation:
            limits = self.evaluator.limits
            lines = coverage(sandbox, self.task.source, self.task.tests, entry=self.task.entry, limits=limits)
            self._suspicion = ochiai(lines, self.evaluation.marks)
        self._offer()
        self._show()
        return self.observation(), self._info() | {"refused": False}

    def _offer(self) -> None:
        """Lists the edits of the current program."""
        self._offered, self._made = self.core.actions(self.state), []
        self.offered = self._offered[: self.max_edits]
        self._spans = spans_of(self.state.source, self._offered)
        self._allowed[:] = np.arange(self.max_edits) < len(self._offered)

    def _mask_clashing(self, made: EditSpan) -> None:
        """Masks the edits that clash with the edit just made."""
        self._made.append(made)
        clashing = [rank for rank, span in enumerate(self._spans[: self.max_edits]) if span.clashes(made)]
        self._allowed[clashing] = False

    @property
    def suspicion(self) -> Mapping[int, float]:
        """The suspicion of each line of the buggy program; empty without localisation."""
        return self._suspicion

    @property
    def limits(self) -> SandboxLimits:
        """The sandbox limits of each test in this episode."""
        if self.evaluator is None:
            raise RuntimeError("There are no limits before reset(). Call reset() first.")
        return self.evaluator.limits

    @property
    def executions(self) -> int:
        """Number of real executions in this episode."""
        return self.evaluator.executions if self.evaluator else 0

    @property
    def spent(self) -> int:
        """Budget used so far: real executions plus refused actions."""
        return self.executions + self._refused

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Makes one edit and runs the program; a masked action is refused and costs as much as an execution."""
        if self.evaluator is None:
            raise RuntimeError("step() before reset(): there is no program yet. Call reset() first.")
        before, spent = self.evaluation.share, self.spent
        rank = check_action(action, self.max_edits)
        refused = not self._allowed[rank]
        if refused:
            self._refused += 1
        else:
            self._allowed[rank] = False
            self._attempt(self.evaluator, rank)
        reward = self.evaluation.share - before - self.price * (self.spent - spent)
        solved = self.evaluation.solved
        ended = self.spent >= self.budget or not self._allowed.any()
        self._show()
        info = self._info() | {"refused": bool(refused)}
        return self.observation(), float(reward), solved, not solved and ended, info

    def _attempt(self, evaluator: Evaluator, action: int) -> None:
        """Runs the program with one more edit, and keeps the edit according to `keep`."""
        edit = self.edit_of(action)
        state = self.core.transition(self.state, edit)
        found = evaluator.run(state.source)
        self._last = (edit, found)
        fits = len(state.source) <= self._longest
        if fits and (self.keep == "always" or found.share > self.evaluation.share):
            self.state, self.evaluation = state, found
            if self.keep == "always":
                self._mask_clashing(self._spans[action])
            elif not found.solved:
                self._offer()

    @property
    def _longest(self) -> int:
        space = self.observation_space["source"]  # type: ignore[index]
        return int(space.max_length)

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of ranks whose edit can be made now, for sb3-contrib."""
        return self._allowed.copy()

    def edit_of(self, action: int) -> Edit:
        """The edit of an action, at its place in the current program."""
        return moved(self._offered[action], self._spans[action], self._made, self.state.source)

    def passes_hidden(self) -> bool | None:
        """Whether the current program passes the hidden tests; None if the task has none."""
        return self.evaluator.passes_hidden(self.state.source) if self.evaluator else None

    def observation(self) -> Observation:
        """The current state as an observation."""
        tests = np.full(self.observation_space["tests"].shape, -1, dtype=np.int8)  # type: ignore[index]
        tests[: len(self.evaluation.marks)] = [int(bool(mark)) for mark in self.evaluation.marks]
        left = max(0, self.budget - self.spent)
        found: Observation = {
            "source": self.state.source,
            "tests": tests,
            "budget": np.array([left], dtype=np.int64),
        }
        if self.localisation:
            suspicion = np.zeros(self._lines, dtype=np.float32)
            for line, value in self._suspicion.items():
                suspicion[line - 1] = value
            found["suspicion"] = suspicion
        return found

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._allowed.astype(np.int8),
            "task": self.task.id,
            "executions": self.executions,
            "edits": len(self._offered),
            "edits_left_out": max(0, len(self._offered) - self.max_edits),
            "patch": tuple(map(str, self.state.patch)),
            "tried": "" if self._last is None else str(self._last[0]),
        }

    def _rendered(self) -> str:
        """The patch as a diff, with a mark for each test."""
        spent = f"{self.executions}/{self.budget}"
        return rendered_repair(self.task, self.state.source, self.evaluation, spent=spent, last=self._last)


def _repair_tasks(tasks: Sequence[RepairTask] | str) -> tuple[RepairTask, ...]:
    found = loaded_tasks(tasks)
    kept = tuple(task for task in found if isinstance(task, RepairTask))
    if not kept:
        raise BadEnvOption(f"tasks={tasks!r:.80} has no repair task.")
    return kept

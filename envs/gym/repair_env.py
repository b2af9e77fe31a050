"""`cwm_agent/Repair-v0`: edit a buggy program until its tests pass, every attempt really run in the sandbox.

Observation: the program's text, which tests pass, the budget left and, where asked for, how suspicious each line of
the buggy program is. Action: the rank of an edit in the core's stable order. Reward: the share of tests gained,
less a price for each real execution. Hidden tests appear nowhere; `passes_hidden()` asks them after the episode.
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
from envs.gym.env_options import check_render_mode, check_reset_options
from envs.gym.repair_rendering import picture
from tasks import RepairTask, load

Observation = dict[str, Any]
Keep = Literal["better", "always"]
_ROOM = 2000
"""Characters that edits may add to a program."""


class RepairEnv(gymnasium.Env[Observation, np.int64]):
    """One task after another: `reset` picks a task, each step makes one edit and runs the tests.

    Args:
        tasks: repair tasks, or anything that tasks.load takes; each reset draws one by the seed.
        budget: real executions an episode; the buggy program's own run, with its coverage, is the first.
        max_edits: size of the action space; edits of a program beyond it are left out and counted in info.
        keep: `better` takes an edit back that gains no test, and it is not offered again until another is kept, when
            the edits of the new program are listed; `always` keeps every edit, so that edits which help only together
            can be made one after the other. Its ranks stand for the buggy program's edits all episode long; those in
            the way of one made are masked.
        localisation: whether the observation holds Ochiai's suspicion of each line.
        price: reward lost with each real execution.
        sandbox: where programs run; the environment opens and closes its own where none is given.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012 - Gymnasium declares it so

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
        if budget < 2 or max_edits < 1:
            raise BadEnvOption(f"budget={budget}, max_edits={max_edits}: at least 2 and 1 are needed.")
        if keep not in ("better", "always"):
            raise BadEnvOption(f"keep={keep!r}: choose 'better' or 'always'.")
        self.render_mode = check_render_mode(render_mode, self.metadata)
        self.tasks = _repair_tasks(tasks)
        self.budget, self.max_edits, self.keep = budget, max_edits, keep
        self.localisation, self.price = localisation, price
        self._sandbox, self._own_sandbox = sandbox, sandbox is None
        self.evaluator: Evaluator | None = None
        self.action_space = Discrete(max_edits)
        self.observation_space = self._space()
        self.task = self.tasks[0]
        self._begin(self.task)

    def _space(self) -> Dict:
        """Room for the largest of the tasks."""
        characters = frozenset(string.printable).union(*(task.source for task in self.tasks))
        longest = max(len(task.source) for task in self.tasks) + _ROOM
        tests = max(len(task.tests) for task in self.tasks)
        self._lines = max(task.source.count("\n") + 1 for task in self.tasks)
        spaces: dict[str, gymnasium.Space[Any]] = {
            "source": Text(longest, charset=characters),
            "tests": Box(-1, 1, (tests,), np.int8),  # 1 passes, 0 fails, -1 there is no such test
            "budget": Box(0, self.budget, (1,), np.int64),
        }
        if self.localisation:
            spaces["suspicion"] = Box(0, 1, (self._lines,), np.float32)
        return Dict(spaces)

    def _begin(self, task: RepairTask) -> None:
        self.task = task
        self.core = RepairCore.of_task(task)
        self.state: RepairState = self.core.initial()
        self._suspicion: dict[int, float] = {}
        self._offered: tuple[Edit, ...] = ()
        self._spans: tuple[EditSpan, ...] = ()
        """Where the offered edits stand in the program that they were listed for."""
        self._made: list[EditSpan] = []
        """Of the edits made since."""
        self._allowed = np.zeros(self.max_edits, dtype=np.bool_)
        self._last: tuple[Edit, Evaluation] | None = None
        self._refused = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A task drawn by the seed, or the one named by `options={"task": id}`, with its buggy program run."""
        super().reset(seed=seed)
        given = check_reset_options(options, ("task",))
        drawn = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        self._begin(self._named(given["task"]) if "task" in given else drawn)
        sandbox = self._opened()
        self.evaluator = Evaluator(self.task, sandbox)
        self.evaluation = self.evaluator.original
        if self.localisation:
            limits = self.evaluator.limits
            lines = coverage(sandbox, self.task.source, self.task.tests, entry=self.task.entry, limits=limits)
            self._suspicion = ochiai(lines, self.evaluation.marks)
        self._offer()
        self._show()
        return self._observation(), self._info() | {"refused": False}

    def _named(self, name: str) -> RepairTask:
        for task in self.tasks:
            if task.id == name:
                return task
        raise BadEnvOption(f"No task named {name!r} among the {len(self.tasks)} of this environment.")

    def _opened(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = Sandbox()
        return self._sandbox

    def _offer(self) -> None:
        """List the edits of the program as it stands."""
        self._offered, self._made = self.core.actions(self.state), []
        self._spans = spans_of(self.state.source, self._offered)
        self._allowed[:] = np.arange(self.max_edits) < len(self._offered)

    def _offer_the_rest(self, made: EditSpan) -> None:
        """Mask what is in the way of the edit just made."""
        self._made.append(made)
        clashing = [rank for rank, span in enumerate(self._spans[: self.max_edits]) if span.clashes(made)]
        self._allowed[clashing] = False

    @property
    def limits(self) -> SandboxLimits:
        """The limits in force for each test of this episode's programs."""
        if self.evaluator is None:
            raise RuntimeError("There are no limits before reset(). Call reset() first.")
        return self.evaluator.limits

    @property
    def executions(self) -> int:
        """Real executions of this episode so far."""
        return self.evaluator.executions if self.evaluator else 0

    @property
    def spent(self) -> int:
        """What counts against the budget: real executions, and masked actions that were tried all the same."""
        return self.executions + self._refused

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One edit made and really run; a masked action changes nothing and costs as much as an execution."""
        if self.evaluator is None:
            raise RuntimeError("step() before reset(): there is no program yet. Call reset() first.")
        before, spent = self.evaluation.share, self.spent
        refused = not self._allowed[int(action)]
        if refused:
            self._refused += 1
        else:
            self._allowed[int(action)] = False
            self._attempt(self.evaluator, int(action))
        reward = self.evaluation.share - before - self.price * (self.spent - spent)
        solved = self.evaluation.solved
        ended = self.spent >= self.budget or not self._allowed.any()
        self._show()
        info = self._info() | {"refused": bool(refused)}
        return self._observation(), float(reward), solved, not solved and ended, info

    def _attempt(self, evaluator: Evaluator, action: int) -> None:
        """Run the program with one more edit, and keep it as `keep` says."""
        edit = self.edit_of(action)
        state = self.core.transition(self.state, edit)
        found = evaluator.run(state.source)
        self._last = (edit, found)
        fits = len(state.source) <= self._longest
        if fits and (self.keep == "always" or found.share > self.evaluation.share):
            self.state, self.evaluation = state, found
            if self.keep == "always":
                self._offer_the_rest(self._spans[action])
            elif not found.solved:
                self._offer()

    @property
    def _longest(self) -> int:
        space = self.observation_space["source"]  # type: ignore[index]
        return int(space.max_length)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which ranks stand for an edit that may be made now; for sb3-contrib."""
        return self._allowed.copy()

    def edit_of(self, action: int) -> Edit:
        """The edit that an action stands for, where it stands in the program now."""
        return moved(self._offered[action], self._spans[action], self._made, self.state.source)

    def passes_hidden(self) -> bool | None:
        """Whether the program as it stands passes the task's hidden tests; None where there are none."""
        return self.evaluator.passes_hidden(self.state.source) if self.evaluator else None

    def _observation(self) -> Observation:
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

    def render(self) -> str | None:
        """The patch so far as a diff with a mark for each test; mode human has printed it already."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without render_mode='ansi' or 'human' at make().")
            return None
        return self._picture() if self.render_mode == "ansi" else None

    def _picture(self) -> str:
        return picture(self.task, self.state.source, self.evaluation, self.executions, self.budget, self._last)

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._picture())

    def close(self) -> None:
        """End the sandbox, where it is the environment's own."""
        if self._own_sandbox and self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None


def _repair_tasks(tasks: Sequence[RepairTask] | str) -> tuple[RepairTask, ...]:
    found = load(tasks).tasks if isinstance(tasks, str) else tasks
    kept = tuple(task for task in found if isinstance(task, RepairTask))
    if not kept:
        raise BadEnvOption(f"tasks={tasks!r} holds no repair task.")
    return kept

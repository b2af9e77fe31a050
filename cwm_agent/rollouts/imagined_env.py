"""Imagined environments: an oracle computes the consequences of actions; spaces, masks, rewards and rendering stay.

A policy can therefore be trained in an imagined environment and tested in the real one. A real environment executes
programs in one place: permutation when a command moves the items, repair when the tests of a program run. An imagined
environment asks the oracle there and keeps everything else. When the imagined state is no valid observation (an item
that does not exist, an oracle without an answer), the episode ends truncated, with `info["stop_reason"]`. Knows no
learner. Gymnasium is imported here, so import this module only where environments are needed.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, cast

import gymnasium

from cwm_agent.agent.permutation.known_plans import PlanState
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation, imagine_commands
from cwm_agent.agent.repair.beliefs import RolloutImaginer
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.protocol import MarkovView, Oracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.rollouts.errors import NotImaginable
from envs.domains.evaluation import Evaluation, Evaluator
from envs.domains.permutation_commands import Arrangement, Command
from envs.domains.permutation_core import PermutationCore
from envs.execution.sandbox.sandbox import SandboxLimits
from envs.gym.permutation_env import PermutationEnv
from envs.gym.repair_env import RepairEnv


class ImaginationFailed(Exception):
    """The imagined state is no valid observation; the message says why."""


class ImaginedEnv(gymnasium.Env[Any, Any]):
    """A real environment in which an oracle computes the consequences of actions.

    Args:
        env: a Permutation-v0 or Repair-v0 environment; the imagined environment owns it afterwards.
        oracle: predicts frames; its answers are cached. Several environments share a cache if they get one
            `CachedOracle`.
        view, guide: the text that the oracle sees, and the rule that decides the next line.
        steps: most frames of an imagined test of a repair; the result of a longer test stays unknown.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        oracle: Oracle,
        *,
        view: MarkovView = "local",
        guide: Guide = GROUNDED,
        steps: int = 1_000,
    ) -> None:
        real = env.unwrapped
        if not isinstance(real, PermutationEnv | RepairEnv):
            raise NotImaginable(
                f"{real} has no world that an oracle imagines; give cwm_agent/Permutation-v0 or cwm_agent/Repair-v0."
            )
        self.real: PermutationEnv | RepairEnv = real
        self.metadata = real.metadata
        self.observation_space, self.action_space = real.observation_space, real.action_space
        self.render_mode = real.render_mode
        cached = oracle if isinstance(oracle, CachedOracle) else CachedOracle(oracle)
        self._imaginer = RolloutImaginer(cached, view, guide, steps=steps)
        self._last: Any = None

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A problem drawn by the real environment; the buggy program of a repair is executed for real."""
        super().reset(seed=seed)
        self._last, info = self.real.reset(seed=seed, options=options)
        self._install_oracle()
        return self._last, info

    def _install_oracle(self) -> None:
        """Replace the part of the real environment that executes programs by one that asks the oracle."""
        imaginer, real = self._imaginer, self.real
        if isinstance(real, PermutationEnv):
            world = ImaginedPermutation(real.core, imaginer.oracle, imaginer.view, imaginer.guide)
            real.core = cast(PermutationCore, ImaginedCore(real.core, world, world.start()))
        else:
            assert real.evaluator is not None
            real.evaluator = cast(Evaluator, ImaginedEvaluator(real.evaluator, imaginer))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action; the oracle computes its consequences."""
        try:
            self._last, reward, terminated, truncated, info = self.real.step(action)
        except ImaginationFailed as failure:
            info = {"action_mask": self.action_masks().astype("int8"), "stop_reason": str(failure)}
            return self._last, -self.real.price, False, True, info
        return self._last, reward, terminated, truncated, info

    def __deepcopy__(self, memo: dict[int, Any]) -> ImaginedEnv:
        """A copy that can be stepped on its own; it asks the same oracle."""
        copied = copy.copy(self)
        memo[id(self)] = copied
        copied.real = copy.deepcopy(self.real, memo)
        copied.observation_space, copied.action_space = copied.real.observation_space, copied.real.action_space
        return copied

    @property
    def np_random(self) -> Any:
        """The random numbers of the real environment."""
        return self.real.np_random

    @np_random.setter
    def np_random(self, value: Any) -> None:
        self.real.np_random = value

    def action_masks(self) -> Any:
        """The allowed actions, under the name that sb3-contrib calls."""
        return self.real.action_masks()

    def render(self) -> Any:
        """The imagined state, rendered by the real environment."""
        return self.real.render()

    def close(self) -> None:
        self.real.close()


@dataclass(slots=True)
class ImaginedCore:
    """A permutation core whose commands an oracle executes; it holds the plan so far, so call it in order."""

    real: PermutationCore
    world: ImaginedPermutation
    here: PlanState

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "real":  # looked up on a copy that is still incomplete
            raise AttributeError(name)
        return getattr(self.real, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> ImaginedCore:
        return ImaginedCore(self.real, self.world, self.here)

    def transition(self, state: Arrangement, command: Command) -> Arrangement:
        """The imagined state after a command; raises `ImaginationFailed` where that is no valid observation."""
        self.here = self.world.step([(self.here, command)], Random(0))[0].state
        found = self.here.arrangement
        if found is None:
            raise ImaginationFailed(self.here.reason or "a place was imagined to hold no number")
        unknown = sorted(set(found) - set(self.real.goal))
        if unknown:
            raise ImaginationFailed(f"the item {unknown[0]} was imagined, which does not exist")
        return found


@dataclass(slots=True)
class ImaginedEvaluator:
    """An evaluator that imagines the tests of candidates; only the buggy program was executed."""

    real: Evaluator
    imaginer: RolloutImaginer
    executions: int = 1
    """Distinct programs evaluated, with the buggy one: counted as in the real environment, for the same budget."""
    _known: dict[str, Evaluation] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict[int, Any]) -> ImaginedEvaluator:
        return replace(self, _known=dict(self._known))

    @property
    def original(self) -> Evaluation:
        return self.real.original

    @property
    def limits(self) -> SandboxLimits:
        return self.real.limits

    def run(self, source: str) -> Evaluation:
        """The imagined results of the visible tests; a test with unknown result counts as failed."""
        if source not in self._known:
            self.executions += 1
            task = self.real.task
            beliefs = self.imaginer.beliefs([(source, task.entry, test) for test in task.tests])
            marks, values = (tuple(each.passes for each in beliefs), tuple(each.value for each in beliefs))
            self._known[source] = Evaluation(marks, values)
        return self._known[source]

    def passes_hidden(self, source: str) -> bool | None:
        """Whether the hidden tests pass; they are executed for real, after the episode."""
        return self.real.passes_hidden(source)


def prefetch(imagined: Sequence[ImaginedEnv], actions: Sequence[Any]) -> None:
    """Ask the oracle about one action of each environment in one batch; each environment then finds its answer cached.

    The environments share a `CachedOracle` and their settings. An oracle whose answers are not cached is not asked.
    """
    if len(imagined) < 2 or not imagined[0]._imaginer.oracle.deterministic:  # type: ignore[attr-defined]  # cached
        return
    commands, tests = [], []
    for env, action in zip(imagined, actions, strict=True):
        real = env.real
        if isinstance(real, PermutationEnv):
            core = cast(ImaginedCore, real.core)
            commands.append((core.world, core.here, core.real.commands[int(action)]))
        elif real.action_masks()[int(action)]:
            source = real.core.transition(real.state, real.edit_of(int(action))).source
            tests += [(source, real.task.entry, test) for test in real.task.tests]
    imagine_commands(commands)
    imagined[0]._imaginer.beliefs(tests)

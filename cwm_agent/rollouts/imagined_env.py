"""Environments whose world is imagined: same spaces, masks, rewards and rendering as the real ones, so that a policy
can be trained in imagination and tested in reality without noticing.

Each real environment looks at reality in one place: permutation when a command moves the items, repair when a program's
tests are run. A dream puts an oracle there and leaves all else as it is. A dream that can no longer be observed (an
item that does not exist, an oracle that says nothing) ends truncated, with the reason in `info["woke"]`. Knows no
learner; Gymnasium is imported here, so import this module only where environments are wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """What was imagined cannot be observed; the message says why."""


class ImaginedEnv(gymnasium.Env[Any, Any]):
    """A real environment's twin, imagined.

    Args:
        env: a Permutation-v0 or Repair-v0 environment; the dream owns it from here on.
        oracle: what imagines; what it said is remembered. Give several dreams one MemoOracle to have them share it.
        view, guide: what the oracle is shown, and who decides the next line.
        steps: frames of an imagined test of a repair, after which it stays unknown.
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
                f"{real} has no world that an oracle imagines; give a cwm_agent/Permutation-v0 or Repair-v0."
            )
        self.real: PermutationEnv | RepairEnv = real
        self.metadata = real.metadata
        self.observation_space, self.action_space = real.observation_space, real.action_space
        self.render_mode = real.render_mode
        memo = oracle if isinstance(oracle, CachedOracle) else CachedOracle(oracle)
        self._dreamer = RolloutImaginer(memo, view, guide, steps=steps)
        self._last: Any = None

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A problem as the real environment draws it; the buggy program of a repair has really been run."""
        super().reset(seed=seed)
        self._last, info = self.real.reset(seed=seed, options=options)
        self._fall_asleep()
        return self._last, info

    def _fall_asleep(self) -> None:
        """Put the oracle where the real environment looks at reality."""
        dreamer, real = self._dreamer, self.real
        if isinstance(real, PermutationEnv):
            world = ImaginedPermutation(real.core, dreamer.oracle, dreamer.view, dreamer.guide)
            real.core = cast(PermutationCore, ImaginedCore(real.core, world, world.start()))
        else:
            assert real.evaluator is not None
            real.evaluator = cast(Evaluator, ImaginedEvaluator(real.evaluator, dreamer))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One action, its consequences imagined."""
        try:
            self._last, reward, terminated, truncated, info = self.real.step(action)
        except ImaginationFailed as woke:
            info = {"action_mask": self.action_masks().astype("int8"), "woke": str(woke)}
            return self._last, -self.real.price, False, True, info
        return self._last, reward, terminated, truncated, info

    def action_masks(self) -> Any:
        """Which actions may be taken; for sb3-contrib."""
        return self.real.action_masks()

    def render(self) -> Any:
        """The dream so far, as the real environment shows itself."""
        return self.real.render()

    def close(self) -> None:
        self.real.close()


@dataclass(slots=True)
class ImaginedCore:
    """A permutation core whose commands an oracle carries out; asked one after the other, so it knows its plan."""

    real: PermutationCore
    world: ImaginedPermutation
    here: PlanState

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "real":  # asked of a copy that is still being made
            raise AttributeError(name)
        return getattr(self.real, name)

    def transition(self, state: Arrangement, command: Command) -> Arrangement:
        """Where the command is imagined to lead; Woke where that cannot be observed."""
        self.here = self.world.step([(self.here, command)], Random(0))[0].state
        found = self.here.arrangement
        if found is None:
            raise ImaginationFailed(self.here.reason or "a place was imagined to hold no number")
        strangers = sorted(set(found) - set(self.real.goal))
        if strangers:
            raise ImaginationFailed(f"the item {strangers[0]} was imagined, which does not exist")
        return found


@dataclass(slots=True)
class ImaginedEvaluator:
    """An evaluator that imagines the tests instead of running them; only the buggy program was run."""

    real: Evaluator
    dreamer: RolloutImaginer
    executions: int = 1
    """Different programs evaluated, the buggy one included: the dream's budget counts as the real one does."""
    _known: dict[str, Evaluation] = field(default_factory=dict)

    @property
    def original(self) -> Evaluation:
        return self.real.original

    @property
    def limits(self) -> SandboxLimits:
        return self.real.limits

    def run(self, source: str) -> Evaluation:
        """The visible tests as imagined; one of which nothing is known does not count as passed."""
        if source not in self._known:
            self.executions += 1
            task = self.real.task
            beliefs = self.dreamer.beliefs([(source, task.entry, test) for test in task.tests])
            marks, values = (tuple(each.passes for each in beliefs), tuple(each.value for each in beliefs))
            self._known[source] = Evaluation(marks, values)
        return self._known[source]

    def passes_hidden(self, source: str) -> bool | None:
        """Hidden tests judge after the episode, and for real."""
        return self.real.passes_hidden(source)


def foresee(dreams: Sequence[ImaginedEnv], actions: Sequence[Any]) -> None:
    """Imagine one action of each dream in one batch, so that each dream then finds its own remembered.

    For dreams that share a MemoOracle and their settings; where nothing is remembered nothing is imagined ahead.
    """
    if len(dreams) < 2 or not dreams[0]._dreamer.oracle.deterministic:  # type: ignore[attr-defined]  # a memo
        return
    commands, tests = [], []
    for dream, action in zip(dreams, actions, strict=True):
        real = dream.real
        if isinstance(real, PermutationEnv):
            core = cast(ImaginedCore, real.core)
            commands.append((core.world, core.here, core.real.commands[int(action)]))
        elif real.action_masks()[int(action)]:
            source = real.core.transition(real.state, real.edit_of(int(action))).source
            tests += [(source, real.task.entry, test) for test in real.task.tests]
    imagine_commands(commands)
    dreams[0]._dreamer.beliefs(tests)

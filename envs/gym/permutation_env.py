"""`cwm_agent/Permutation-v0`: give commands until the items are in the goal order. A thin layer over PermutationCore.

Observation: for each place, the rank in the goal of the item there. If the state is shown only every k commands, all
ranks are `items` (hidden) in between. Reward: 1 at the goal, minus a price for each command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from numpy.typing import NDArray

from envs.domains.permutation_commands import Arrangement, Command, checked_generators
from envs.domains.permutation_core import PermutationCore, Style
from envs.errors import BadEnvOption
from envs.gym.env_options import (
    check_action,
    check_between,
    check_number,
    check_reset_options,
    check_share,
    check_whole,
)
from envs.gym.text_env import TextEnv
from tasks.output.terminal_text import print_text
from tasks.permutations import Generators
from tasks.task import MAX_PLACES, PermutationTask

Observation = NDArray[np.int64]


class PermutationEnv(TextEnv[Observation, np.int64]):
    """Permutation problems: `reset` draws a problem or takes the given one, each step is one command.

    Args:
        task: problem of every episode, in place of random ones; it sets items, generators and style.
        items, generators, style: parameters of random problems, see PermutationCore.
        distance: exact number of commands from start to goal; None for any start.
        goal: arrangement to reach, "sorted", or "drawn" for a random one (not with conditional commands).
        horizon: number of commands after which an episode is truncated.
        show_every: number of commands between two shown states; 1 shows every state.
        slip: probability that a random command is executed in place of the given one.
        price: cost of each command in the reward.
    """

    def __init__(
        self,
        *,
        task: PermutationTask | None = None,
        items: int = 5,
        generators: Generators = "swaps",
        style: Style = "straight",
        distance: int | None = None,
        goal: Arrangement | str = "sorted",
        horizon: int = 20,
        show_every: int = 1,
        slip: float = 0.0,
        price: float = 0.01,
        render_mode: str | None = None,
    ) -> None:
        self.slip = check_share("slip", slip)
        if task is not None and not isinstance(task, PermutationTask):
            raise BadEnvOption(f"task={task!r:.80}: give a PermutationTask, as of tasks.load('permutation').")
        super().__init__(render_mode)
        self._task, self._distance, self._goal = task, distance, goal
        self._generators: Generators = checked_generators(task.generators if task else generators)
        self._style: Style = task.style if task else style
        self._items = len(task.start) if task else check_between("items", items, 2, MAX_PLACES)
        self.horizon, self.show_every = check_whole("horizon", horizon, 1), check_whole("show_every", show_every, 1)
        self.price = check_number("price", price)
        self.core = self._problem(Random(0))
        self.plan: tuple[Command, ...] = ()
        """Commands given so far; the command that a slip executes is not in it."""
        self.state: Arrangement = self.core.initial()
        self._path: list[tuple[str, Arrangement]] = []
        hidden = 1 if show_every > 1 else 0
        self.observation_space = MultiDiscrete([self._items + hidden] * self._items)
        self.action_space = Discrete(len(self.core.commands))

    def _values(self) -> tuple[Any, ...]:
        core = (self.core,) if isinstance(self.core, PermutationCore) else ()  # an imagined one has a state
        return (*super()._values(), self._task, *core)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a new problem: the task, a random one, or `options={"start": ..., "goal": ..., "distance": ...}`."""
        super().reset(seed=seed)
        given = check_reset_options(options, ("start", "goal", "distance"))
        rng = Random(int(self.np_random.integers(2**62)))
        self.core = self._problem(rng, **given)
        self.plan, self.state = (), self.core.initial()
        self._path = [("", self.state)]
        self._show()
        return self._observation(), self._info(slipped=False)

    def _problem(
        self,
        rng: Random,
        start: Arrangement | None = None,
        goal: Arrangement | None = None,
        distance: int | None = None,
    ) -> PermutationCore:
        if self._task is not None and start is None:
            return PermutationCore.of_task(self._task)
        chosen = self._chosen_goal(rng) if goal is None else self._arrangement("goal", goal)
        if start is not None:
            return PermutationCore(self._arrangement("start", start), chosen, self._generators, self._style)
        return PermutationCore.drawn(
            rng,
            items=self._items,
            generators=self._generators,
            style=self._style,
            distance=self._distance if distance is None else distance,
            goal=chosen,
        )

    def _chosen_goal(self, rng: Random) -> Arrangement:
        if self._task is not None:
            return self._task.goal
        if isinstance(self._goal, str):
            if self._goal not in ("sorted", "drawn"):
                raise BadEnvOption(f"goal={self._goal!r}: give an arrangement, 'sorted' or 'drawn'.")
            ranks = list(range(self._items))
            return tuple(ranks if self._goal == "sorted" else rng.sample(ranks, self._items))
        return self._arrangement("goal", self._goal)

    def _arrangement(self, name: str, given: Any) -> Arrangement:
        """The arrangement as a tuple of ints; BadEnvOption where it is none of this environment's items."""
        if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str) or len(given) != self._items:
            raise BadEnvOption(f"{name}={given!r:.80}: give an arrangement of {self._items} items.")
        return tuple(check_whole(f"an item of {name}", item, 0) for item in given)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Executes one command, or with probability `slip` a random one."""
        given = self.core.commands[check_action(action, len(self.core.commands))]
        slipped = self.slip > 0 and bool(self.np_random.random() < self.slip)
        executed = self.core.commands[int(self.np_random.integers(len(self.core.commands)))] if slipped else given
        self.plan += (given,)
        self.state = self.core.transition(self.state, executed)
        self._path.append((str(given) + (f" slipped to {executed}" if slipped else ""), self.state))
        terminated = self.core.is_goal(self.state)
        truncated = not terminated and len(self.plan) >= self.horizon
        self._show()
        reward = float(terminated) - self.price
        return self._observation(), reward, terminated, truncated, self._info(slipped=slipped)

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of legal commands for sb3-contrib: every command is always legal."""
        return np.ones(len(self.core.commands), dtype=np.bool_)

    def _observation(self) -> Observation:
        if len(self.plan) % self.show_every:
            return np.full(self._items, self._items, dtype=np.int64)
        ranks = {item: rank for rank, item in enumerate(self.core.goal)}
        return np.array([ranks[item] for item in self.state], dtype=np.int64)

    def _info(self, *, slipped: bool) -> dict[str, Any]:
        masks = self.action_masks()
        return {"action_mask": masks.astype(np.int8), "commands": len(self.plan), "slipped": slipped}

    def _rendered(self) -> str:
        """The path so far, one line per command."""
        return "\n".join(f"{_shown(state, self.core.goal)}  {command}".rstrip() for command, state in self._path)

    def _show(self) -> None:
        """Prints the new state in mode `human`."""
        if self.render_mode == "human":
            command, state = self._path[-1]
            print_text(f"{_shown(state, self.core.goal)}  {command}".rstrip())


def _shown(state: Arrangement, goal: Arrangement) -> str:
    """The items in order; a dot marks each item that is at its place in the goal."""
    return " ".join(f"{item}{'.' if item == target else ' '}" for item, target in zip(state, goal, strict=True))

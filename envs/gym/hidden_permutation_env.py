"""`cwm_agent/HiddenPermutation-v0`: sort items that are hidden until `look` shows one; commands may slip.

Observation: for each place the rank in the goal of the item there, or `items` where it is hidden. Only the place looked
at last is shown, until the next action. Reward: 1 at the goal, minus a price for each action.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from numpy.typing import NDArray

from envs.domains.hidden_permutation import HiddenArrangement, HiddenPermutationCore
from envs.domains.permutation_commands import checked_generators
from envs.domains.permutation_core import PermutationCore
from envs.gym.env_options import (
    check_action,
    check_between,
    check_number,
    check_reset_options,
    check_share,
    check_whole,
)
from envs.gym.text_env import TextEnv
from tasks.permutations import Generators

HiddenObservation = NDArray[np.int64]
MOST_ITEMS = 64
"""Most items: there is a command for each pair of them."""


class HiddenPermutationEnv(TextEnv[HiddenObservation, np.int64]):
    """Permutation problems with hidden items: `reset` draws a start, each step is a command or a look.

    Args:
        items, generators: parameters of random problems, see PermutationCore.
        horizon: number of actions after which an episode is truncated.
        slip: probability that a random command is executed in place of the given one; looks never slip.
        price: cost of each action in the reward.
    """

    def __init__(
        self,
        *,
        items: int = 4,
        generators: Generators = "swaps",
        horizon: int = 30,
        slip: float = 0.0,
        price: float = 0.01,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        self.items, self.horizon = check_between("items", items, 2, MOST_ITEMS), check_whole("horizon", horizon, 1)
        self.generators: Generators = checked_generators(generators)
        self.slip, self.price = check_share("slip", slip), check_number("price", price)
        self.core = self._problem(Random(0))
        self.state: HiddenArrangement = self.core.initial()
        self.actions_taken = 0
        self._last = ""
        self._random = Random(0)
        self.observation_space = MultiDiscrete([items + 1] * items)
        self.action_space = Discrete(len(self.core.choices))

    def _problem(self, rng: Random) -> HiddenPermutationCore:
        drawn = PermutationCore.drawn(rng, items=self.items, generators=self.generators)
        return HiddenPermutationCore(drawn, self.slip)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[HiddenObservation, dict[str, Any]]:
        """Starts a new random problem."""
        super().reset(seed=seed)
        check_reset_options(options, ())
        self._random = Random(int(self.np_random.integers(2**62)))
        self.core = self._problem(self._random)
        self.state, self.actions_taken, self._last = self.core.initial(), 0, ""
        self._show()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[HiddenObservation, float, bool, bool, dict[str, Any]]:
        """Executes one command or look."""
        chosen = self.core.choices[check_action(action, len(self.core.choices))]
        self.state = self.core.transition(self.state, chosen, self._random)
        self.actions_taken += 1
        self._last = str(chosen)
        terminated = self.core.is_goal(self.state)
        truncated = not terminated and self.actions_taken >= self.horizon
        self._show()
        return self._observation(), float(terminated) - self.price, terminated, truncated, self._info()

    def _observation(self) -> HiddenObservation:
        ranks = {item: rank for rank, item in enumerate(self.core.problem.goal)}
        seen = self.core.observe(self.state)
        return np.array([self.items if item is None else ranks[item] for item in seen], dtype=np.int64)

    def _info(self) -> dict[str, Any]:
        return {"actions": self.actions_taken}

    def _rendered(self) -> str:
        """What is seen, and the last action."""
        seen = " ".join("?" if item is None else str(item) for item in self.core.observe(self.state))
        return f"{seen}  {self._last}".rstrip()

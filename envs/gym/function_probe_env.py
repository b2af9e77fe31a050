"""`cwm_agent/FunctionProbe-v0`: probe an unknown function at inputs of one's choice, then predict it elsewhere.

Observation: the last input and output (`size` where there is none), and the input to predict (`size` while probing).
Action: from 0 to below `size` a probe; `size` begins the predictions, after which actions are predicted outputs.
Reward: an equal share of 1 for each right prediction, minus a price for each probe.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete

from envs.domains.hidden_programs import ProbedFunction, draw_function
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.env_options import (
    check_action,
    check_between,
    check_number,
    check_reset_options,
    check_whole,
)
from envs.gym.text_env import SandboxedEnv

MOST_INPUTS = 256
"""Most inputs: all values of a function are computed at each reset."""


class FunctionProbeEnv(SandboxedEnv[dict[str, Any], np.int64]):
    """Functions as hidden Python: `reset` draws one and runs it in the sandbox at every input.

    Args:
        size: number of inputs, and of possible outputs.
        probes: most probes of an episode; after them predictions begin by themselves.
        predictions: number of inputs to predict, drawn among all that can be asked.
        price: cost of each probe in the reward.
        sandbox: sandbox to use; without one, the environment opens and closes its own.
    """

    def __init__(
        self,
        *,
        size: int = 16,
        probes: int = 8,
        predictions: int = 5,
        price: float = 0.02,
        sandbox: Sandbox | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, render_mode)
        self.size, self.probes = check_between("size", size, 4, MOST_INPUTS), check_whole("probes", probes, 1)
        self.predictions, self.price = check_between("predictions", predictions, 1, size), check_number("price", price)
        self._attempts = 0
        """Probes so far; one of an input that is known counts too, so that an episode ends."""
        self._function: ProbedFunction | None = None
        self.probed: dict[int, int] = {}
        self._last: tuple[int, int] = (size, size)
        self._asked: list[int] = []
        """Inputs still to be predicted; empty while probing."""
        self._wanted: tuple[int, ...] = ()
        self.observation_space = Dict({name: Discrete(size + 1) for name in ("input", "output", "asked")})
        self.action_space = Discrete(size + 1)

    @property
    def function(self) -> ProbedFunction:
        """The function of this episode."""
        if self._function is None:
            raise RuntimeError("FunctionProbeEnv.function: there is none before reset(). Call reset() first.")
        return self._function

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draws a function and the inputs to predict; both stay hidden."""
        super().reset(seed=seed)
        check_reset_options(options, ())
        rng = Random(int(self.np_random.integers(2**62)))
        self._function = draw_function(rng, self._opened(), size=self.size)
        self._wanted = tuple(rng.sample(range(self.size), self.predictions))
        self.probed, self._last, self._asked, self._attempts = {}, (self.size, self.size), [], 0
        self._show()
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Probes the function at an input, begins the predictions, or predicts one output."""
        chosen = check_action(action, self.size + 1)
        reward, over = 0.0, False
        if self._asked:
            number = self._asked.pop()
            reward = float(self.function.values[number] == chosen) / self.predictions
            over = not self._asked
        elif chosen < self.size:
            self._attempts += 1
            self.probed[chosen] = self.function.values[chosen]
            self._last = (chosen, self.function.values[chosen])
            reward = -self.price
        if not over and not self._asked and (chosen == self.size or self._attempts >= self.probes):
            self._asked = list(reversed(self._wanted))
        self._show()
        return self._observation(), reward, over, False, {"source": self.function.source} if over else {}

    def _observation(self) -> dict[str, Any]:
        asked = self._asked[-1] if self._asked else self.size
        return {"input": np.int64(self._last[0]), "output": np.int64(self._last[1]), "asked": np.int64(asked)}

    def _rendered(self) -> str:
        """The values known, and the input to predict."""
        known = ", ".join(f"f({number}) = {value}" for number, value in sorted(self.probed.items())) or "nothing known"
        return known + (f"; f({self._asked[-1]}) = ?" if self._asked else "")

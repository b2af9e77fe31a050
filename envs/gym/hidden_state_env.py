"""`cwm_agent/HiddenState-v0`: a program with a hidden state shows only outputs; command it, then name its state.

Observation: the source, the last output, and the number of commands so far. Action: a command, or the claim of the
present state, which ends the episode. Reward: 1 for a right claim, minus a price for each command.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete, Text

from envs.domains.hidden_programs import HiddenMachine, draw_machine
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.env_options import (
    check_action,
    check_between,
    check_number,
    check_reset_options,
    check_whole,
)
from envs.gym.text_env import SandboxedEnv

_LONGEST = 1000
MOST_STATES = 256
"""Most states and outputs: the whole table of a machine is computed at each reset."""


class HiddenStateEnv(SandboxedEnv[dict[str, Any], np.int64]):
    """Machines as Python: `reset` draws a program and its state; the sandbox runs the program once for all calls.

    Args:
        size: number of states of the machine.
        outputs: number of different outputs.
        horizon: number of commands after which an episode is truncated.
        price: cost of each command in the reward.
        sandbox: sandbox to use; without one, the environment opens and closes its own.
    """

    def __init__(
        self,
        *,
        size: int = 8,
        outputs: int = 3,
        horizon: int = 20,
        price: float = 0.02,
        sandbox: Sandbox | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(sandbox, render_mode)
        self.size, self.outputs = (
            check_between("size", size, 2, MOST_STATES),
            check_between("outputs", outputs, 2, MOST_STATES),
        )
        self.horizon, self.price = check_whole("horizon", horizon, 1), check_number("price", price)
        self._machine: HiddenMachine | None = None
        self.state, self.commands, self.shown = 0, 0, outputs
        self.observation_space = Dict(
            {
                "source": Text(_LONGEST, min_length=0, charset=string.printable),
                "output": Discrete(outputs + 1),
                "commands": Discrete(horizon + 1),
            }
        )
        self.action_space = Discrete(3 + size)

    @property
    def machine(self) -> HiddenMachine:
        """The program of this episode."""
        if self._machine is None:
            raise RuntimeError("HiddenStateEnv.machine: there is no program before reset(). Call reset() first.")
        return self._machine

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draws a program and a hidden state; no output is shown yet."""
        super().reset(seed=seed)
        check_reset_options(options, ())
        rng = Random(int(self.np_random.integers(2**62)))
        self._machine = draw_machine(rng, self._opened(), size=self.size, outputs=self.outputs)
        self.state, self.commands, self.shown = rng.randrange(self.size), 0, self.outputs
        self._show()
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Gives a command to the machine, or claims its state."""
        chosen = check_action(action, 3 + self.size)
        claim = chosen - self.machine.commands
        if claim >= 0:
            return self._observation(), float(claim == self.state), True, False, {"state": self.state}
        self.state, self.shown = self.machine.table[self.state][chosen]
        self.commands += 1
        self._show()
        return self._observation(), -self.price, False, self.commands >= self.horizon, {}

    def _observation(self) -> dict[str, Any]:
        return {
            "source": self.machine.source,
            "output": np.int64(self.shown),
            "commands": np.int64(self.commands),
        }

    def _rendered(self) -> str:
        """The program and the last output."""
        shown = "nothing yet" if self.shown == self.outputs else str(self.shown)
        return f"{self.machine.source}after {self.commands} commands: {shown}"

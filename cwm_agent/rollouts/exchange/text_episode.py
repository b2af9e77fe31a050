"""An episode in texts: a language model reads the problem and answers, and says one action at a time.

Texts are those of `env_text.py`; `read_action` reads an action back. A text that is no action is a mistake of the
model, not an error: the answer says what to write, and after `MOST_MISTAKES` in a row the episode is cut off. Knows no
server and no learner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cwm_agent.rollouts.env_text import action_text, answer_text, prompt_text, task_name
from cwm_agent.rollouts.environment_factory import acting_env, make_environment
from cwm_agent.rollouts.errors import BadRolloutRun
from envs.gym.permutation_env import PermutationEnv
from envs.gym.repair_arrays import RepairArrays
from envs.gym.repair_env import RepairEnv
from envs.gym.trace_env import TraceEnv

MOST_MISTAKES = 4
_LINE = re.compile(r"line (\d{1,6})\s*\n?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TextStep:
    """The answer to one action."""

    text: str
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False

    @property
    def done(self) -> bool:
        return self.terminated or self.truncated


class TextEpisode:
    """Episodes of one environment of this project, action by action in texts.

    Args:
        env: an id such as cwm_agent/Repair-v0; the actions of arrays are ranks, so take the plain environments.
        options: of the environment.
    """

    def __init__(self, env: str, **options: Any) -> None:
        self.env = make_environment(env, **options)
        self.core = acting_env(self.env)
        if not isinstance(self.core, PermutationEnv | RepairEnv | TraceEnv | RepairArrays):
            raise BadRolloutRun(f"{env} has no texts; choose Permutation-v0, Repair-v0, RepairArrays-v0 or Trace-v0.")
        self.task = ""
        self._mistakes = 0

    def reset(self, seed: int | None = None) -> str:
        """Begins an episode and returns its problem as text."""
        observation, info = self.env.reset(seed=seed)
        self.task, self._mistakes = task_name(self.core, info), 0
        return prompt_text(self.core, observation)

    def step(self, text: str) -> TextStep:
        """Takes the action that a text says."""
        action = read_action(self.core, text)
        if action is None:
            self._mistakes += 1
            return TextStep(f"That is no action. {_hint(self.core)}", truncated=self._mistakes >= MOST_MISTAKES)
        self._mistakes = 0
        observation, reward, terminated, truncated, _ = self.env.step(action)
        answer = answer_text(self.core, observation, terminated=terminated, truncated=truncated)
        return TextStep(answer, float(reward), bool(terminated), bool(truncated))

    def close(self) -> None:
        self.env.close()


def read_action(env: Any, text: str) -> Any:
    """The action that a text says, as `action_text` writes it; None where it says none that the environment offers."""
    reply = text.strip()
    if isinstance(env, TraceEnv):
        found = _LINE.fullmatch(reply)
        return None if found is None else {"line": int(found[1]), "changes": found[2]}
    if isinstance(env, PermutationEnv):
        return next((at for at, command in enumerate(env.core.commands) if str(command) == reply), None)
    masks = env.action_masks()
    return next((at for at, allowed in enumerate(masks) if allowed and action_text(env, at) == reply), None)


def _hint(env: Any) -> str:
    if isinstance(env, TraceEnv):
        return "Write 'line N', then one change a line, such as 'x = 3'."
    if isinstance(env, PermutationEnv):
        return f"Write one command, such as {str(env.core.commands[0])!r}."
    offered = [action_text(env, at) for at, allowed in enumerate(env.action_masks()) if allowed]
    return f"Write one edit, such as: {offered[0]}" if offered else "No edit is left."

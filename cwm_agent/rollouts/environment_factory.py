"""Makes environments by name, with the edit policy as ranking where it is asked for; knows no rollout.

`ranking="policy"` of RepairArrays-v0 ranks edits by the shipped edit policy, the learnt class rates and the suspicion
of lines, as the repair agent does. The environments themselves know no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium

import envs  # noqa: F401 - registers the environments
from cwm_agent.agent.repair.edit_ranking import LIKELY_COMPLETE, Policy, edit_priors
from cwm_agent.rollouts.errors import BadRolloutRun
from envs.domains.edit_orders import Suspicion
from envs.editing.edit import Edit
from envs.gym.repair_arrays import RepairArrays
from envs.gym.trace_arrays import TraceArrays

_MOST_PROGRAMS = 1_000


@dataclass(slots=True)
class PolicyRanking:
    """Weights of edits by the edit policy; the policy reads each program once."""

    policy: Policy
    _logprobs: dict[tuple[str, tuple[Edit, ...]], list[float] | None] = field(default_factory=dict)

    @classmethod
    def shipped(cls) -> PolicyRanking:
        """By the policy whose weights are in the package."""
        from cwm_agent.policy.edit_policy import EditPolicy

        return cls(EditPolicy.shipped())

    def __call__(self, source: str, edits: Sequence[Edit], suspicion: Suspicion) -> list[float]:
        key = source, tuple(edits)
        if key not in self._logprobs:
            if len(self._logprobs) >= _MOST_PROGRAMS:
                self._logprobs.clear()
            self._logprobs[key] = self.policy.logprobs(source, edits, complete=LIKELY_COMPLETE)
        return edit_priors(edits, suspicion, self._logprobs[key])

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyRanking:
        return self


def make_environment(name: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """The environment of a Gymnasium id; this project's need no namespace."""
    if name.count(":") > 1:
        raise BadRolloutRun(f"{name!r} is no environment. Write ENV_ID, or MODULE:ENV_ID to import a module first.")
    if options.get("ranking") == "policy":
        options["ranking"] = PolicyRanking.shipped()
    return gymnasium.make(f"cwm_agent/{name}" if f"cwm_agent/{name}" in gymnasium.registry else name, **options)


def acting_env(env: gymnasium.Env[Any, Any]) -> Any:
    """The environment whose actions a policy chooses: the array wrapper, if there is one, else the innermost."""
    found: Any = env
    while isinstance(found, gymnasium.Wrapper):
        if isinstance(found, RepairArrays | TraceArrays):
            return found
        found = found.env
    return getattr(found, "real", found)

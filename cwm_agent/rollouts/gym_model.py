"""Any copyable Gymnasium environment as a `planners.Model`; knows no planner and no environment of ours.

A state is a copy of the environment that is never stepped itself; a move steps a copy of that copy. Chance
inside the environment is drawn anew from the planner's `rng` at each move, so that no plan can foresee the
luck of the real run. Gymnasium is imported where it is used: the rest of the agent does without it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from cwm_agent.rollouts.errors import NotPlannable
from planners import Step

if TYPE_CHECKING:
    import gymnasium

    Env: TypeAlias = gymnasium.Env[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class GymState:
    """An environment standing still; equal to another when their keys are."""

    env: Env = field(repr=False)
    key: Hashable
    observation: Any
    mask: tuple[bool, ...] | None = None
    """Which actions the environment allows here, where it says so in `info["action_mask"]`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GymState) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class GymModel:
    """The world of one environment, in the terms of planners: actions are those of its action space.

    Args:
        key: says what makes two states the same, such as `lambda env: env.unwrapped.s`. Without it no two states are,
            and planners cannot merge them.
        share: names of attributes of `env.unwrapped` that never change (tables, images): shared, not copied.
        value: what is known of the return still to come; None where nothing is.
        actions: candidates in a state, for action spaces that are not Discrete.
    """

    def __init__(
        self,
        *,
        key: Callable[[Env], Hashable] | None = None,
        share: Sequence[str] = (),
        value: Callable[[Env, Any], float | None] | None = None,
        actions: Callable[[Env], Sequence[Any]] | None = None,
    ) -> None:
        self._key, self._share, self._value, self._actions = key, tuple(share), value, actions

    def start(self, env: Env, observation: Any = None, info: Mapping[str, Any] | None = None) -> Step[GymState]:
        """Return where planning starts: the environment as it stands, given what its reset or last step
        returned."""
        for name in self._share:
            if not hasattr(env.unwrapped, name):
                raise NotPlannable(f"{env} has no attribute {name!r} to share; leave it out of `share`.")
        still = self._copy(env)
        return Step(self._state(still, observation, info or {}), value=self._worth(still, observation))

    def actions(self, state: GymState) -> Sequence[Any]:
        """Return the actions that the environment allows, in the order of its action space."""
        if self._actions is not None:
            return self._actions(state.env)
        from gymnasium.spaces import Discrete

        space = state.env.action_space
        if not isinstance(space, Discrete):
            raise NotPlannable(
                f"The action space is {space}, not Discrete; pass actions=lambda env: [...] to GymModel."
            )
        first, count = int(space.start), int(space.n)
        if state.mask is None:
            return range(first, first + count)
        return [first + place for place in range(count) if state.mask[place]]

    def step(self, moves: Sequence[tuple[GymState, Any]], rng: Random) -> list[Step[GymState]]:
        """Step a fresh copy of the environment for each move; a truncated episode is an end, and noted."""
        return [self._step(state, action, rng) for state, action in moves]

    def _step(self, state: GymState, action: Any, rng: Random) -> Step[GymState]:
        import numpy as np

        env = self._copy(state.env)
        env.unwrapped.np_random = np.random.default_rng(rng.getrandbits(64))
        observation, reward, terminated, truncated, info = env.step(action)
        over = bool(terminated or truncated)
        return Step(
            state=self._state(env, observation, info),
            reward=float(reward),
            value=0.0 if terminated else self._worth(env, observation),
            terminal=over,
            notes=(("truncated", "yes"),) if truncated and not terminated else (),
        )

    def _copy(self, env: Env) -> Env:
        shared = [getattr(env.unwrapped, name) for name in (*self._share, "spec")]
        try:
            return copy.deepcopy(env, {id(thing): thing for thing in shared})
        except Exception as error:
            raise NotPlannable(
                f"{env} cannot be copied ({type(error).__name__}: {error}); name what must not be copied in `share`."
            ) from error

    def _state(self, env: Env, observation: Any, info: Mapping[str, Any]) -> GymState:
        mask = info.get("action_mask")
        key: Hashable = object() if self._key is None else self._key(env)
        return GymState(env, key, observation, None if mask is None else tuple(bool(allowed) for allowed in mask))

    def _worth(self, env: Env, observation: Any) -> float | None:
        return None if self._value is None else self._value(env, observation)

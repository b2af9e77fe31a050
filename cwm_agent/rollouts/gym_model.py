"""Any copyable Gymnasium environment as a `planners.Model`; knows no planner and no environment of ours.

A state is a copy of the environment that is never stepped itself; a move steps a copy of that copy. The planner's
`rng` seeds the environment at each move, so a plan cannot use the random numbers of the real run. Gymnasium is
imported inside the functions that need it: the other parts of the agent work without it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from cwm_agent.rollouts.errors import NotPlannable
from planners import End, Step

if TYPE_CHECKING:
    import gymnasium

    Env: TypeAlias = gymnasium.Env[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class GymState:
    """A copy of an environment that is never stepped; two states are equal when their keys are equal."""

    env: Env = field(repr=False)
    key: Hashable
    observation: Any
    mask: tuple[bool, ...] | None = None
    """The actions that the environment allows, from `info["action_mask"]`; None where it gives no mask."""
    reward: float | None = None
    """Of the step that led here; None at the start."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GymState) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class GymModel:
    """One environment as a model for planners; its actions are those of the action space.

    Args:
        key: returns a value that is equal for equal states, such as `lambda env: env.unwrapped.s`. Without it all
            states differ, and planners cannot merge them.
        share: names of attributes of `env.unwrapped` that never change (tables, images): shared, not copied.
        value: estimates the return from a state on; None where there is no estimate.
        playout: without `value`, estimate the return from a state by an episode of at most so many random actions; it
            sees what comes after the end of the search, such as a pole that begins to fall. 0 for no estimate.
        actions: candidates in a state, for action spaces that are not Discrete.
        end: what a terminated episode means: "goal", "failure" or "truncated", or a function of (env, reward, info)
            that returns one of them. Without it `is_success` or `success` in `info` decides where it is there; else a
            goal is a last reward larger than the one before it (or above 0 in the first step), so that a fallen pole
            is a failure. Where rewards do not tell, as in MountainCar, declare it. An episode that the environment
            truncates is a truncation.
    """

    def __init__(
        self,
        *,
        key: Callable[[Env], Hashable] | None = None,
        share: Sequence[str] = (),
        value: Callable[[Env, Any], float | None] | None = None,
        playout: int = 0,
        actions: Callable[[Env], Sequence[Any]] | None = None,
        end: Callable[[Env, float, Mapping[str, Any]], End] | End | None = None,
    ) -> None:
        if isinstance(end, str):
            _checked_end(end)
        if playout < 0:
            raise NotPlannable(f"playout={playout}: give the number of random actions, 0 or more.")
        self._key, self._share, self._value, self._actions, self._end = key, tuple(share), value, actions, end
        self._playout = playout

    def start(self, env: Env, observation: Any = None, info: Mapping[str, Any] | None = None) -> Step[GymState]:
        """The state where planning starts: a copy of the environment, with what its reset or last step returned."""
        for name in self._share:
            if not hasattr(env.unwrapped, name):
                raise NotPlannable(f"{env} has no attribute {name!r} to share; remove the name from `share`.")
        copied = self._copy(env)
        state = self._state(copied, observation, info or {})
        return Step(state, value=self._estimate(state, Random(0)))

    def actions(self, state: GymState) -> Sequence[Any]:
        """The actions that the environment allows, in the order of its action space."""
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
        """Steps a fresh copy of the environment for each move."""
        return [self._step(state, action, rng) for state, action in moves]

    def _step(self, state: GymState, action: Any, rng: Random) -> Step[GymState]:
        import numpy as np

        env = self._copy(state.env)
        env.unwrapped.np_random = np.random.default_rng(rng.getrandbits(64))
        observation, reward, terminated, truncated, info = env.step(action)
        if not math.isfinite(float(reward)):
            raise NotPlannable(f"{env} gave the reward {reward} for the action {action!r:.80}; correct it there.")
        end: End | None = "truncated" if truncated else None
        if terminated:
            end = self._terminated(env, state.reward or 0.0, float(reward), info)
        after = self._state(env, observation, info, float(reward))
        return Step(after, reward=float(reward), value=0.0 if terminated else self._estimate(after, rng), end=end)

    def _terminated(self, env: Env, before: float, reward: float, info: Mapping[str, Any]) -> End:
        """What the end of an episode means, as declared, or as `info` and rewards tell."""
        if self._end is not None:
            return self._end if isinstance(self._end, str) else _checked_end(self._end(env, reward, info))
        success = info.get("is_success", info.get("success", reward > before))
        return "goal" if success else "failure"

    def _copy(self, env: Env) -> Env:
        shared = [getattr(env.unwrapped, name) for name in (*self._share, "spec")]
        try:
            return copy.deepcopy(env, {id(each): each for each in shared})
        except Exception as error:
            raise NotPlannable(
                f"{env} cannot be copied ({type(error).__name__}: {error}). "
                "Name the attributes that cannot be copied in `share`."
            ) from error

    def _state(self, env: Env, observation: Any, info: Mapping[str, Any], reward: float | None = None) -> GymState:
        mask = info.get("action_mask")
        key: Hashable = object() if self._key is None else self._key(env)
        allowed = None if mask is None else tuple(bool(each) for each in mask)
        return GymState(env, key, observation, allowed, reward=reward)

    def _estimate(self, state: GymState, rng: Random) -> float | None:
        if self._value is not None:
            return self._value(state.env, state.observation)
        return self._played_out(state, rng) if self._playout else None

    def _played_out(self, state: GymState, rng: Random) -> float:
        """The return of random actions from a state on, until the episode ends or `playout` actions are made."""
        env, total = self._copy(state.env), 0.0
        for _ in range(self._playout):
            _, reward, terminated, truncated, info = env.step(rng.choice(self.actions(state)))
            total += float(reward)
            if terminated or truncated:
                break
            if "action_mask" in info:
                state = self._state(env, None, info)
        return total


def _checked_end(found: Any) -> End:
    if found not in get_args(End):
        raise NotPlannable(f"end={found!r}: an episode ends as one of {', '.join(get_args(End))}.")
    end: End = found
    return end

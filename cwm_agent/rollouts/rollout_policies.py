"""Policies by name; a policy chooses the actions of a rollout.

    random            draws from the allowed actions with equal probability
    baseline          a simple hand-written policy: greedy commands, edits by class and suspicion, the next line
    planner:NAME      plans in imagination and follows the plan (permutation)
    module:callable   a function of the user: called with (observation, info, rng), returns an action or
                      (action, log-probability)

A policy makes an `Actor` for each episode, and the actor chooses an action at each step. Knows no file and no message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete

from cwm_agent.agent.permutation.permutation_domain import commands_to_goal, plan_planner_named
from cwm_agent.agent.permutation.permutation_model import closeness
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.plugins import PluginError, load_callable
from cwm_agent.rollouts.errors import UnknownPolicy
from cwm_agent.rollouts.imagined_env import ImaginedCore
from envs.domains.edit_orders import round_robin
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from envs.gym.permutation_env import PermutationEnv
from envs.gym.repair_arrays import RepairArrays
from envs.gym.repair_env import RepairEnv
from envs.gym.trace_arrays import TraceArrays
from envs.gym.trace_env import TraceEnv
from tasks.errors import did_you_mean

NAMES = ("random", "baseline", "planner:mcts", "planner:beam", "planner:best-first")


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and the log-probability with which the policy chose it; None where that is unknown."""

    action: Any
    logprob: float | None = None


Actor: TypeAlias = Callable[[Any, Mapping[str, Any]], Choice]
"""Chooses an action for an observation and its info."""
Policy: TypeAlias = Callable[[Any, Random], Actor]
"""Makes the actor of one episode in a real environment, or in the real one inside an imagined environment."""


def policy_named(name: str, oracle: Callable[[], Oracle]) -> Policy:
    """The policy with a name; `oracle` is called only for a planner."""
    head, _, rest = name.partition(":")
    if name == "random":
        return random_policy
    if name == "baseline":
        return baseline
    if head == "planner" and rest:
        plan_planner_named(rest)
        return planning(rest, oracle())
    if rest and head != "planner":
        return user_policy(name)
    hint = did_you_mean(name, NAMES, otherwise=f"Choose one of: {', '.join(NAMES)}, or module:callable.")
    raise UnknownPolicy(f"No policy named {name!r}. {hint}")


def random_policy(env: Any, rng: Random) -> Actor:
    """Draws from the allowed actions with equal probability."""
    env.action_space.seed(rng.getrandbits(32))

    def act(observation: Any, info: Mapping[str, Any]) -> Choice:
        if not isinstance(env.action_space, Discrete):
            return Choice(env.action_space.sample())
        allowed = _allowed(env.action_space, info)
        return Choice(rng.choice(allowed), -math.log(len(allowed)))

    return act


def _allowed(space: Discrete, info: Mapping[str, Any]) -> list[int]:
    first = int(space.start)
    mask = info.get("action_mask")
    if mask is None or not np.any(mask):
        return list(range(first, first + int(space.n)))
    return [first + int(place) for place in np.flatnonzero(mask)]


def baseline(env: Any, rng: Random) -> Actor:
    """A simple hand-written policy for the environment; raises `UnknownPolicy` where there is none."""
    if isinstance(env, RepairArrays | TraceArrays):
        return lambda observation, info: Choice(0)
    if isinstance(env, PermutationEnv):
        return lambda observation, info: _greedy(env, rng)
    if isinstance(env, RepairEnv):
        return _by_suspicion(env, rng)
    if isinstance(env, TraceEnv):
        return lambda observation, info: Choice({"line": int(observation["line"]) + 1, "changes": ""})
    raise UnknownPolicy(f"There is no baseline for {env}: choose --policy random or module:callable.")


def _greedy(env: PermutationEnv, rng: Random) -> Choice:
    """The command after which the items are closest to the goal, by exact computation; ties are broken at random."""
    core = _core(env)
    values = [closeness(core, command.apply(env.state)) for command in core.commands]
    best = [rank for rank, value in enumerate(values) if value == max(values)]
    return Choice(rng.choice(best), -math.log(len(best)))


def _by_suspicion(env: RepairEnv, rng: Random) -> Actor:
    """Edits of the classes by turns, the most suspicious lines first; a new order starts when an edit was kept."""
    orders: dict[Any, list[int]] = {}

    def act(observation: Any, info: Mapping[str, Any]) -> Choice:
        if info["patch"] not in orders:
            edits = {env.edit_of(rank): rank for rank in np.flatnonzero(info["action_mask"]).tolist()}
            suspicion = {line: float(value) for line, value in enumerate(observation.get("suspicion", ()), start=1)}
            orders[info["patch"]] = [edits[edit] for edit in round_robin(list(edits), suspicion, rng)]
        order = orders[info["patch"]]
        return Choice(next(rank for rank in order if info["action_mask"][rank]))

    return act


def planning(planner: str, oracle: Oracle) -> Policy:
    """Plans from the current state, follows the plan to its end, then plans again."""

    def begin(env: Any, rng: Random) -> Actor:
        if not isinstance(env, PermutationEnv):
            raise UnknownPolicy(
                f"planner:{planner} plans permutations; repairs are planned by `python -m cwm_agent.solve`."
            )
        left: list[Command] = []

        def act(observation: Any, info: Mapping[str, Any]) -> Choice:
            if not left and sorted(env.state) == sorted(env.core.goal):  # an oracle may imagine an item twice
                left.extend(commands_to_goal(replace(_core(env), start=env.state), oracle, planner, rng))
            command = left.pop(0) if left else rng.choice(env.core.commands)
            return Choice(env.core.commands.index(command))

        return act

    return begin


def _core(env: PermutationEnv) -> PermutationCore:
    """The real problem, also of an imagined environment."""
    core: Any = env.core
    return core.real if isinstance(core, ImaginedCore) else env.core


def user_policy(name: str) -> Policy:
    """A policy that calls a function of the user."""
    try:
        chosen = load_callable(name, "policy")
    except PluginError as error:
        raise UnknownPolicy(f"{error} It is called with (observation, info, rng).") from error

    def begin(env: Any, rng: Random) -> Actor:
        def act(observation: Any, info: Mapping[str, Any]) -> Choice:
            found = chosen(observation, info, rng)
            return Choice(*found) if isinstance(found, tuple) else Choice(found)

        return act

    return begin

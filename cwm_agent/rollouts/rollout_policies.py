"""Policies by name: who chooses the actions of a rollout.

    random            every allowed action alike
    baseline          what one would write by hand: greedy commands, edits by class and suspicion, the next line
    planner:NAME      plan in imagination and follow the plan (permutation)
    module:callable   one's own: called with (observation, info, rng), gives an action or (action, log-probability)

A policy is begun for each episode and then asked step by step. Knows no file and no message.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from random import Random
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete

from cwm_agent.agent.permutation.permutation_model import closeness
from cwm_agent.agent.permutation.plan_loop import commands_to_goal, plan_planner_named
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.rollouts.errors import UnknownPolicy
from cwm_agent.rollouts.imagined_env import ImaginedCore
from envs.domains.edit_orders import round_robin
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from envs.gym.permutation_env import PermutationEnv
from envs.gym.repair_env import RepairEnv
from envs.gym.trace_env import TraceEnv

NAMES = ("random", "baseline", "planner:mcts", "planner:beam", "planner:best-first")


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and the logarithm of the probability with which it was chosen, where that is known."""

    action: Any
    logprob: float | None = None


Actor: TypeAlias = Callable[[Any, Mapping[str, Any]], Choice]
"""Chooses an action for an observation and its info."""
Policy: TypeAlias = Callable[[Any, Random], Actor]
"""Begins an episode in an environment (the real one, or the one that a dream is made of)."""


def policy_named(name: str, oracle: Callable[[], Oracle]) -> Policy:
    """The policy a name stands for; `oracle` is opened only where a planner imagines."""
    head, _, rest = name.partition(":")
    if name == "random":
        return random_policy
    if name == "baseline":
        return baseline
    if head == "planner" and rest:
        plan_planner_named(rest)
        return planning(rest, oracle())
    if rest and head != "planner":
        return own(name, head, rest)
    near = get_close_matches(name, NAMES, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {', '.join(NAMES)}, or module:callable."
    raise UnknownPolicy(f"No policy named {name!r}. {hint}")


def random_policy(env: Any, rng: Random) -> Actor:
    """Every allowed action alike."""
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
    """What one would write by hand for the environment."""
    if isinstance(env, PermutationEnv):
        return lambda observation, info: _greedy(env, rng)
    if isinstance(env, RepairEnv):
        return _by_suspicion(env, rng)
    if isinstance(env, TraceEnv):
        return lambda observation, info: Choice({"line": int(observation["line"]) + 1, "changes": ""})
    raise UnknownPolicy(f"There is no baseline for {env}; choose random or module:callable.")


def _greedy(env: PermutationEnv, rng: Random) -> Choice:
    """The command that brings most items nearer, ties by chance; it knows what commands do and looks one ahead."""
    core = _core(env)
    worth = [closeness(core, command.apply(env.state)) for command in core.commands]
    best = [rank for rank, value in enumerate(worth) if value == max(worth)]
    return Choice(rng.choice(best), -math.log(len(best)))


def _by_suspicion(env: RepairEnv, rng: Random) -> Actor:
    """One edit of each class in turn, the most suspicious lines first; begun anew when an edit was kept."""
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
    """Plan from where the items stand, follow the plan to its end, plan again."""

    def begin(env: Any, rng: Random) -> Actor:
        if not isinstance(env, PermutationEnv):
            raise UnknownPolicy(
                f"planner:{planner} plans permutations; repairs are planned by `python -m cwm_agent.solve`."
            )
        left: list[Command] = []

        def act(observation: Any, info: Mapping[str, Any]) -> Choice:
            if not left and sorted(env.state) == sorted(env.core.goal):  # in a dream an item may be there twice
                left.extend(commands_to_goal(replace(_core(env), start=env.state), oracle, planner, rng))
            command = left.pop(0) if left else rng.choice(env.core.commands)
            return Choice(env.core.commands.index(command))

        return act

    return begin


def _core(env: PermutationEnv) -> PermutationCore:
    """The problem itself, of a dream too."""
    core: Any = env.core
    return core.real if isinstance(core, ImaginedCore) else env.core


def own(text: str, module: str, name: str) -> Policy:
    """A callable of the user's own."""
    try:
        chosen = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownPolicy(f"The policy {text!r} cannot be loaded: {error}.") from error
    if not callable(chosen):
        raise UnknownPolicy(f"{text!r} is {chosen!r}, which cannot be called with (observation, info, rng).")

    def begin(env: Any, rng: Random) -> Actor:
        def act(observation: Any, info: Mapping[str, Any]) -> Choice:
            found = chosen(observation, info, rng)
            return Choice(*found) if isinstance(found, tuple) else Choice(found)

        return act

    return begin

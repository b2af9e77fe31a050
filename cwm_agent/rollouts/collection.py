"""Collects episodes: several environments advance together, and each finished episode becomes a row on the disk.

The seed alone decides an episode, so the rows of a run do not depend on its width, and an interrupted run continues
with the missing episodes. Imagined environments share one batch of questions to the oracle per round of actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from cwm_agent.oracles.protocol import Oracle
from cwm_agent.rollouts.env_text import action_text, answer_text, prompt_text, task_name
from cwm_agent.rollouts.environment_factory import acting_env, make_environment
from cwm_agent.rollouts.errors import BadRolloutRun, BadRollouts
from cwm_agent.rollouts.imagined_env import ImaginedEnv, prefetch
from cwm_agent.rollouts.rollout_policies import Actor, Choice, Policy
from cwm_agent.rollouts.rollout_rows import EpisodeRow, opened
from cwm_agent.rollouts.rollout_run import RolloutRun

_NUMBERS = (Box, Discrete, MultiBinary, MultiDiscrete)


def collect(
    run: RolloutRun,
    episodes: int,
    out: Path,
    policy: Policy,
    *,
    oracle: Oracle | None = None,
    width: int = 8,
    on_episode: Callable[[EpisodeRow, int, int], None] = lambda row, done, total: None,
    on_steps: Callable[[int], None] = lambda steps: None,
) -> int:
    """Roll out every episode that the file does not hold yet; returns the number of episodes it holds afterwards.

    Args:
        oracle: imagines the environments; needed where `run.world` is "imagined".
        width: environments that advance together.
        on_episode: called after each episode with its row, the number of episodes done, and the number wanted.
        on_steps: called after each round of actions with their number.
    """
    if episodes < 1 or width < 1:
        raise BadRolloutRun(f"episodes={episodes}, width={width}: at least 1 of each is needed.")
    with opened(out, run.described()) as (writer, known):
        left = [number for number in range(episodes) if number not in known]
        done = episodes - len(left)
        if not left:
            return done
        slots = [_make_env(run, oracle) for _ in range(min(width, len(left)))]
        try:
            for row in _rows(run, slots, iter(left), policy, on_steps=on_steps):
                writer.append(row)
                done += 1
                on_episode(row, done, episodes)
        finally:
            for slot in slots:
                slot.close()
    return done


def _make_env(run: RolloutRun, oracle: Oracle | None) -> gymnasium.Env[Any, Any]:
    try:
        env = make_environment(run.env, **dict(run.options))
    except (gymnasium.error.Error, ModuleNotFoundError, TypeError) as error:
        raise BadRollouts(
            f"The environment {run.env!r} cannot be made: {error}. Check ENV_ID and the options given with --set."
        ) from error
    if run.world == "real":
        return env
    if oracle is None:
        raise BadRolloutRun("world='imagined' needs an oracle; pass oracle=... to collect.")
    return ImaginedEnv(env, oracle, view=run.view, guide=run.guide)


@dataclass(slots=True, kw_only=True)
class _Episode:
    """One unfinished episode."""

    env: gymnasium.Env[Any, Any]
    core: Any
    """The environment that texts and policies read; of an imagined environment the real one inside."""
    number: int
    seed: int
    task: str
    act: Actor
    observation: Any
    info: Mapping[str, Any]
    messages: list[dict[str, str]]
    observations: list[Any]
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    logprobs: list[float | None] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False

    def take(self, choice: Choice) -> None:
        """Take one action and record its result."""
        self.messages.append({"role": "assistant", "content": action_text(self.core, choice.action)})
        self.observation, reward, self.terminated, self.truncated, self.info = self.env.step(choice.action)
        self.actions.append(_plain(choice.action))
        self.rewards.append(_finite(float(reward), self))
        self.logprobs.append(choice.logprob)
        self.observations.append(_plain(self.observation))
        woke = str(self.info.get("woke", ""))
        answer = answer_text(
            self.core, self.observation, terminated=self.terminated, truncated=self.truncated, reason=woke
        )
        self.messages.append({"role": "user", "content": answer})

    def row(self, run: RolloutRun) -> EpisodeRow:
        """The finished episode as a row."""
        numeric = isinstance(self.env.observation_space, _NUMBERS)
        return EpisodeRow(
            run=run.described(),
            episode=self.number,
            seed=self.seed,
            task=self.task,
            messages=tuple(self.messages),
            actions=tuple(self.actions),
            rewards=tuple(self.rewards),
            logprobs=tuple(self.logprobs),
            observations=tuple(self.observations) if numeric else None,
            terminated=self.terminated,
            truncated=self.truncated,
            woke=str(self.info.get("woke", "")),
        )


def _rows(
    run: RolloutRun,
    slots: list[gymnasium.Env[Any, Any]],
    numbers: Iterator[int],
    policy: Policy,
    on_steps: Callable[[int], None],
) -> Iterator[EpisodeRow]:
    """Yields a row as soon as its episode ends; the next episode takes over the free environment."""
    active = [_begin(run, env, number, policy) for env, number in zip(slots, numbers, strict=False)]
    while active:
        choices = [episode.act(episode.observation, episode.info) for episode in active]
        if run.world == "imagined":
            imagined = [episode.env for episode in active if isinstance(episode.env, ImaginedEnv)]
            prefetch(imagined, [choice.action for choice in choices])
        for episode, choice in zip(active, choices, strict=True):
            episode.take(choice)
        on_steps(len(active))
        for place in reversed(range(len(active))):
            episode = active[place]
            if episode.terminated or episode.truncated:
                yield episode.row(run)
                number = next(numbers, None)
                active[place : place + 1] = [] if number is None else [_begin(run, episode.env, number, policy)]


def _begin(run: RolloutRun, env: gymnasium.Env[Any, Any], number: int, policy: Policy) -> _Episode:
    seed = run.seed + number
    observation, info = env.reset(seed=seed)
    core = acting_env(env)
    act = policy(core, Random(seed))
    return _Episode(
        env=env,
        core=core,
        number=number,
        seed=seed,
        task=task_name(core, info),
        act=act,
        observation=observation,
        info=info,
        messages=[{"role": "user", "content": prompt_text(core, observation)}],
        observations=[_plain(observation)],
    )


def _finite(reward: float, episode: _Episode) -> float:
    if not math.isfinite(reward):
        raise BadRollouts(
            f"Step {len(episode.actions)} of episode {episode.number} has the reward {reward}; correct the environment."
        )
    return reward


def _plain(value: Any) -> Any:
    """A value in the types of JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value

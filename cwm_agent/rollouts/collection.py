"""Episodes collected: many environments side by side, a policy in each, a row on disk as each episode ends.

An episode is drawn by its seed alone, so the same run gives the same rows whatever its width, and one that was broken
off is gone on with. Imagined environments advance together: each round of actions is one batch for the oracle.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

import envs  # noqa: F401 - registers the environments
from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.protocol import MarkovView, Oracle
from cwm_agent.rollouts.env_text import answered, prompt, said, task_of
from cwm_agent.rollouts.errors import BadRolloutRun, BadRollouts
from cwm_agent.rollouts.imagined_env import ImaginedEnv, foresee
from cwm_agent.rollouts.rollout_policies import Actor, Choice, Policy
from cwm_agent.rollouts.rollout_rows import EpisodeRow, opened

_NUMBERS = (Box, Discrete, MultiBinary, MultiDiscrete)


@dataclass(frozen=True, slots=True)
class RolloutRun:
    """What to roll out; saved with every row."""

    env: str
    policy: str = "random"
    world: Literal["real", "imagined"] = "real"
    oracle: str = "embedded"
    """What imagines: the world, or a planner's plans."""
    view: MarkovView = "local"
    guide: Guide = GROUNDED
    seed: int = 0
    options: tuple[tuple[str, Any], ...] = ()
    """Of the environment."""

    def __post_init__(self) -> None:
        if self.world not in ("real", "imagined"):
            raise BadRolloutRun(f"world={self.world!r}: choose 'real' or 'imagined'.")

    def described(self) -> dict[str, Any]:
        imagines = self.world == "imagined" or self.policy.startswith("planner:")
        unused = {} if imagines else {"oracle": None, "view": None, "guide": None}
        found = {**asdict(self), "guide": self.guide.name, "options": dict(self.options), **unused}
        plain: dict[str, Any] = json.loads(json.dumps(found))
        return plain


def collect(
    run: RolloutRun,
    episodes: int,
    out: Path,
    policy: Policy,
    oracle: Oracle | None,
    *,
    width: int = 8,
    told: Callable[[EpisodeRow, int, int], None] = lambda row, done, total: None,
) -> int:
    """Roll out every episode that the file does not hold yet; returns how many it holds then."""
    if episodes < 1 or width < 1:
        raise BadRolloutRun(f"episodes={episodes}, width={width}: at least 1 of each is needed.")
    with opened(out, run.described()) as (writer, known):
        left = [number for number in range(episodes) if number not in known]
        done = episodes - len(left)
        if not left:
            return done
        slots = [_made(run, oracle) for _ in range(min(width, len(left)))]
        try:
            for row in _rows(run, slots, iter(left), policy):
                writer.append(row)
                done += 1
                told(row, done, episodes)
        finally:
            for slot in slots:
                slot.close()
    return done


def _made(run: RolloutRun, oracle: Oracle | None) -> gymnasium.Env[Any, Any]:
    try:
        env = gymnasium.make(run.env, **dict(run.options))
    except (gymnasium.error.Error, TypeError) as error:
        raise BadRollouts(f"The environment {run.env!r} cannot be made: {error}") from error
    if run.world == "real":
        return env
    assert oracle is not None
    return ImaginedEnv(env, oracle, view=run.view, guide=run.guide)


@dataclass(slots=True)
class _Episode:
    """One episode under way."""

    env: gymnasium.Env[Any, Any]
    core: Any
    """The environment that words and policies look at: of a dream the one it is made of."""
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
        """Carry one action out and write down what came of it."""
        self.messages.append({"role": "assistant", "content": said(self.core, choice.action)})
        self.observation, reward, self.terminated, self.truncated, self.info = self.env.step(choice.action)
        self.actions.append(_plain(choice.action))
        self.rewards.append(float(reward))
        self.logprobs.append(choice.logprob)
        self.observations.append(_plain(self.observation))
        woke = str(self.info.get("woke", ""))
        words = answered(self.core, self.observation, self.terminated, self.truncated, woke)
        self.messages.append({"role": "user", "content": words})

    def row(self, run: RolloutRun) -> EpisodeRow:
        numeric = isinstance(self.env.observation_space, _NUMBERS)
        return EpisodeRow(
            run.described(),
            self.number,
            self.seed,
            self.task,
            tuple(self.messages),
            tuple(self.actions),
            tuple(self.rewards),
            tuple(self.logprobs),
            tuple(self.observations) if numeric else None,
            self.terminated,
            self.truncated,
            str(self.info.get("woke", "")),
        )


def _rows(
    run: RolloutRun, slots: list[gymnasium.Env[Any, Any]], numbers: Iterator[int], policy: Policy
) -> Iterator[EpisodeRow]:
    """Rows as episodes end; a free place is filled with the next episode."""
    active = [_begun(run, env, number, policy) for env, number in zip(slots, numbers, strict=False)]
    while active:
        choices = [episode.act(episode.observation, episode.info) for episode in active]
        if run.world == "imagined":
            dreams = [episode.env for episode in active if isinstance(episode.env, ImaginedEnv)]
            foresee(dreams, [choice.action for choice in choices])
        for episode, choice in zip(active, choices, strict=True):
            episode.take(choice)
        for place in reversed(range(len(active))):
            episode = active[place]
            if episode.terminated or episode.truncated:
                yield episode.row(run)
                number = next(numbers, None)
                active[place : place + 1] = [] if number is None else [_begun(run, episode.env, number, policy)]


def _begun(run: RolloutRun, env: gymnasium.Env[Any, Any], number: int, policy: Policy) -> _Episode:
    seed = run.seed + number
    observation, info = env.reset(seed=seed)
    core = env.real if isinstance(env, ImaginedEnv) else env.unwrapped
    act = policy(core, Random(seed))
    words = [{"role": "user", "content": prompt(core, observation)}]
    return _Episode(env, core, number, seed, task_of(core, info), act, observation, info, words, [_plain(observation)])


def _plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value

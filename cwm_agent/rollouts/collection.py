"""Collects episodes: several environments advance together, and each finished episode becomes a row on the disk.

The seed alone decides an episode, so the rows of a run do not depend on its width, and an interrupted run continues
with the missing episodes. Imagined environments share one batch of questions to the oracle per round of actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete

from cwm_agent.jobs.errors import JobError
from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.node_tally import OnNodes
from cwm_agent.jobs.placement import HERE, Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.rollouts.env_text import action_text, answer_text, prompt_text, task_name
from cwm_agent.rollouts.environment_factory import acting_env, make_environment
from cwm_agent.rollouts.errors import BadRolloutRun, BadRollouts
from cwm_agent.rollouts.imagined_env import ImaginedEnv, prefetch
from cwm_agent.rollouts.rollout_policies import Actor, Choice, Policy, policy_named
from cwm_agent.rollouts.rollout_rows import EpisodeRow, opened
from cwm_agent.rollouts.rollout_run import RolloutRun
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality

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
    placement: Placement = HERE,
    on_nodes: OnNodes | None = None,
) -> int:
    """Roll out every episode that the file does not hold yet; returns the number of episodes it holds afterwards.

    Args:
        oracle: imagines the environments; needed where `run.world` is "imagined".
        width: environments that advance together.
        on_episode: called after each episode with its row, the number of episodes done, and the number wanted.
        on_steps: called after each round of actions with their number.
        placement: where to roll out; elsewhere than here the policy and the oracle are those that `run` names.
        on_nodes: told what each machine has done.
    """
    if episodes < 1 or width < 1:
        raise BadRolloutRun(f"episodes={episodes}, width={width}: at least 1 of each is needed.")
    with opened(out, run.described()) as (writer, known):
        left = [number for number in range(episodes) if number not in known]
        done = episodes - len(left)
        if not left:
            return done
        work = RolloutWork(run, width)
        if placement.is_here:
            rows = work.rows(left, RolloutParts(policy, oracle), on_steps)
        else:
            rows = _rows_elsewhere(work, left, placement, JobListeners(on_nodes=on_nodes), on_steps)
        for row in rows:
            writer.append(row)
            done += 1
            on_episode(row, done, episodes)
    return done


def _rows_elsewhere(
    work: RolloutWork,
    left: Sequence[int],
    placement: Placement,
    listeners: JobListeners,
    on_steps: Callable[[int], None],
) -> Iterator[EpisodeRow]:
    """Rows that workers send, each as it ends; JobError at the end where episodes were lost."""
    batches = [left[at : at + work.width] for at in range(0, len(left), work.width)]
    lost: list[LostItem[int]] = []
    for found in run_jobs(work, batches, placement.at_most(len(batches)), listeners):
        if isinstance(found, LostItem):
            lost.append(found)
            continue
        on_steps(len(found.value.actions))
        yield found.value
    if lost:
        raise JobError(f"{len(lost)} episodes were lost; the same command tries them again. The first: {lost[0]}")


class RolloutParts(NamedTuple):
    """What one process rolls out with."""

    policy: Policy
    oracle: Oracle | None
    """Imagines the environments; None where these are real."""


@dataclass(frozen=True, slots=True)
class RolloutWork:
    """Rolls out episodes by their numbers, several at a time."""

    run: RolloutRun
    width: int
    isolates: bool = False

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, EpisodeRow]]:
        with ExitStack() as stack:
            held = named_parts(self.run, stack)

            def rolled(numbers: Sequence[int]) -> Iterator[tuple[int, EpisodeRow]]:
                for row in self.rows(numbers, held, lambda steps: None):
                    yield numbers.index(row.episode), row

            yield rolled

    def rows(self, numbers: Sequence[int], held: RolloutParts, on_steps: Callable[[int], None]) -> Iterator[EpisodeRow]:
        """The rows of some episodes, each as it ends."""
        slots = [_make_env(self.run, held.oracle) for _ in range(min(self.width, len(numbers)))]
        try:
            yield from _rows(self.run, slots, iter(numbers), held.policy, on_steps)
        finally:
            for slot in slots:
                slot.close()


def named_parts(run: RolloutRun, stack: ExitStack) -> RolloutParts:
    """The policy and the oracle that a run names, opened on first use; the stack closes the sandbox."""

    @cache
    def oracle() -> Oracle:
        def reality() -> Reality:
            return Reality(stack.enter_context(Sandbox()))

        return CachedOracle(oracle_named(run.oracle, reality))

    return RolloutParts(policy_named(run.policy, oracle), oracle() if run.world == "imagined" else None)


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
        stopped = str(self.info.get("stop_reason", ""))
        answer = answer_text(
            self.core, self.observation, terminated=self.terminated, truncated=self.truncated, reason=stopped
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
            stop_reason=str(self.info.get("stop_reason", "")),
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

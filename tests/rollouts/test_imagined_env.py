"""Imagined environments equal the real ones, except that an oracle computes the consequences of actions."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from local_worlds import Counting, exact

import envs  # noqa: F401 - registers the environments
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from cwm_agent.rollouts.errors import NotImaginable
from cwm_agent.rollouts.imagined_env import ImaginedEnv, prefetch
from envs.check import check_env
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.repair_arrays import RepairArrays
from tasks import CallTest, RepairTask

PERMUTATION, REPAIR = "cwm_agent/Permutation-v0", "cwm_agent/Repair-v0"
TASK = RepairTask(
    id="at-least",
    source="def at_least(x, y):\n    return x > y\n",
    entry="at_least",
    tests=(CallTest("1, 2", "False"), CallTest("2, 2", "True"), CallTest("3, 2", "True")),
    hidden=(CallTest("0, 0", "True"),),
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def imagined_env(oracle=None, view="local", guide="grounded", **options):
    return ImaginedEnv(gymnasium.make(PERMUTATION, **options), oracle or exact(), view=view, guide=parse_guide(guide))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"items": 4}, id="straight"),
        pytest.param({"items": 4, "style": "branching", "show_every": 2}, id="branching, sparse"),
        pytest.param({"items": 3, "style": "loop", "slip": 0.3}, id="loop, slip"),
        pytest.param({"items": 3, "view": "program", "guide": "free"}, id="program view, free"),
    ],
)
def test_an_imagined_environment_passes_the_conformance_checks(options):
    env = imagined_env(**options)
    gymnasium_check(env, skip_render_check=True)
    check_env(env)


def test_an_imagined_repair_environment_passes_the_conformance_checks(sandbox):
    env = gymnasium.make(REPAIR, tasks=[TASK], budget=4, max_edits=20, sandbox=sandbox)
    gymnasium_check(ImaginedEnv(env, CachedOracle(exact())), skip_render_check=True)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version.*:UserWarning")
def test_an_imagined_repair_environment_is_shown_as_arrays(sandbox):
    """The wrapper conforms over an imagined environment too, and its best candidate repairs the program there."""
    real = gymnasium.make(REPAIR, tasks=[TASK], budget=4, sandbox=sandbox)
    env = RepairArrays(ImaginedEnv(real, CachedOracle(exact())), candidates=6)
    gymnasium_check(env, skip_render_check=True)
    check_env(env)
    env.reset(seed=0)
    _, _, terminated, _, info = env.step(0)
    assert (terminated, info["tried"]) == (True, "comparison-boundary 2:13: '>' -> '>='")


@pytest.mark.parametrize("style", ["straight", "branching", "branching-loop"])
def test_with_the_exact_oracle_an_imagined_environment_equals_the_real_one(style):
    """Same seed, same actions: the same observations, rewards and ends."""
    real, imagined = (
        gymnasium.make(PERMUTATION, items=4, style=style, horizon=6),
        imagined_env(items=4, style=style, horizon=6),
    )
    rng = np.random.default_rng(0)
    for seed in range(5):
        assert (real.reset(seed=seed)[0] == imagined.reset(seed=seed)[0]).all()
        over = False
        while not over:
            action = rng.integers(real.action_space.n)
            truly, other = real.step(action), imagined.step(action)
            assert (truly[0] == other[0]).all()
            assert truly[1:4] == other[1:4]
            over = truly[2] or truly[3]


def test_a_noisy_oracle_departs_from_reality_and_observations_stay_valid():
    """Items may be imagined twice; one that does not exist ends the episode with the reason."""
    env = imagined_env(NoisyOracle(exact(), Rates(state=0.5), "systematic", seed=2), items=4, horizon=30)
    rng, ends = np.random.default_rng(0), []
    for seed in range(8):
        env.reset(seed=seed)
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(rng.integers(6))
            assert env.observation_space.contains(observation)
            over = terminated or truncated
        ends.append(info.get("stop_reason", ""))
    assert any("does not exist" in end for end in ends)


def test_an_oracle_without_an_answer_ends_the_episode_at_once():
    env = imagined_env(NoOracle(), items=4)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["stop_reason"]) == (-0.01, False, True, "no oracle")
    env.reset(seed=1)
    assert env.action_masks().all()


def test_an_imagined_repair_executes_only_the_buggy_program(sandbox):
    """The edit that repairs is rewarded as in reality, and the hidden tests are still executed for real."""
    env = gymnasium.make(REPAIR, tasks=[TASK], sandbox=sandbox).unwrapped
    imagined = ImaginedEnv(env, exact())
    _, info = imagined.reset(seed=0)
    right = next(rank for rank in np.flatnonzero(info["action_mask"]) if ">=" in str(env.edit_of(int(rank))))
    real = env.evaluator.real
    observation, reward, terminated, _, _ = imagined.step(right)
    assert terminated
    assert reward == pytest.approx(1 / 3 - 0.001)
    assert observation["tests"].tolist() == [1, 1, 1]
    assert real.executions == 1
    assert env.passes_hidden() is True


def test_an_unknown_test_counts_as_not_passed(sandbox):
    env = ImaginedEnv(gymnasium.make(REPAIR, tasks=[TASK], sandbox=sandbox), NoOracle())
    _, info = env.reset(seed=0)
    observation, _, terminated, _, _ = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert not terminated
    assert observation["tests"].tolist() == [1, 0, 1]  # the edit gained nothing and was undone


def test_prefetch_asks_about_all_environments_in_one_batch():
    counting = Counting(exact())
    cached = CachedOracle(counting)
    imagined = [imagined_env(cached, items=5) for _ in range(4)]
    for seed, env in enumerate(imagined):
        env.reset(seed=seed)
    prefetch(imagined, [0, 1, 2, 3])
    assert len(counting.batches) == 1
    for action, env in enumerate(imagined):
        env.step(action)
    assert len(counting.batches) == 1


def test_environments_without_an_imaginable_world_are_refused():
    with pytest.raises(NotImaginable, match="Permutation-v0"):
        ImaginedEnv(gymnasium.make("FrozenLake-v1"), exact())

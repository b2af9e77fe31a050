"""Learners of other libraries run on our environments as they are: sb3-contrib, and a loop in the style of CleanRL."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

from envs.execution.sandbox.sandbox import Sandbox
from tasks import CallTest, RepairTask

TASK = RepairTask(
    id="at-least",
    source="def at_least(x, y):\n    return x > y\n",
    entry="at_least",
    tests=(CallTest("1, 2", "False"), CallTest("2, 2", "True"), CallTest("3, 2", "True")),
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def options_of(name, sandbox):
    """Small options of an environment, for tests that learn a few steps."""
    if name.startswith("Permutation"):
        return {"items": 3}
    if name.startswith("Repair"):
        return {"tasks": [TASK], "sandbox": sandbox, "budget": 4, "candidates": 4}
    return {"tasks": "repair/recursion", "sandbox": sandbox, "candidates": 4}


NAMES = ["Permutation-v0", "RepairArrays-v0", "TraceArrays-v0"]


@pytest.mark.parametrize("name", NAMES)
def test_maskable_ppo_learns_in_every_array_environment(name, sandbox):
    """The library's own checker finds nothing, and training makes steps and a policy that respects the mask."""
    given = options_of(name, sandbox)
    check_env(gymnasium.make(f"envs:cwm_agent/{name}", **given), skip_render_check=True)
    training = make_vec_env(lambda: gymnasium.make(f"envs:cwm_agent/{name}", **given), n_envs=2, seed=0)
    model = MaskablePPO("MlpPolicy", training, n_steps=8, batch_size=8, n_epochs=1, seed=0, device="cpu")
    model.learn(32)
    assert model.num_timesteps == 32
    env = gymnasium.make(f"envs:cwm_agent/{name}", **given)
    observation, info = env.reset(seed=0)
    action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool))
    assert info["action_mask"][int(action)]


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_in_the_style_of_cleanrl_learns_over_a_vector(name, sandbox):
    """Observations, masks, rewards and ends of a Gymnasium vector are all that such a loop needs."""
    given = options_of(name, sandbox)
    vector = RecordEpisodeStatistics(
        gymnasium.make_vec(f"envs:cwm_agent/{name}", num_envs=2, vectorization_mode="sync", **given)
    )
    torch.manual_seed(0)
    size = int(np.prod(vector.single_observation_space.shape))
    actor = torch.nn.Linear(size, int(vector.single_action_space.n))
    before = actor.weight.detach().clone()
    optimiser = torch.optim.Adam(actor.parameters(), lr=1e-2)
    observations, info = vector.reset(seed=0)
    for _ in range(6):
        logits = actor(torch.as_tensor(observations, dtype=torch.float32).reshape(2, -1))
        mask = torch.as_tensor(info["action_mask"].astype(bool))
        mask[~mask.any(dim=1), 0] = True  # an ended episode, which begins anew by itself
        drawn = torch.distributions.Categorical(logits=logits.masked_fill(~mask, -1e9))
        actions = drawn.sample()
        observations, rewards, *_, info = vector.step(actions.numpy())
        loss = -(drawn.log_prob(actions) * torch.as_tensor(rewards, dtype=torch.float32)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    vector.close()
    assert not torch.equal(before, actor.weight)

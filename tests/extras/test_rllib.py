"""RLlib samples and learns in RepairArrays-v0 as it does in any environment of Gymnasium."""

import gymnasium
import pytest
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

TASK_FILE = "repair/recursion"


def made(config):
    return gymnasium.make("envs:cwm_agent/RepairArrays-v0", tasks=TASK_FILE, candidates=4, budget=4)


@pytest.fixture
def cluster():
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_ppo_makes_one_update(cluster):
    register_env("repair-arrays", made)
    config = PPOConfig().environment("repair-arrays").env_runners(num_env_runners=0)
    config = config.training(train_batch_size_per_learner=16, minibatch_size=8, num_epochs=1)
    algorithm = config.build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["num_env_steps_sampled"] >= 16

"""Trains MaskablePPO in imagined permutation environments and tests the policy in the real one.

    pip install cwm-agent[rl]
    python -m benchmarks.imagined_training --json OUT

Training starts from scratch for each oracle, with the same seeds. At each point of the learning curve the greedy policy
is tested from every possible start, in the real environment and in the imagined one. `real` trains in the real
environment.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import gymnasium

import envs  # noqa: F401 - registers the environments
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.meter import MeteredOracle
from cwm_agent.rollouts.imagined_env import ImaginedEnv
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality

ORACLES = (
    "real",
    "exact",
    "noisy:systematic:state=0.1",
    "noisy:systematic:state=0.3",
    "noisy:iid:state=0.1",
    "embedded",
)
PERMUTATION = "cwm_agent/Permutation-v0"


class TrainingEnvs:
    """Makes environments that share one cache of oracle answers; `real` makes real ones."""

    def __init__(self, oracle: str, sandbox: Sandbox, options: dict[str, Any]) -> None:
        self.options = options
        self.metered = None if oracle == "real" else MeteredOracle(oracle_named(oracle, lambda: Reality(sandbox)))
        self._cached = None if self.metered is None else CachedOracle(self.metered)

    def __call__(self) -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(PERMUTATION, **self.options)
        return env if self._cached is None else ImaginedEnv(env, self._cached)


def goals(model: Any, env: gymnasium.Env[Any, Any]) -> float:
    """Share of all starts from which the greedy policy reaches the goal."""
    goal = tuple(range(env.unwrapped.observation_space.shape[0]))  # type: ignore[index]
    starts = [start for start in permutations(goal) if start != goal]
    reached = 0
    for start in starts:
        observation, _ = env.reset(options={"start": start})
        over = False
        while not over:
            action, _ = model.predict(observation, deterministic=True)
            observation, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            reached += terminated
    return round(reached / len(starts), 3)


def curve(envs_of: TrainingEnvs, *, steps: int, points: int, seed: int) -> list[dict[str, Any]]:
    """Shares of reached goals, before training and after each of `points` equal parts of it."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    training = make_vec_env(envs_of, n_envs=8, seed=seed)
    model = MaskablePPO(
        "MlpPolicy", training, n_steps=128, batch_size=256, learning_rate=1e-3, ent_coef=0.01, gamma=0.95, seed=seed,
        device="cpu",
    )  # fmt: skip
    real, imagined = gymnasium.make(PERMUTATION, **envs_of.options), envs_of()
    found, began = [], time.process_time()
    for point in range(points + 1):
        if point:
            model.learn(steps // points, reset_num_timesteps=False)
        shares = {"real": goals(model, real), "imagined": goals(model, imagined)}
        found.append({"steps": model.num_timesteps, **shares, "cpu_s": time.process_time() - began})
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the arguments say, and print a row for each oracle and seed."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", nargs="+", default=ORACLES, metavar="NAME")
    parser.add_argument("--items", type=int, default=4)
    parser.add_argument("--horizon", type=int, default=8, help="commands after which an episode is truncated")
    parser.add_argument("--steps", type=int, default=4_096)
    parser.add_argument("--points", type=int, default=4, help="points of the curve after the first")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    rows = []
    with Sandbox() as sandbox:
        for oracle in options.oracle:
            for seed in range(options.seeds):
                envs_of = TrainingEnvs(oracle, sandbox, {"items": options.items, "horizon": options.horizon})
                points = curve(envs_of, steps=options.steps, points=options.points, seed=seed)
                queries = envs_of.metered.queries if envs_of.metered else 0
                rows.append({"oracle": oracle, "seed": seed, "asked": queries, "curve": points})
                print(json.dumps(rows[-1]), flush=True)
    if options.json:
        given = {name: value for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

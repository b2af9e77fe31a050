"""Trains MaskablePPO (sb3-contrib) on `cwm_agent/Permutation-v0` and prints the learning curve as JSON.

    pip install cwm-agent[rl]
    python -m benchmarks.rl_permutation --items 5 --steps 16384 --json OUT

The return of an episode is 1 at the goal minus 0.01 for each command; starts are drawn from all arrangements. The
policy is evaluated greedily on 200 starts drawn with seeds that training never uses.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import envs  # noqa: F401 - registers the environments

EPISODES = 200
FIRST_SEED = 1_000_000
"""First seed of the evaluation starts."""


def evaluated(model: Any, env: gymnasium.Env[Any, Any], *, greedy: bool = True) -> dict[str, float]:
    """Mean return and share of reached goals over the evaluation starts."""
    returns, goals = [], 0
    for episode in range(EPISODES):
        observation, info = env.reset(seed=FIRST_SEED + episode)
        total, over = 0.0, False
        while not over:
            masks = info["action_mask"].astype(bool)
            action, _ = model.predict(observation, action_masks=masks, deterministic=greedy)
            observation, reward, terminated, truncated, info = env.step(action)
            total, over = total + float(reward), terminated or truncated
            goals += terminated
        returns.append(total)
    return {"return": round(statistics.mean(returns), 4), "goals": round(goals / EPISODES, 4)}


def curve(*, items: int, horizon: int, steps: int, points: int, seed: int) -> list[dict[str, float]]:
    """The evaluation before training and after each of `points` equal parts of it."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    options: dict[str, Any] = {"items": items, "horizon": horizon}
    quiet = options | {"render_mode": None}  # stable-baselines3 would request images
    training = make_vec_env("cwm_agent/Permutation-v0", n_envs=16, seed=seed, env_kwargs=quiet)
    test = gymnasium.make("cwm_agent/Permutation-v0", **options)
    model = MaskablePPO(
        "MlpPolicy", training, n_steps=128, batch_size=512, learning_rate=1e-3, ent_coef=0.01, gamma=0.95, seed=seed,
        device="cpu",
    )  # fmt: skip
    found = [{"steps": 0, "seconds": 0.0, **evaluated(model, test, greedy=False)}]
    start = time.perf_counter()
    for _ in range(points):
        model.learn(steps // points, reset_num_timesteps=False)
        spent = round(time.perf_counter() - start, 1)
        found.append({"steps": model.num_timesteps, "seconds": spent, **evaluated(model, test)})
        print(json.dumps(found[-1]), flush=True)
    return found


def main(argv: list[str] | None = None) -> None:
    """Train as the arguments say, and print the curve as JSON."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=5)
    parser.add_argument("--horizon", type=int, default=8, help="commands after which an episode is truncated")
    parser.add_argument("--steps", type=int, default=16_384)
    parser.add_argument("--points", type=int, default=8, help="points of the curve after the first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    np.random.seed(options.seed)
    settings = {name: value for name, value in vars(options).items() if name != "json"}
    found = curve(**settings)
    print(json.dumps(found[0]), "->", json.dumps(found[-1]))
    if options.json:
        text = json.dumps({"settings": settings, "curve": found}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

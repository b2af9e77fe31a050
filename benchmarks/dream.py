"""Can a policy be trained in a dream? MaskablePPO in imagined permutation worlds, tested in the real one.

    pip install cwm-agent[rl]
    python -m benchmarks.dream --json OUT

Each oracle's dream is learnt in from scratch with the same seeds; at every point of the curve the greedy policy is
tested from every start there is, in the real environment and in its own dream. `real` is the same training in the real
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


class DreamResults:
    """Makes environments of one world that share what its oracle said."""

    def __init__(self, oracle: str, sandbox: Sandbox, options: dict[str, Any]) -> None:
        self.options = options
        self.metered = None if oracle == "real" else MeteredOracle(oracle_named(oracle, lambda: Reality(sandbox)))
        self._memo = None if self.metered is None else CachedOracle(self.metered)

    def __call__(self) -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(PERMUTATION, **self.options)
        return env if self._memo is None else ImaginedEnv(env, self._memo)


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


def curve(dreams: DreamResults, *, steps: int, points: int, seed: int) -> list[dict[str, Any]]:
    """The real and the dreamt evaluation before training and after each of `points` equal parts of it."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    training = make_vec_env(dreams, n_envs=8, seed=seed)
    model = MaskablePPO(
        "MlpPolicy", training, n_steps=128, batch_size=256, learning_rate=1e-3, ent_coef=0.01, gamma=0.95, seed=seed,
        device="cpu",
    )  # fmt: skip
    real, dreamt = gymnasium.make(PERMUTATION, **dreams.options), dreams()
    found, began = [], time.process_time()
    for point in range(points + 1):
        if point:
            model.learn(steps // points, reset_num_timesteps=False)
        truly, imagined = goals(model, real), goals(model, dreamt)
        found.append(
            {"steps": model.num_timesteps, "real": truly, "dream": imagined, "cpu_s": time.process_time() - began}
        )
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn as the arguments say, and print a row for each dream and seed."""
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
                dreams = DreamResults(oracle, sandbox, {"items": options.items, "horizon": options.horizon})
                points = curve(dreams, steps=options.steps, points=options.points, seed=seed)
                asked = dreams.metered.queries if dreams.metered else 0
                rows.append({"oracle": oracle, "seed": seed, "asked": asked, "curve": points})
                print(json.dumps(rows[-1]), flush=True)
    if options.json:
        given = {name: value for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

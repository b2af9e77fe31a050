"""Trains MaskablePPO to choose edits on one family of repair tasks, and tests it on programs it never saw.

    pip install cwm-agent[rl]
    python -m benchmarks.repair_learning --json OUT
    python -m benchmarks.repair_learning --oracle exact --json OUT        trained in imagination, tested for real

RepairArrays-v0 offers the best edits by class rates and suspicion. Three policies are tested on the family's tasks of
the `test` half: random choice among the candidates, the ranked order alone (always the first), and the greedy policy
learnt on the family's tasks of the `dev` half. Reported: share of tasks solved within the budget, mean executions (the
whole budget where unsolved) and mean return, with 95 % bootstrap intervals over tasks and seeds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np

import envs  # noqa: F401 - registers the environments
from benchmarks.candidate_choice import difference
from benchmarks.random_programs.task_families import families
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.rollouts.imagined_env import ImaginedEnv
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from envs.gym.repair_arrays import PROGRAM, ROW, RepairArrays
from tasks import RepairTask

Chooser = Callable[[Any, Any], int]
"""An action from an observation and a mask."""


@dataclass(frozen=True, slots=True)
class Environments:
    """Makes environments of one size; those of an oracle imagine the edited programs, and run the buggy one alone."""

    sandbox: Sandbox
    budget: int
    candidates: int
    oracle: Oracle | None = None

    def make(self, tasks: Sequence[RepairTask]) -> Any:
        real = gymnasium.make("cwm_agent/Repair-v0", tasks=tasks, sandbox=self.sandbox, budget=self.budget, price=0.02)
        env = real if self.oracle is None else ImaginedEnv(real, self.oracle)
        return RepairArrays(env, candidates=self.candidates)


def trained(make: Callable[[], Any], *, steps: int, seed: int) -> Chooser:
    """The greedy policy that MaskablePPO learns in these environments; one small network scores every candidate."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class CandidateScores(BaseFeaturesExtractor):  # type: ignore[misc]  # the library has no types
        """The same network reads each candidate's row and the program's numbers: K rows in, K scores out."""

        def __init__(self, space: Any) -> None:
            count = (space.shape[0] - PROGRAM) // ROW
            super().__init__(space, count)
            self.score = torch.nn.Sequential(
                torch.nn.Linear(ROW + PROGRAM, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)
            )

        def forward(self, observations: Any) -> Any:
            rows = observations[:, :-PROGRAM].reshape(len(observations), -1, ROW)
            program = observations[:, None, -PROGRAM:].expand(-1, rows.shape[1], -1)
            return self.score(torch.cat([rows, program], dim=-1)).squeeze(-1)

    torch.manual_seed(seed)
    model = MaskablePPO(
        "MlpPolicy", make_vec_env(make, n_envs=4, seed=seed), n_steps=128, batch_size=128, learning_rate=1e-3,
        ent_coef=0.01, gamma=0.98, seed=seed, device="cpu",
        policy_kwargs={"features_extractor_class": CandidateScores, "net_arch": {"pi": [], "vf": [32]}},
    )  # fmt: skip
    action_net: Any = model.policy.action_net
    torch.nn.init.eye_(action_net.weight)
    model.learn(steps)

    def choose(observation: Any, mask: Any) -> int:
        action, _ = model.predict(observation, action_masks=mask, deterministic=True)
        return int(action)

    return choose


def tested(env: Any, tasks: Sequence[RepairTask], choose: Chooser) -> list[dict[str, float]]:
    """One episode of each task: whether it was solved, its executions and its return."""
    found = []
    for task in tasks:
        observation, info = env.reset(seed=0, options={"task": task.id})
        total, over, solved = 0.0, False, False
        while not over:
            action = choose(observation, info["action_mask"].astype(bool))
            observation, reward, solved, truncated, info = env.step(action)
            total, over = total + reward, solved or truncated
        spent = info["executions"] if solved else env.unwrapped.budget
        found.append({"solved": float(solved), "executions": float(spent), "return": total})
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and test as the arguments say, and print one row for each policy."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="constant-step")
    parser.add_argument("--most", type=int, default=3, help="tasks for each program")
    parser.add_argument("--budget", type=int, default=12, help="real executions in an episode")
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--oracle", default="", help="trains in environments that this oracle imagines (default: real)")
    parser.add_argument("--steps", type=int, default=8_192)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with Sandbox() as sandbox:
        training, testing = (
            families([options.family], split, sandbox, most=options.most)[options.family] for split in ("dev", "test")
        )
        print(f"{len(training)} tasks to learn on, {len(testing)} to test on")
        oracle = CachedOracle(oracle_named(options.oracle, lambda: Reality(sandbox))) if options.oracle else None
        sizes = (sandbox, options.budget, options.candidates)
        env = Environments(*sizes).make(testing)
        results: dict[str, list[dict[str, float]]] = {"ranked": tested(env, testing, lambda observation, mask: 0)}
        results["random"] = results["learnt"] = []
        for seed in range(options.seeds):
            rng = Random(seed)

            def draw(observation: Any, mask: Any, rng: Random = rng) -> int:
                return int(rng.choice(np.flatnonzero(mask).tolist()))

            learnt = trained(lambda: Environments(*sizes, oracle).make(training), steps=options.steps, seed=seed)
            results["random"] = results["random"] + tested(env, testing, draw)
            results["learnt"] = results["learnt"] + tested(env, testing, learnt)
    rows = {
        name: {key: difference([each[key] for each in found]) for key in ("solved", "executions", "return")}
        for name, found in results.items()
    }
    for name, row in rows.items():
        print(name, json.dumps(row))
    print(f"{time.monotonic() - began:.0f} s")
    if options.json:
        given = {name: value for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Trains MaskablePPO to choose edits on one family of repair tasks, and tests it on programs it never saw.

    pip install cwm-agent[rl]
    python -m benchmarks.repair_learning --out runs/learning --json OUT
    python -m benchmarks.repair_learning --oracle exact --out ..          trained in imagination, tested for real

RepairArrays-v0 offers the best edits by class rates and suspicion. Three policies are tested on the family's tasks of
the `test` half: random choice among the candidates, the ranked order alone (always the first), and the greedy policy
learnt on the family's tasks of the `dev` half. Reported: share of tasks solved within the budget, mean executions (the
whole budget where unsolved) and mean return, with 95 % bootstrap intervals over tasks and seeds, and the paired
difference of the learnt policy from the others. Each seed is one file in --out; the same command goes on after it.
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
from benchmarks.repeated_runs import RepeatedRuns
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.rollouts.imagined_env import ImaginedEnv
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from envs.gym.repair_arrays import PROGRAM, ROW, RepairArrays
from tasks import RepairTask
from tasks.task import Split

Chooser = Callable[[Any, Any], int]
"""An action from an observation and a mask."""
Results = dict[str, list[dict[str, float]]]
"""For each policy what became of each task."""
MEASURES = ("solved", "executions", "return")


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
    """The greedy policy that MaskablePPO learns in these environments; one small network scores every candidate.

    Without a discounted future (`gamma=0`) a try is judged by its own reward, not by later ones that succeed.
    A minibatch is a whole rollout: success is rare, and the advantages of a batch without any would be noise.
    """
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
        "MlpPolicy", make_vec_env(make, n_envs=4, seed=seed), n_steps=64, batch_size=256, learning_rate=5e-3,
        clip_range=1.0, ent_coef=0.003, gamma=0.0, seed=seed, device="cpu",
        policy_kwargs={"features_extractor_class": CandidateScores, "net_arch": {"pi": [], "vf": [32]}},
    )  # fmt: skip
    action_net: Any = model.policy.action_net
    torch.nn.init.eye_(action_net.weight)
    action_net.requires_grad_(False)  # else K x K weights learn from the places of candidates, which say nothing
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


def one_seed(seed: int, sandbox: Sandbox, tasks: tuple[list[RepairTask], list[RepairTask]], options: Any) -> Results:
    """The results of the three policies on each test task; the learnt one is trained anew."""
    training, testing = tasks
    sizes = (sandbox, options.budget, options.candidates)
    oracle = CachedOracle(oracle_named(options.oracle, lambda: Reality(sandbox))) if options.oracle else None
    env, rng = Environments(*sizes).make(testing), Random(seed)

    def draw(observation: Any, mask: Any) -> int:
        return int(rng.choice(np.flatnonzero(mask).tolist()))

    learnt = trained(lambda: Environments(*sizes, oracle).make(training), steps=options.steps, seed=seed)
    return {
        "ranked": tested(env, testing, lambda observation, mask: 0),
        "random": tested(env, testing, draw),
        "learnt": tested(env, testing, learnt),
    }


def sides(options: argparse.Namespace, sandbox: Sandbox) -> tuple[list[RepairTask], list[RepairTask]]:
    """Tasks to learn on and to test on; for validation both of the `dev` half, tested on every third program."""

    def half(split: Split) -> list[RepairTask]:
        return families([options.family], split, sandbox, most=options.most)[options.family]

    training = half("dev")
    if not options.validation:
        return training, half("test")
    programs = list(dict.fromkeys(task.id.partition("/")[0] for task in training))
    held = set(programs[::3])
    kept = [task for task in training if task.id.partition("/")[0] not in held]
    return kept, [task for task in training if task.id.partition("/")[0] in held]


def summary(found: Sequence[Results]) -> dict[str, Any]:
    """Means over tasks and seeds, and the paired difference of the learnt policy from each other one."""
    rows: dict[str, Any] = {}
    for name in ("random", "ranked", "learnt"):
        own = [each for results in found for each in results[name]]
        rows[name] = {key: difference([each[key] for each in own]) for key in MEASURES}
    for other in ("random", "ranked"):
        pairs = [pair for results in found for pair in zip(results["learnt"], results[other], strict=True)]
        rows[f"learnt less {other}"] = {key: difference([a[key] - b[key] for a, b in pairs]) for key in MEASURES}
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and test each seed that is missing, and print one row for each policy."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="constant-step")
    parser.add_argument("--most", type=int, default=3, help="tasks for each program")
    parser.add_argument("--budget", type=int, default=12, help="real executions in an episode")
    parser.add_argument("--candidates", type=int, default=256)
    parser.add_argument("--oracle", default="", help="trains in environments that this oracle imagines (default: real)")
    parser.add_argument("--steps", type=int, default=2_560)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0, help="several processes can train some seeds each")
    parser.add_argument("--validation", action="store_true", help="test on a third of the dev half's programs instead")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    missing = [seed for seed in seeds if not (options.out / f"seed-{seed}.json").exists()]
    began = time.monotonic()
    with RepeatedRuns() as sandbox:
        if missing:
            tasks = sides(options, sandbox)
            print(f"{len(tasks[0])} tasks to learn on, {len(tasks[1])} to test on", flush=True)
        for seed in missing:
            found = one_seed(seed, sandbox, tasks, options)
            (options.out / f"seed-{seed}.json").write_text(json.dumps(found) + "\n", encoding="utf-8")
            print(f"seed {seed} after {time.monotonic() - began:.0f} s", flush=True)
    files = [options.out / f"seed-{seed}.json" for seed in seeds]
    rows = summary([json.loads(path.read_text(encoding="utf-8")) for path in files])
    for name, row in rows.items():
        print(name, json.dumps(row))
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

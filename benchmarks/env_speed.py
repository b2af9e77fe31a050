"""Measures the overhead of Gymnasium: evaluations per second of Repair-v0 and of the bare sandbox.

    python -m benchmarks.env_speed --json OUT

Takes random allowed actions on shipped tasks, then runs exactly the same programs in the sandbox.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from envs.domains.task_tests import sandbox_test
from envs.execution.sandbox.sandbox import Sandbox
from envs.gym.repair_env import Keep, RepairEnv
from tasks import RepairTask, load


def through_env(env: RepairEnv, steps: int) -> tuple[list[str], float]:
    """The programs that random actions executed, and the seconds of the steps."""
    _, info = env.reset(seed=0)
    rng, sources, spent = np.random.default_rng(0), [], 0.0
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        source = env.core.transition(env.state, env.edit_of(action)).source
        before, start = env.executions, time.perf_counter()
        *_, terminated, truncated, info = env.step(action)
        if env.executions > before:
            spent += time.perf_counter() - start
            sources.append(source)
        if terminated or truncated:
            break
    return sources, spent


def through_sandbox(env: RepairEnv, sandbox: Sandbox, sources: list[str]) -> float:
    """The seconds of the same programs without the environment, under the same limits."""
    tests = [sandbox_test(test, env.task.entry) for test in env.task.tests]
    start = time.perf_counter()
    for source in sources:
        sandbox.run_tests(source, tests, entry=env.task.entry, limits=env.limits)
    return time.perf_counter() - start


def measured(keep: Keep, tasks: list[RepairTask], steps: int) -> dict[str, Any]:
    """Both rates and their ratio, pooled over the tasks, and the ratio of the median task."""
    runs, inside, bare, ratios = 0, 0.0, 0.0, []
    with Sandbox() as sandbox:
        for task in tasks:
            env = RepairEnv(tasks=[task], sandbox=sandbox, keep=keep, budget=10**6)
            sources, spent = through_env(env, steps)
            alone = through_sandbox(env, sandbox, sources)
            runs, inside, bare = runs + len(sources), inside + spent, bare + alone
            ratios.append(alone / spent)
    return {
        "evaluations": runs,
        "env_per_s": round(runs / inside, 1),
        "sandbox_per_s": round(runs / bare, 1),
        "ratio_pooled": round(bare / inside, 3),
        "ratio_median_task": round(statistics.median(ratios), 3),
    }


def main(argv: list[str] | None = None) -> None:
    """Measure both ways of keeping edits and print the rates as JSON."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=8, help="number of shipped dev tasks")
    parser.add_argument("--steps", type=int, default=200, help="steps on each: the default budget of an episode")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    tasks = [task for task in load("repair").of_split("dev").tasks if isinstance(task, RepairTask)]
    chosen = tasks[:: max(1, len(tasks) // options.tasks)][: options.tasks]
    result = {
        "better": measured("better", chosen, options.steps),
        "always": measured("always", chosen, options.steps),
    }
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

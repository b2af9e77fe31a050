"""Compares two rules for which candidate runs for real: the best odds, and the value of information.

    python -m benchmarks.candidate_choice --jobs 16 --out runs/choice --json OUT.json

Both rules solve the same tasks with the same planner, oracle, budget and seeds; the oracle is the exact one made wrong
systematically at each of the rates, and its own looks at reality are not charged. Reported: tasks solved, and the mean
difference in real executions (unsolved tasks at the whole budget), information minus odds, with a 95 % bootstrap
interval over pairs of task and seed. Imagined steps bind before the clock, so a busy machine changes nothing. Runs lie
in --out, and the same command continues them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.jobs.placement import Placement
from tasks import RepairTask, load

RULES: dict[str, Literal["", "information"]] = {"odds": "", "information": "information"}


def difference(values: Sequence[float]) -> list[float]:
    """The mean and its 95 % bootstrap interval."""
    rng = np.random.default_rng(0)
    means = [float(rng.choice(values, len(values)).mean()) for _ in range(2_000)]
    return [round(float(np.mean(values)), 3), *(round(float(each), 3) for each in np.percentile(means, [2.5, 97.5]))]


def spent(episode: Episode, budget: int) -> float:
    return float(episode.executions if episode.solved else budget)


def compared(
    tasks: Sequence[RepairTask], oracle: str, seeds: Sequence[int], options: argparse.Namespace
) -> dict[str, Any]:
    """The row of one oracle: how many tasks each rule solves, and their difference in executions."""
    found: dict[str, list[Episode]] = {}
    for rule, choice in RULES.items():
        for seed in seeds:
            budget = Budget(options.executions, steps=options.steps, seconds=options.seconds, comparisons=0)
            name = oracle.format(seed=seed)
            settings = Settings(oracle=name, ceiling=True, budget=budget, seed=seed, choice=choice)
            folder = options.out / f"{rule}-{name.replace(':', '-').replace(',', '-')}-{seed}"
            run_tasks(RepairKind(), tasks, settings, folder, placement=Placement(options.jobs))
            episodes = {each.task: each for each in read(folder / "episodes.jsonl")}
            found.setdefault(rule, []).extend(episodes[task.id] for task in tasks)
    pairs = list(zip(found["information"], found["odds"], strict=True))
    return {
        "oracle": oracle,
        "pairs": len(pairs),
        **{f"solved by {rule}": sum(each.solved for each in episodes) for rule, episodes in found.items()},
        **{
            f"executions by {rule}": round(float(np.mean([spent(each, options.executions) for each in episodes])), 2)
            for rule, episodes in found.items()
        },
        "difference": difference([spent(a, options.executions) - spent(b, options.executions) for a, b in pairs]),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve with both rules and print a row for each oracle."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--rates", type=float, nargs="+", default=[0.02, 0.05, 0.1], help="shares of wrong steps")
    add("--split", default="test")
    add("--limit", type=int, help="tasks at most")
    add("--seeds", type=int, default=3)
    add("--executions", type=int, default=20, help="real executions for each task")
    add("--steps", type=int, default=60_000, help="imagined steps for each task")
    add("--seconds", type=float, default=3_600, help="seconds of imagining for each task, as a backstop")
    add("--jobs", type=int, default=2)
    add("--out", type=Path, required=True)
    add("--json", type=Path)
    options = parser.parse_args(arguments)
    tasks = [each for each in load("repair").tasks if isinstance(each, RepairTask) and each.split == options.split]
    rows = []
    for rate in options.rates:
        oracle = f"noisy:systematic:state={rate:g},seed={{seed}}"
        rows.append(compared(tasks[: options.limit], oracle, range(options.seeds), options))
        print(json.dumps(rows[-1]), flush=True)
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Compares two rules for which candidate runs for real: the best odds, and the value of information.

    python -m benchmarks.candidate_choice --jobs 16 --out runs/choice --json OUT.json

Both rules solve the same tasks with the same planner, oracle, budget and seeds; the oracle is the exact one made wrong
systematically at each of the rates, and its own looks at reality are not charged. Reported: tasks solved, and the mean
difference in real executions (unsolved tasks at the whole budget), information minus odds, with a 95 % bootstrap
interval over pairs of task and seed. Imagined steps bind before the clock, so a busy machine changes nothing. Runs lie
in --out, and the same command continues them; with --table it solves nothing and compares what both rules have ended.
--families takes one-edit bugs of some classes in the reference programs, in place of the shipped tasks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.random_programs.task_families import families
from cwm_agent import defaults
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import CANDIDATE_SOURCES, Settings
from cwm_agent.jobs.placement import Placement
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load

RULES: dict[str, Literal["", "information"]] = {"odds": "", "information": "information"}


def difference(values: Sequence[float]) -> list[float]:
    """The mean and its 95 % bootstrap interval."""
    rng = np.random.default_rng(0)
    means = [float(rng.choice(values, len(values)).mean()) for _ in range(2_000)]
    return [round(float(np.mean(values)), 3), *(round(float(each), 3) for each in np.percentile(means, [2.5, 97.5]))]


def spent(episode: Episode, budget: int) -> float:
    return float(episode.executions if episode.solved else budget)


def ended(folder: Path) -> dict[str, Episode]:
    """The episodes that a folder holds, by task."""
    path = folder / "episodes.jsonl"
    return {each.task: each for each in read(path)} if path.exists() else {}


def some_of(tasks: Sequence[RepairTask], limit: int | None) -> list[RepairTask]:
    """At most that many tasks, evenly spaced over all, so that every family has its share."""
    if limit is None or limit >= len(tasks):
        return list(tasks)
    return [tasks[at * len(tasks) // limit] for at in range(limit)]


def tasks_of(options: argparse.Namespace) -> list[RepairTask]:
    """The shipped tasks of a half, or bugs of the named families in its reference programs."""
    if options.families:
        with Sandbox() as sandbox:
            found = families(options.families, options.split, sandbox, most=1)
        return some_of([task for tasks in found.values() for task in tasks], options.limit)
    shipped = [each for each in load("repair").tasks if isinstance(each, RepairTask) and each.split == options.split]
    return some_of(shipped, options.limit)


def add_candidate_options(parser: argparse.ArgumentParser) -> None:
    """Options that say where candidates come from, for runs that must be short."""
    parser.add_argument("--policy", default=defaults.POLICY, help="model that ranks edits, or none")
    parser.add_argument("--likely-only", action="store_true", help="likely edits alone, no other source of candidates")


def candidates_of(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that these options stand for."""
    return {"policy": options.policy, "without": CANDIDATE_SOURCES if options.likely_only else ()}


def compared(
    tasks: Sequence[RepairTask], oracle: str, seeds: Sequence[int], options: argparse.Namespace
) -> dict[str, Any]:
    """The row of one oracle: how many tasks each rule solves, and their difference in executions."""
    found: dict[str, list[Episode]] = {rule: [] for rule in RULES}
    for seed in seeds:
        name = oracle.format(seed=seed)
        folders = {rule: options.out / f"{rule}-{name.replace(':', '-').replace(',', '-')}-{seed}" for rule in RULES}
        for rule, choice in {} if options.table else RULES.items():
            budget = Budget(options.executions, steps=options.steps, seconds=options.seconds, comparisons=0)
            settings = Settings(
                oracle=name, ceiling=True, budget=budget, seed=seed, choice=choice, **candidates_of(options)
            )
            run_tasks(RepairKind(), tasks, settings, folders[rule], placement=Placement(options.jobs))
        episodes = {rule: ended(folders[rule]) for rule in RULES}
        both = [task.id for task in tasks if all(task.id in episodes[rule] for rule in RULES)]
        for rule in RULES:
            found[rule].extend(episodes[rule][task] for task in both)
    pairs = list(zip(found["information"], found["odds"], strict=True))
    if not pairs:
        return {"oracle": oracle, "pairs": 0}
    return {
        "oracle": oracle,
        "pairs": len(pairs),
        **{f"solved by {rule}": sum(each.solved for each in episodes) for rule, episodes in found.items()},
        **{f"right by {rule}": sum(bool(each.right) for each in episodes) for rule, episodes in found.items()},
        **{
            f"executions by {rule}": round(float(np.mean([spent(each, options.executions) for each in episodes])), 2)
            for rule, episodes in found.items()
        },
        "other executions": sum(a.executions != b.executions for a, b in pairs),
        "difference": difference([spent(a, options.executions) - spent(b, options.executions) for a, b in pairs]),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve with both rules and print a row for each oracle."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--rates", type=float, nargs="+", default=[0.02, 0.05, 0.1], help="shares of wrong steps")
    add("--split", default="test")
    add("--families", nargs="+", default=[], metavar="CLASS", help="bugs of these classes, not the shipped tasks")
    add("--limit", type=int, help="tasks at most, evenly spaced over all")
    add("--seeds", type=int, default=3)
    add("--first-seed", type=int, default=0, help="several processes can solve some seeds each")
    add("--executions", type=int, default=20, help="real executions for each task")
    add("--steps", type=int, default=60_000, help="imagined steps for each task")
    add("--seconds", type=float, default=3_600, help="seconds of imagining for each task, as a backstop")
    add_candidate_options(parser)
    add("--jobs", type=int, default=2)
    add("--table", action="store_true", help="solve nothing: compare what --out holds")
    add("--out", type=Path, required=True)
    add("--json", type=Path)
    options = parser.parse_args(arguments)
    tasks, seeds = tasks_of(options), range(options.first_seed, options.first_seed + options.seeds)
    rows = []
    for rate in options.rates:
        oracle = f"noisy:systematic:state={rate:g},seed={{seed}}"
        rows.append(compared(tasks, oracle, seeds, options))
        print(json.dumps(rows[-1]), flush=True)
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

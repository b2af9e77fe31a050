"""Ablation of what is learnt from episodes: no learning, the prior, the value, both; equal budgets, unseen families.

    python -m benchmarks.learnt_search --jobs 16 --out runs/learnt --json OUT.json

Training: MCTS solves bugs of the training families in the programs of the `dev` half, and `learn` makes a model of its
episodes. Test: bugs of other families in the programs of the `test` half, so neither a program nor a class of bug was
trained on. Every row has the same planner, oracle (the exact one made wrong systematically), and budgets of real
executions and of imagined steps. Reported: tasks solved and right, mean executions (unsolved tasks at the whole
budget) and candidates imagined, and the difference in executions from the row without learning, with a 95 % bootstrap
interval over pairs of task and seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.candidate_choice import difference, spent
from benchmarks.random_programs.task_families import families
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.learning.learnt_model import learn
from cwm_agent.agent.repair.repair_kind import RepairKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.jobs.placement import Placement
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask

TRAINED = ("comparison-boundary", "constant-step", "arithmetic", "variable", "index", "initial-value", "range")
HELD_OUT = ("comparison", "connective", "operand-swap", "slice", "augment", "negation", "statement-delete", "call-name")
ROWS = {"none": (False, False), "prior": (True, False), "value": (False, True), "both": (True, True)}


def tasks_of(operators: Sequence[str], split: Any, most: int) -> list[RepairTask]:
    """The tasks of some families, those of one program next to each other."""
    with Sandbox() as sandbox:
        found = families(operators, split, sandbox, most=most)
    return [task for tasks in found.values() for task in tasks]


def solved(tasks: Sequence[RepairTask], settings: Settings, folder: Path, jobs: int) -> list[Episode]:
    run_tasks(RepairKind(), tasks, settings, folder, placement=Placement(jobs))
    episodes = {each.task: each for each in read(folder / "episodes.jsonl")}
    return [episodes[task.id] for task in tasks]


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, solve every row and print it."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--noise", type=float, default=0.02, help="share of wrong steps of the oracle")
    add("--executions", type=int, default=10, help="real executions for each task")
    add("--steps", type=int, default=60_000, help="imagined steps for each task")
    add("--seeds", type=int, default=2)
    add("--most", type=int, default=1, help="tasks for each program and family")
    add("--limit", type=int, help="tasks at most, on each side")
    add("--jobs", type=int, default=2)
    add("--out", type=Path, required=True)
    add("--json", type=Path)
    options = parser.parse_args(arguments)
    training = tasks_of(TRAINED, "dev", options.most)[: options.limit]
    testing = tasks_of(HELD_OUT, "test", options.most)[: options.limit]
    print(f"{len(training)} tasks to learn from, {len(testing)} to test on", flush=True)
    budget = Budget(options.executions, steps=options.steps, seconds=3_600, comparisons=0)

    def settings_of(seed: int, **learnt: str) -> Settings:
        oracle = f"noisy:systematic:state={options.noise:g},seed={seed}"
        return Settings("mcts", oracle, ceiling=True, budget=budget, seed=seed, **learnt)  # type: ignore[arg-type]

    solved(training, settings_of(100), options.out / "training", options.jobs)
    model = learn([options.out / "training"], training)
    folder = str(model.save(options.out / "model").parent)
    print(json.dumps(model.learnt_from), flush=True)
    found: dict[str, list[Episode]] = {name: [] for name in ROWS}
    for seed in range(options.seeds):
        for name, (prior, value) in ROWS.items():
            learnt = ({"policy": folder} if prior else {}) | ({"value": folder} if value else {})
            found[name] += solved(testing, settings_of(seed, **learnt), options.out / f"{name}-{seed}", options.jobs)
    rows = {}
    for name, episodes in found.items():
        pairs = zip(episodes, found["none"], strict=True)
        rows[name] = {
            "episodes": len(episodes),
            "solved": sum(each.solved for each in episodes),
            "right": sum(bool(each.right) for each in episodes),
            "executions": round(float(np.mean([spent(each, options.executions) for each in episodes])), 3),
            "imagined": round(float(np.mean([each.spent.get("imagined", 0) for each in episodes])), 1),
            "difference": difference(
                [spent(one, options.executions) - spent(other, options.executions) for one, other in pairs]
            ),
        }
        print(name, json.dumps(rows[name]), flush=True)
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        text = json.dumps({"settings": given, "learnt_from": model.learnt_from, "rows": rows}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

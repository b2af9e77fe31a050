"""Ablation of what is learnt from episodes: no learning, the prior, the value, both; equal budgets, unseen families.

    python -m benchmarks.learnt_search --jobs 16 --out runs/learnt --json OUT.json

Training: MCTS solves bugs of the training families in the programs of the `dev` half, and `learn` makes a model of its
episodes. Test: bugs of other families in the programs of the `test` half, so neither a program nor a class of bug was
trained on. Every row has the same planner, oracle (the exact one made wrong systematically), and budgets of real
executions and of imagined steps. Reported: tasks solved and right, mean executions (unsolved tasks at the whole
budget) and candidates imagined, and the difference in executions from the row without learning, with a 95 % bootstrap
interval over pairs of task and seed. The same command continues a run; with --table it solves nothing and compares
the tasks and seeds that every row has ended.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.candidate_choice import add_candidate_options, candidates_of, difference, ended, some_of, spent
from benchmarks.random_programs.task_families import families, with_second_bugs
from cwm_agent.agent.budget import Budget
from cwm_agent.agent.episodes.episode import Episode
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


def tasks_of(operators: Sequence[str], split: Any, options: argparse.Namespace) -> list[RepairTask]:
    """The tasks of some families, those of one program next to each other, with one or two bugs."""
    with Sandbox() as sandbox:
        found = families(operators, split, sandbox, most=options.most)
        tasks = some_of([task for tasks in found.values() for task in tasks], options.limit)
        return tasks if options.bugs == 1 else with_second_bugs(tasks, operators, sandbox)


def learnt_from(
    training: Sequence[RepairTask], settings: Settings, options: argparse.Namespace
) -> tuple[str, dict[str, Any]]:
    """The folder of the model that was learnt, and what it was learnt from."""
    folder = options.out / "training"
    run_tasks(RepairKind(), training, settings, folder, placement=Placement(options.jobs))
    model = learn([folder], training)
    return str(model.save(options.out / "model").parent), model.learnt_from


def row_of(episodes: Sequence[Episode], plain: Sequence[Episode], executions: int) -> dict[str, Any]:
    """The figures of one row; `plain` are the episodes without learning, in the same order."""
    costs = [spent(each, executions) for each in episodes]
    return {
        "episodes": len(episodes),
        "solved": sum(each.solved for each in episodes),
        "right": sum(bool(each.right) for each in episodes),
        "executions": round(float(np.mean(costs)), 3),
        "imagined": round(float(np.mean([each.spent.get("imagined", 0) for each in episodes])), 1),
        "difference": difference([a - spent(b, executions) for a, b in zip(costs, plain, strict=True)]),
    }


def table(options: argparse.Namespace) -> dict[str, Any]:
    """Every row, over the tasks and seeds that all rows have ended."""
    found: dict[str, list[Episode]] = {name: [] for name in ROWS}
    for seed in range(options.seeds):
        episodes = {name: ended(options.out / f"{name}-{seed}") for name in ROWS}
        for task in episodes["none"]:
            if all(task in episodes[name] for name in ROWS):
                for name in ROWS:
                    found[name].append(episodes[name][task])
    return {name: row_of(each, found["none"], options.executions) for name, each in found.items() if each}


def solved(options: argparse.Namespace) -> dict[str, Any]:
    """Train and solve every row for every seed; returns what was learnt from."""
    training, testing = tasks_of(TRAINED, "dev", options), tasks_of(HELD_OUT, "test", options)
    print(f"{len(training)} tasks to learn from, {len(testing)} to test on", flush=True)
    budget = Budget(options.executions, steps=options.steps, seconds=3_600, comparisons=0)

    def settings_of(seed: int, **learnt: str) -> Settings:
        oracle = f"noisy:systematic:state={options.noise:g},seed={seed}"
        chosen = candidates_of(options) | learnt
        return Settings("mcts", oracle, ceiling=True, budget=budget, seed=seed, **chosen)

    folder, counts = learnt_from(training, settings_of(100), options)
    print(json.dumps(counts), flush=True)
    for seed in range(options.seeds):
        for name, (prior, value) in ROWS.items():
            learnt = ({"policy": folder} if prior else {}) | ({"value": folder} if value else {})
            place = Placement(options.jobs)
            run_tasks(
                RepairKind(), testing, settings_of(seed, **learnt), options.out / f"{name}-{seed}", placement=place
            )
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, solve every row and print it; with --table print what was solved before."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--noise", type=float, default=0.02, help="share of wrong steps of the oracle")
    add("--executions", type=int, default=10, help="real executions for each task")
    add("--steps", type=int, default=60_000, help="imagined steps for each task")
    add("--seeds", type=int, default=2)
    add("--most", type=int, default=1, help="tasks for each program and family")
    add("--bugs", type=int, choices=(1, 2), default=1, help="in each program (default: %(default)s)")
    add("--limit", type=int, help="tasks at most, on each side, evenly spaced over all")
    add_candidate_options(parser)
    add("--jobs", type=int, default=2)
    add("--table", action="store_true", help="solve nothing: compare what --out holds")
    add("--out", type=Path, required=True)
    add("--json", type=Path)
    options = parser.parse_args(arguments)
    learnt = {} if options.table else solved(options)
    rows = table(options)
    for name, row in rows.items():
        print(name, json.dumps(row), flush=True)
    if options.json:
        given = {name: str(value) for name, value in vars(options).items() if name != "json"}
        text = json.dumps({"settings": given, "learnt_from": learnt, "rows": rows}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Measures search without imagination: executes every one-edit candidate once, then replays each order.

    python -m benchmarks.repair_baseline repair --split test --json OUT
    python -m benchmarks.repair_baseline humanevalfix_dev.jsonl --json OUT --jobs 2

The sandbox runs every candidate once; the cost of each order follows from the results. The run of the buggy program is
the first execution. A budget at which a share of *all* tasks is solved is null where fewer tasks are solved at all.
Random orders are replayed with many seeds.
"""

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from envs.domains.edit_orders import ORDERS, Order
from envs.domains.evaluation import Evaluator
from envs.domains.fault_localisation import coverage, ochiai
from envs.domains.repair_core import expected_constants
from envs.editing.edit import Edit
from envs.editing.edit_generation import edits
from envs.execution.sandbox.sandbox import Sandbox
from tasks import RepairTask, load

SEEDS = 25
SHARES = (0.5, 0.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One task with the results of all its one-edit candidates."""

    task: RepairTask
    candidates: tuple[Edit, ...]
    suspicion: dict[int, float]
    plausible: dict[Edit, bool | None]
    """Edits that pass all visible tests, with whether they pass the hidden ones."""
    generated_s: float
    ran_s: float


def search(task: RepairTask, sandbox: Sandbox) -> Searched:
    """Executes every candidate of one task."""
    start = time.perf_counter()
    candidates = edits(task.source, expected_constants(task.tests))
    generated = time.perf_counter() - start
    evaluator = Evaluator(task, sandbox)
    lines = coverage(sandbox, task.source, task.tests, entry=task.entry, limits=evaluator.limits)
    plausible: dict[Edit, bool | None] = {}
    start = time.perf_counter()
    for edit in candidates:
        source = edit.apply(task.source)
        if evaluator.run(source, stop_early=True).solved:
            plausible[edit] = evaluator.passes_hidden(source)
    ran = time.perf_counter() - start
    suspicion = ochiai(lines, evaluator.original.marks)
    return Searched(
        task=task,
        candidates=candidates,
        suspicion=suspicion,
        plausible=plausible,
        generated_s=generated,
        ran_s=ran,
    )


def search_all(tasks: Sequence[RepairTask], jobs: int) -> list[Searched]:
    """Searches all tasks, `jobs` at a time."""
    with Sandbox(workers=jobs) as sandbox, ThreadPoolExecutor(jobs) as pool:

        def one(task: RepairTask) -> Searched:
            found = search(task, sandbox)
            print(f"{task.id}: {len(found.plausible)} of {len(found.candidates)}", file=sys.stderr)
            return found

        return list(pool.map(one, tasks))


def executions(found: Searched, order: Order, seed: int) -> tuple[int | None, Edit | None]:
    """Real executions until the first plausible patch, with the run of the buggy program, and that patch."""
    rng = Random(f"{seed}:{found.task.id}")
    for number, edit in enumerate(order(found.candidates, found.suspicion, rng), start=2):
        if edit in found.plausible:
            return number, edit
    return None, None


def share_at(spent: Sequence[int | None], share: float) -> int | None:
    """The budget per task at which this share of all tasks is solved; None where no budget is enough."""
    needed = -(-int(share * len(spent) * 1000) // 1000)
    solved = sorted(number for number in spent if number is not None)
    return solved[needed - 1] if 0 < needed <= len(solved) else None


def replayed(found: Sequence[Searched], order: Order) -> dict[str, Any]:
    """Executions of an order over all tasks, the median over seeds."""
    runs = [[executions(each, order, seed) for each in found] for seed in range(SEEDS)]
    spent = [[number for number, _ in run] for run in runs]
    result: dict[str, Any] = {"seeds": SEEDS}
    for share in SHARES:
        at = [share_at(each, share) for each in spent]
        result[f"executions_at_{share:.0%}_solved"] = None if None in at else statistics.median(at)  # type: ignore[type-var]
    solved = [number for each in spent for number in each if number is not None]
    result["median_of_solved"] = statistics.median(solved) if solved else None
    full = [number or len(each.candidates) + 1 for run in spent for number, each in zip(run, found, strict=True)]
    result["mean_over_all"] = round(statistics.mean(full), 1)
    first = [each.plausible[edit] for run in runs for each, (_, edit) in zip(found, run, strict=True) if edit]
    result["first_patch_passes_hidden"] = _share(first)
    return result


def _share(marks: Sequence[bool | None]) -> float | None:
    known = [mark for mark in marks if mark is not None]
    return round(sum(known) / len(known), 3) if known else None


def summary(found: Sequence[Searched]) -> dict[str, Any]:
    """All numbers of a set of tasks."""
    solved = [each for each in found if each.plausible]
    counts = [len(each.candidates) for each in found]
    return {
        "tasks": len(found),
        "solved_by_one_edit": len(solved),
        "solved_and_hidden_pass": sum(any(each.plausible.values()) for each in found),
        "candidates_median": statistics.median(counts),
        "candidates_max": max(counts),
        "generation_s_median": round(statistics.median(each.generated_s for each in found), 4),
        "executions_per_s": round(sum(counts) / max(1e-9, sum(each.ran_s for each in found)), 1),
        "plausible_patches_pass_hidden": _share([mark for each in found for mark in each.plausible.values()]),
        "orders": {name: replayed(found, order) for name, order in ORDERS.items()},
    }


def groups(found: Sequence[Searched]) -> Iterator[tuple[str, list[Searched]]]:
    """All tasks, then each split, each tier and, where ids end in a number, odd and even rows."""
    yield "all", list(found)
    for field in ("split", "tier"):
        names = dict.fromkeys(getattr(each.task, field) for each in found)
        for name in names:
            if name is not None:
                yield f"{field} {name}", [each for each in found if getattr(each.task, field) == name]
    numbered = [(re.search(r"(\d+)\W*$", each.task.id), each) for each in found]
    if all(number for number, _ in numbered):
        for name, rest in (("odd rows", 1), ("even rows", 0)):
            yield name, [each for number, each in numbered if number and int(number[1]) % 2 == rest]


def main(argv: list[str] | None = None) -> None:
    """Search the named tasks and print the numbers as JSON."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="anything that tasks.load takes: a path or a name such as repair")
    parser.add_argument("--split", choices=("dev", "test"), help="only tasks of this split")
    parser.add_argument("--visible", choices=("test", "example"), default="test", help="split of HumanEvalPack rows")
    parser.add_argument("--json", type=Path, help="where to write the figures, with each task's patches")
    parser.add_argument("--jobs", type=int, default=1, help="tasks searched at the same time (default 1)")
    options = parser.parse_args(argv)
    loaded = load(options.path, visible=options.visible)
    for problem in loaded.problems:
        print(problem, file=sys.stderr)
    tasks = [task for task in loaded.tasks if isinstance(task, RepairTask)]
    tasks = [task for task in tasks if options.split in (None, task.split)]
    found = search_all(tasks, options.jobs)
    result: dict[str, Any] = {name: summary(each) for name, each in groups(found) if each}
    print(json.dumps(result, indent=2))
    if options.json:
        patches = {each.task.id: {str(edit): mark for edit, mark in each.plausible.items()} for each in found}
        options.json.write_text(json.dumps(result | {"patches": patches}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

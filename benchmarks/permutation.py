"""Measures plan success by distance, for every planner, on the shipped permutation tasks.

    python -m benchmarks.permutation --oracle exact --tasks swaps_8 --json OUT

A plan is searched in imagination, imagined once more, and executed for real; *solved* means that the real run reached
the goal. Executions by the oracle are not charged (a ceiling). All tasks share one cache of answers, which changes the
time only.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.permutation.permutation_domain import solve_plan
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.protocol import Oracle
from cwm_agent.oracles.registry import oracle_named
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from envs.execution.sandbox.sandbox import Sandbox
from envs.execution.tracer.reality import Reality
from tasks import PermutationTask, load

PLANNERS = ("mcts", "beam", "best-first")


def chosen(names: Sequence[str], distances: Sequence[int], each: int) -> list[PermutationTask]:
    """The first `each` starts of every family, style and distance; no distances means all."""
    found = [task for name in names for task in load(f"permutation/{name}").tasks if isinstance(task, PermutationTask)]
    found = [task for task in found if not distances or task.distance in distances]
    taken: dict[tuple[Any, ...], list[PermutationTask]] = defaultdict(list)
    for task in found:
        taken[task.generators, len(task.start), task.style, task.distance].append(task)
    return [task for group in taken.values() for task in group[:each]]


def measured(
    tasks: Sequence[PermutationTask], planner: str, oracle: Oracle, settings: Settings
) -> list[dict[str, Any]]:
    """One row per family, style and distance."""
    rows: dict[tuple[Any, ...], list[tuple[bool, bool, int, float]]] = defaultdict(list)
    for task in tasks:
        began = time.process_time()
        episode = solve_plan(task, Workplace(settings, oracle=oracle))
        first = bool(episode.runs) and episode.runs[0].marks == (True,)
        spent = time.process_time() - began
        key = (f"{task.generators}-{len(task.start)}", task.style, task.distance)
        rows[key].append((episode.solved, first, int(episode.spent["imagined"]), spent))
    return [
        {
            "planner": planner,
            "family": family,
            "style": style,
            "distance": distance,
            "tasks": len(group),
            "solved": sum(solved for solved, *_ in group),
            "first_plan": sum(first for _, first, *_ in group),
            "imagined": round(sum(imagined for *_, imagined, _ in group) / len(group), 1),
            "cpu_s": round(sum(seconds for *_, seconds in group) / len(group), 3),
        }
        for (family, style, distance), group in rows.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the arguments say, and print the rows."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", default="exact")
    parser.add_argument("--view", default="local", choices=("local", "program"))
    parser.add_argument("--guide", default="grounded")
    parser.add_argument("--planner", nargs="+", default=PLANNERS, metavar="NAME")
    parser.add_argument("--tasks", nargs="+", default=["swaps_8"], metavar="FILE", help="files of tasks/permutation")
    parser.add_argument("--distance", nargs="*", type=int, default=[], metavar="D", help="only these distances")
    parser.add_argument("--each", type=int, default=3, help="starts per style and distance")
    parser.add_argument("--attempts", type=int, default=10, help="most plans executed for real")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    budget = Budget(options.attempts, tokens=10**9, seconds=3600.0)
    rows: list[dict[str, Any]] = []
    with Sandbox() as sandbox:
        oracle = CachedOracle(oracle_named(options.oracle, lambda: Reality(sandbox)))
        for planner in options.planner:
            guide = parse_guide(options.guide)
            settings = Settings(
                planner=planner,
                oracle=options.oracle,
                view=options.view,
                guide=guide,
                budget=budget,
                seed=options.seed,
                ceiling=True,
            )
            tasks = chosen(options.tasks, options.distance, options.each)
            for row in measured(tasks, planner, oracle, settings):
                rows.append(row)
                print(json.dumps(row), flush=True)
    if options.json:
        given = {name: value for name, value in vars(options).items() if name != "json"}
        options.json.write_text(json.dumps({"settings": given, "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

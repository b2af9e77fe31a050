"""Counts real executions of repairs in the history view, with a model that continues histories.

    python -m benchmarks.history_repair [--json OUT]

The tasks are straight swap programs over three variables with one swap too many or two swaps in the wrong order; one
edit repairs them. The model is compared with no model (`none`: priors only) and with replayed real runs (`exact`, not
charged: the ceiling). The default model is the tiny one of the tests, which was trained on such programs only.
"""

import argparse
import json
import statistics
import sys
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.repair.repair_domain import RepairKind
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from tasks import CallTest, RepairTask

NAMES = ("a", "b", "c")
CALLS = ((1, 2, 3), (7, 5, 9), (4, 8, 6))
Swap = tuple[str, str]


def source_of(swaps: list[Swap]) -> str:
    lines = [f"    {one}, {other} = {other}, {one}" for one, other in swaps]
    return "\n".join(["def f(a, b, c):", *lines, "    return [a, b, c]"]) + "\n"


def result_of(swaps: list[Swap], call: tuple[int, ...]) -> str:
    places = dict(zip(NAMES, call, strict=True))
    for one, other in swaps:
        places[one], places[other] = places[other], places[one]
    return repr([places[name] for name in NAMES])


def task_drawn(rng: Random, number: int) -> RepairTask:
    """A program that fails all its tests and that one edit repairs."""
    while True:
        wrong = rng.sample(list(permutations(NAMES, 2)), rng.choice([4, 5]))
        right = list(wrong)
        at = rng.randrange(len(right) - 1)
        if rng.random() < 0.5:
            del right[at]
        else:
            right[at], right[at + 1] = right[at + 1], right[at]
        tests = tuple(CallTest(repr(call)[1:-1], result_of(right, call)) for call in CALLS)
        if all(result_of(wrong, call) != test.expected for call, test in zip(CALLS, tests, strict=True)):
            return RepairTask(f"swaps-{number}", source_of(wrong), "f", tests[:2], hidden=tests[2:])


def measured(tasks: list[RepairTask], settings: Settings) -> dict[str, Any]:
    workplace = Workplace(settings)
    episodes = [workplace.solve(RepairKind(), task) for task in tasks]
    limit = settings.budget.executions
    executions = [each.executions if each.solved else limit for each in episodes]
    return {
        "oracle": settings.oracle,
        "tasks": len(tasks),
        "solved": sum(each.solved for each in episodes),
        "right": sum(bool(each.right) for each in episodes),
        "executions": executions,
        "executions_median": statistics.median(executions),
        "tokens": sum(int(each.spent["tokens"]) for each in episodes),
        "seconds": round(sum(each.spent["seconds"] for each in episodes), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.history_repair", description=__doc__)
    parser.add_argument("--oracle", default="hf:tests/data/swap_cwm:frame=48,device=cpu")
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = Random(options.seed)
    tasks = [task_drawn(rng, number) for number in range(options.tasks)]
    budget = Budget(executions=50, tokens=200_000, seconds=600.0, edits=1)
    rows = []
    for oracle in ("none", "exact", options.oracle):
        given = {"oracle": oracle, "guide": parse_guide("free"), "budget": budget, "seed": options.seed}
        rows.append(measured(tasks, Settings(planner="mcts", view="history", ceiling=True, **given)))
        print(rows[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "runs": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

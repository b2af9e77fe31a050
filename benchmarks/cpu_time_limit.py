"""Counts the patches that the short CPU limit loses: stopped one-edit candidates run again with a limit of a second.

    python -m benchmarks.cpu_time_limit [--tasks 10] [--json OUT]

A non-terminating candidate costs its whole limit, so the limit is scaled to the tests of the buggy program, with a
minimum (`SandboxLimits.scaled_to`). A candidate is lost if the short limit stops it and it passes within a second.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from envs.domains.evaluation import Evaluator
from envs.domains.task_tests import passed, sandbox_test
from envs.editing.edit_generation import edits
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits
from tasks import RepairTask, load

LONG_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimitRow:
    """Counts of the candidates of one task."""

    task: str
    limit_s: float
    candidates: int
    stopped: int
    """Candidates that the limit stopped at a test after passing the tests before it."""
    lost: int
    """Stopped candidates that pass all tests within a second each."""
    slow: int
    """Stopped candidates that pass the stopping test within a second, and fail another test."""
    seconds: float


def measured(task: RepairTask, sandbox: Sandbox) -> TimeLimitRow:
    """Runs every candidate of a task under its own limit, and the stopped ones again under the long limit."""
    began = time.perf_counter()
    evaluator = Evaluator(task, sandbox)
    found = [edit.apply(task.source) for edit in edits(task.source)]
    stopped = [(source, stop[0]) for source in found if (stop := evaluator.run(source, stop_early=True).stopped)]
    longer = replace(evaluator.limits, cpu_s=max(LONG_S, evaluator.limits.cpu_s))
    again = [passed_in_a_row(task, source, sandbox, first=place, limits=longer) for source, place in stopped]
    lost = sum(count == len(task.tests) for count in again)
    past = sum(0 < count < len(task.tests) for count in again)
    spent = time.perf_counter() - began
    return TimeLimitRow(
        task=task.id,
        limit_s=round(evaluator.limits.cpu_s, 3),
        candidates=len(found),
        stopped=len(stopped),
        lost=lost,
        slow=past,
        seconds=round(spent, 1),
    )


def passed_in_a_row(task: RepairTask, source: str, sandbox: Sandbox, *, first: int, limits: SandboxLimits) -> int:
    """The number of visible tests that a program passes before its first failure, starting with test `first`."""
    order = [first, *(place for place in range(len(task.tests)) if place != first)]
    asked = [sandbox_test(task.tests[place], task.entry) for place in order]
    for number, verdict in sandbox.iter_tests(source, asked, entry=task.entry, limits=limits):
        if not passed(task.tests[order[number]], verdict):
            return number
    return len(order)


def main(argv: list[str] | None = None) -> None:
    """Measure some of the shipped tasks, from all tiers, and print one row per task."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10, help="number of shipped tasks (default 10)")
    parser.add_argument("--json", type=Path, help="file for the rows")
    options = parser.parse_args(argv)
    tasks = [task for task in load("repair").tasks if isinstance(task, RepairTask)]
    chosen = tasks[:: max(1, len(tasks) // options.tasks)][: options.tasks]
    with Sandbox() as sandbox:
        rows = []
        for task in chosen:
            rows.append(measured(task, sandbox))
            print(rows[-1], flush=True)
    total = {name: sum(getattr(row, name) for row in rows) for name in ("candidates", "stopped", "lost", "slow")}
    print(json.dumps(total))
    if options.json:
        options.json.write_text(json.dumps({"rows": [asdict(row) for row in rows], "total": total}, indent=1) + "\n")


if __name__ == "__main__":
    main()

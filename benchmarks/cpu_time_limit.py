"""Does the short CPU limit lose patches? Every one-edit candidate that it stops is run again with a second.

    python -m benchmarks.cpu_time_limit [--tasks 10] [--json OUT]

A candidate that loops costs its whole limit, so the limit follows what the buggy program's tests need, with a
floor (Limits.scaled_to). A candidate is lost where the limit stops it and a second would have let it pass.
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


@dataclass(frozen=True, slots=True)
class TimeLimitRow:
    """One task: how its candidates fared under the limit in force."""

    task: str
    limit_s: float
    candidates: int
    stopped: int
    """Candidates that the limit stopped at some test, the tests before it passed."""
    lost: int
    """Of these, how many pass all tests when each has a second."""
    slow: int
    """Of these, how many pass the test that stopped them, and fail another."""
    seconds: float


def measured(task: RepairTask, sandbox: Sandbox) -> TimeLimitRow:
    """Every candidate of a task under its own limit, and those stopped once more under the long one."""
    began = time.perf_counter()
    evaluator = Evaluator(task, sandbox)
    found = [edit.apply(task.source) for edit in edits(task.source)]
    stopped = [(source, stop[0]) for source in found if (stop := evaluator.run(source, stop_early=True).stopped)]
    longer = replace(evaluator.limits, cpu_s=max(LONG_S, evaluator.limits.cpu_s))
    again = [passed_in_a_row(task, source, place, sandbox, longer) for source, place in stopped]
    lost = sum(count == len(task.tests) for count in again)
    past = sum(0 < count < len(task.tests) for count in again)
    spent = time.perf_counter() - began
    return TimeLimitRow(
        task.id, round(evaluator.limits.cpu_s, 3), len(found), len(stopped), lost, past, round(spent, 1)
    )


def passed_in_a_row(task: RepairTask, source: str, first: int, sandbox: Sandbox, limits: SandboxLimits) -> int:
    """How many visible tests a program passes before the first it fails, beginning with the one at `first`."""
    order = [first, *(place for place in range(len(task.tests)) if place != first)]
    asked = [sandbox_test(task.tests[place], task.entry) for place in order]
    for number, verdict in sandbox.iter_tests(source, asked, entry=task.entry, limits=limits):
        if not passed(task.tests[order[number]], verdict):
            return number
    return len(order)


def main(argv: list[str] | None = None) -> None:
    """Measure some of the shipped tasks, spread over all tiers, and print a row each."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10, help="how many of the shipped tasks (default 10)")
    parser.add_argument("--json", type=Path, help="where to write the rows")
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

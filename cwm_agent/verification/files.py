"""Task files verified: programs decomposed and run for real once, then imagined under each guide."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.memo import MemoOracle
from cwm_agent.oracles.names import oracle_named
from cwm_agent.oracles.protocol import View
from cwm_agent.verification.measuring import Case, count_steps, measure
from envs.execution.program import decomposed
from envs.execution.reality import Reality
from envs.execution.sandbox import Sandbox
from envs.execution.tracer import TraceLimits
from envs.execution.values import ExecutionError
from tasks import RepairTask, TraceTask, load

Rows = Literal["all", "even", "odd"]
Figures = dict[str, Any]


def verify_file(
    path: str | Path,
    *,
    oracle: str = "embedded",
    view: View = "local",
    guides: Sequence[str] = ("grounded",),
    limit: int | None = None,
    steps: int = 2_000,
    rows: Rows = "all",
    show_wrong: int = 0,
) -> list[Figures]:
    """The figures of one file, one entry a guide."""
    chosen = [parse_guide(guide) for guide in guides]
    with Sandbox() as sandbox:
        reality = Reality(sandbox)
        asked = MemoOracle(oracle_named(oracle, lambda: reality))
        cases = real_cases(trace_tasks(path, rows, limit), reality, steps)
        counts = count_steps(cases, asked, view)
        for case, question, answer in counts.wrong[:show_wrong]:
            print(f"{case}\n  asked {question}\n  said  {answer}")
        head = {"file": str(path), "rows": rows, "oracle": asked.name, "view": view}
        found = [(guide, measure(cases, asked, view, guide, counts, limit=steps)[0]) for guide in chosen]
        reality.close()
    return [{**head, "guide": guide.name, **asdict(row)} for guide, row in found]


def trace_tasks(path: str | Path, rows: Rows, limit: int | None) -> list[TraceTask]:
    """The calls of a task file, those with even or odd numbers in their id if asked."""
    loaded = load(path)
    if not loaded.tasks:
        problems = "; ".join(str(problem) for problem in loaded.problems[:3]) or "it holds no task"
        raise ValueError(f"Nothing to verify in {path}: {problems}.")
    found: list[TraceTask] = []
    for task in loaded.tasks:
        if rows != "all" and _number(task.id) % 2 != (rows == "odd"):
            continue
        if isinstance(task, TraceTask):
            found.append(task)
        elif isinstance(task, RepairTask):
            found += task.traces()
    return found[:limit]


def _number(task_id: str) -> int:
    digits = re.findall(r"\d+", task_id.partition("#")[0])
    return int(digits[-1]) if digits else 0


def real_cases(tasks: Iterable[TraceTask], reality: Reality, steps: int) -> list[Case]:
    """Each task decomposed and really run; what cannot be is kept, with its problem."""
    cases = []
    for task in tasks:
        try:
            program = decomposed(task.source, task.entry)
            cases.append(Case(task.id, program, reality.trace(program, task.arguments, TraceLimits(steps=steps))))
        except ExecutionError as error:
            cases.append(Case(task.id, None, None, str(error)))
    return cases


_COLUMNS = (
    "guide",
    "programs",
    "attempted",
    "output_exact",
    "trace_exact",
    "step_exact",
    "action_exact",
    "by_rule",
    "d50",
    "d90",
)


def table(runs: Sequence[Figures]) -> str:
    """The figures as a table for a terminal."""
    lines: list[str] = []
    for run in runs:
        if not lines or run["file"] not in lines[0]:
            lines.append(f"{run['file']} ({run['rows']} rows), oracle {run['oracle']}, view {run['view']}")
            lines.append("  ".join(f"{name:>12}" for name in _COLUMNS))
        lines.append("  ".join(f"{_cell(run[name]):>12}" for name in _COLUMNS))
        lines.append(f"    kinds {run['kinds']}")
        by_type = ", ".join(f"{kind} {share:.3f}" for kind, share in run["step_exact_by_type"].items())
        lines.append(f"    by type: {by_type}; {run['tokens']} tokens, {run['seconds']:.1f} s")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)

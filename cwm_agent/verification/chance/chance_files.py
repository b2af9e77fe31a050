"""Verifies the programs of task files that draw: `verify --runs N`. Calls that read no source are left out."""

from pathlib import Path
from typing import Any

from cwm_agent.verification.chance.chance_runs import ChanceCall, ChanceSettings, compare_calls
from cwm_agent.verification.chance.outcome_distributions import summary
from cwm_agent.verification.task_files import NothingToVerify, Programs, Rows, opened, tasks_of
from envs.execution.sources.source_use import used_sources
from tasks import CallTest, TraceTask

Figures = dict[str, Any]


def verify_distributions(
    path: str | Path,
    settings: ChanceSettings,
    *,
    oracle: str,
    rows: Rows = "all",
    programs: Programs = "buggy",
    limit: int | None = None,
) -> Figures:
    """The figures of one file: imagined and real runs of each of its calls, compared as distributions."""
    calls = _calls(path, rows, programs)[:limit]
    if not calls:
        raise NothingToVerify(f"No program of {path} draws random numbers. Leave --runs out.")
    with opened(oracle) as (asked, reality, _):
        found = compare_calls(calls, asked, reality, settings)
        name = asked.name
    return {
        "file": str(path),
        "oracle": name,
        "runs": settings.runs,
        **summary(found.found, found.calibration),
        "calibration_error_of_real": found.of_real.error,
        "problems": list(found.problems),
        "tokens": found.tokens,
    }


def _calls(path: str | Path, rows: Rows, programs: Programs) -> list[ChanceCall]:
    found = []
    for task in tasks_of(path, rows, programs):
        if "@random" not in used_sources(task.source):
            continue
        calls: list[CallTest | TraceTask] = (
            [task] if isinstance(task, TraceTask) else [test for test in task.tests if isinstance(test, CallTest)]
        )
        for number, call in enumerate(calls, start=1):
            name = task.id if isinstance(task, TraceTask) else f"{task.id}#{number}"
            world = tuple((part, value) for part, value in call.world.record().items() if part != "seed")
            found.append(ChanceCall(name, task.source, task.entry, call.arguments, world))
    return found


def distribution_lines(figures: Figures) -> list[str]:
    """The figures as lines of text."""
    found = [f"oracle {figures['oracle']}: {figures['programs']} programs, {figures['runs']} imagined runs each"]
    names = ("total_variation", "between_real", "excess", "coverage", "ended")
    found += [f"  {name.replace('_', ' '):26} {figures[name]:.3f}" for name in names]
    for name in ("calibration_error", "calibration_error_of_real"):
        if figures[name] is not None:
            found.append(f"  {name.replace('_', ' '):26} {figures[name]:.3f}")
    reasons = "; ".join(figures["problems"][:3])
    found.append(f"  not compared               {len(figures['problems'])} {reasons}".rstrip())
    return found + [
        f"  imagined {row['imagined']:.3f}  real {row['real']:.3f}  outcomes {row['outcomes']:.0f}"
        for row in figures["calibration"]
    ]

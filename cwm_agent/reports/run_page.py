"""A whole run as data for the report: the table of its tasks, the curve of tasks solved, and a page for each task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.reports.html_file import ReportData
from cwm_agent.reports.run_folder import RunFolder
from cwm_agent.reports.task_page import TaskPage, status_of
from cwm_agent.reports.theatre import ReportRuns
from cwm_agent.reports.verification_page import BeliefCounts, comparisons_of


def run_report(
    run: RunFolder,
    others: Sequence[RunFolder] = (),
    *,
    runs_programs: bool = True,
    on_task: Callable[[int, int], None] = lambda done, total: None,
) -> ReportData:
    """The report of a run beside others; programs are traced again in the sandbox unless that is not wanted."""
    real = ReportRuns(allowed=runs_programs)
    if not runs_programs:
        real.problem = "programs were not run for this report"
    tasks, pages, beliefs = [], [], BeliefCounts()
    scenes: list[dict[str, Any]] = []
    try:
        for number, episode in enumerate(run.episodes):
            page = TaskPage(episode, real).rows()
            tasks.append(task_row(episode, page))
            pages.append(page)
            scenes += comparisons_of(number, page)
            beliefs.add(number, episode)
            on_task(number + 1, len(run.episodes))
    finally:
        real.close()
    index: dict[str, Any] = {
        "title": run.name,
        "run": {
            "name": run.name,
            "settings": flat(run.settings),
            "problems": run.problems,
            "budget": run.budget,
            "tasks": tasks,
            "curves": [curve(each) for each in (run, *others)],
            "traced": real.traced,
        },
    }
    if scenes or beliefs.count:
        index["verification"] = [_verification(scenes, beliefs)]
    return ReportData(index, pages)


def task_row(episode: Episode, page: dict[str, Any]) -> dict[str, Any]:
    """The row of a task in the table of the run."""
    scenes = (page.get("theatre") or {}).get("scenes", ())
    return {
        "id": episode.task,
        "status": status_of(episode),
        "executions": episode.executions,
        "believed": episode.runs[-1].imagined if episode.runs else None,
        "confidence": episode.confidence,
        "seconds": round(float(episode.spent.get("seconds", 0.0)), 2),
        "imagined": int(episode.spent.get("imagined", 0)),
        "runs": len(episode.runs),
        "patch": "; ".join(episode.patch)[:200],
        "divergences": sum("divergence" in each for each in scenes),
    }


def curve(run: RunFolder) -> dict[str, Any]:
    """The tasks solved within each number of real executions."""
    solved = sorted((each.executions, each.task) for each in run.episodes if each.solved)
    return {"name": run.name, "tasks": len(run.episodes), "solved": solved, "budget": run.budget}


def flat(settings: dict[str, Any]) -> list[list[str]]:
    """Settings as pairs of texts; those of the budget stand among the others."""
    found = []
    for name, value in settings.items():
        if isinstance(value, dict):
            found += [[f"{name}.{inner}", str(each)] for inner, each in value.items()]
        elif value not in ("", None):
            found.append([name, str(value)])
    return [[name[:80], text[:200]] for name, text in found[:60]]


def _verification(scenes: list[dict[str, Any]], beliefs: BeliefCounts) -> dict[str, Any]:
    return {
        "title": "Imagined runs of this solve",
        "note": "Runs whose frames the episodes hold: wrong beliefs come first, so this is no fair sample of all runs. "
        "`verify` measures one.",
        "observations": scenes,
        "calibration": beliefs.rows(),
        "calibrated": "beliefs about tests of candidates that were run",
    }

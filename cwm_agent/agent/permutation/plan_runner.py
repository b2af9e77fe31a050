"""A whole set of permutation problems solved: episodes on disk as they end, resumable, summed up by distance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cwm_agent.agent.episode import Episode
from cwm_agent.agent.permutation.plan_loop import solve_plan
from cwm_agent.agent.repair.repair_loop import Settings
from cwm_agent.agent.task_runner import carry_on, oracle_of, summary
from cwm_agent.oracles.history_protocol import HistoryOracle
from cwm_agent.oracles.protocol import Oracle, OracleError
from cwm_agent.oracles.wrappers.answer_cache import AnswerCache
from envs.execution.sandbox.sandbox import Sandbox
from tasks.task import PermutationTask


def solve_plans(
    tasks: Sequence[PermutationTask],
    settings: Settings,
    out: Path,
    *,
    jobs: int = 1,
    told: Callable[[Episode, int, int], None] = lambda episode, done, total: None,
) -> dict[str, Any]:
    """Solve every problem that the folder does not hold yet; returns the summary of all."""
    return carry_on(
        tasks,
        settings,
        out,
        lambda left: _episodes(left, settings, jobs),
        lambda episodes: summary(episodes, settings) | {"plans": by_distance(tasks, episodes)},
        told,
    )


def _episodes(tasks: Sequence[PermutationTask], settings: Settings, jobs: int) -> Iterator[Episode]:
    if jobs == 1 or not tasks:
        _begin(settings)
        yield from map(_solve, tasks)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (settings,)) as pool:
        yield from pool.map(_solve, tasks)


_place: list[tuple[Oracle | HistoryOracle, Settings, AnswerCache] | OracleError] = []
"""What this process solves with, opened once; or why it cannot: one that fails at its start could not say so."""


def _begin(settings: Settings) -> None:
    try:
        _place[:] = [(oracle_of(settings, Sandbox), settings, {})]
    except OracleError as error:
        _place[:] = [error]


def _solve(task: PermutationTask) -> Episode:
    """One episode; a problem that breaks something is a failed row with its reason; a failing backend ends the run."""
    if isinstance(_place[0], OracleError):
        raise _place[0]
    oracle, settings, memory = _place[0]
    try:
        return solve_plan(task, oracle, settings, memory if settings.share else None)
    except OracleError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        return Episode(task.id, False, None, settings=settings.described(), problem=problem)


def by_distance(tasks: Sequence[PermutationTask], episodes: Sequence[Episode]) -> list[dict[str, Any]]:
    """Plan success for each distance: problems, those solved, and those that the first plan solved."""
    known = {episode.task: episode for episode in episodes}
    groups: dict[int | None, list[Episode]] = defaultdict(list)
    for task in tasks:
        if task.id in known:
            groups[task.distance].append(known[task.id])
    return [
        {
            "distance": distance,
            "tasks": len(group),
            "solved": sum(each.solved for each in group),
            "first_plan": sum(bool(each.runs) and each.runs[0].marks == (True,) for each in group),
        }
        for distance, group in sorted(groups.items(), key=lambda pair: pair[0] or 0)
    ]

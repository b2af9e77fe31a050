"""Jobs that take a known time, and how long a placement needs for many of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import Runner, Tell


@dataclass(frozen=True)
class BusyWork:
    """Uses a number of seconds of processor time for each item; an item below 0 takes none."""

    seconds: float
    isolates: bool = False

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[int, int]]:
        def run(items: Sequence[int]) -> Iterator[tuple[int, int]]:
            for place, item in enumerate(items):
                ends = time.process_time() + (self.seconds if item >= 0 else 0)
                while time.process_time() < ends:
                    sum(range(1000))
                yield place, item

        yield run


def timed(placement: Placement, *, jobs: int, seconds: float) -> float:
    """Seconds from the moment when all workers are open to the last result.

    Jobs of no length are handed out until every worker is open; then the clock starts.
    """
    workers: list[int] = [0]
    began: list[float] = []

    def batches() -> Iterator[list[int]]:
        while workers[0] < placement.jobs:
            yield [-1]
        began.append(time.perf_counter())
        yield from ([number] for number in range(jobs))

    def note(nodes: Sequence[Any]) -> None:
        workers[0] = sum(node.workers for node in nodes)

    last = 0.0
    for found in run_jobs(BusyWork(seconds), batches(), placement, JobListeners(on_nodes=note)):
        last = time.perf_counter() if found.item >= 0 else last
    return last - began[0]


def first_result(placement: Placement) -> float:
    """Seconds until the first result."""
    began = time.perf_counter()
    running = run_jobs(BusyWork(0), ([number] for number in range(4)), placement)
    next(running)
    seconds = time.perf_counter() - began
    running.close()
    return seconds


def overhead(workers: int, seconds: Mapping[str, list[float]], *, jobs: int, length: float) -> dict[str, Any]:
    """One row: jobs per second of both backends, and what Ray costs beside processes."""
    here, there = median(seconds["processes"]), median(seconds["ray"])
    return {
        "workers": workers,
        "jobs": jobs,
        "job_s": length,
        "processes_per_s": jobs / here,
        "ray_per_s": jobs / there,
        "overhead_percent": 100 * (there / here - 1),
        "spread_percent": 100 * (max(seconds["ray"]) - min(seconds["ray"])) / there,
    }

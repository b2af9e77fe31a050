"""Where a large cluster saturates: arithmetic over measured costs, marked as computed wherever it is shown.

The driver takes a fixed time for each job, so it serves at most 1 / that many jobs a second. A replica answers a
measured number of questions a second; a worker asks as many as its own oracle would answer in the time it imagines.
"""

from __future__ import annotations

from typing import Any

NODES = (10, 100, 1_000)
WORKERS_PER_NODE = 16
JOB_S = (2.0, 30.0)
"""Seconds of a job: the shortest that the overhead is promised for, and a usual repair."""
TASKS = 1_000
PRICES = {"core hour": 0.04}
"""Dollars, an assumption for the table of costs: a core of a common cloud machine."""


def saturation_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each number of nodes and length of jobs: the driver's load, and the replicas that are needed."""
    driver_s = max(row["ms_per_job"] for row in found["coordination"]["rows"] if row["backend"] == "ray") / 1000
    rates = {row["oracle"]: row["questions_per_s"] for row in found["oracle"]["rows"]}
    asked = rates["one oracle per Ray worker"] / 2  # by one worker
    served = rates["one replica for two workers"]
    return [_row(nodes, job_s, driver_s, replicas_per_worker=asked / served) for nodes in NODES for job_s in JOB_S]


def _row(nodes: int, job_s: float, driver_s: float, *, replicas_per_worker: float) -> dict[str, Any]:
    workers = nodes * WORKERS_PER_NODE
    wanted, served = workers / job_s, 1 / driver_s
    rate = min(wanted, served)
    return {
        "nodes": nodes,
        "workers": workers,
        "job_s": job_s,
        "driver_load_percent": 100 * wanted / served,
        "jobs_per_s": rate,
        "idle_workers_percent": 100 * (1 - rate / wanted),
        "core_replicas_for_all": round(workers * replicas_per_worker),
        "dollars_per_1000_tasks": TASKS * job_s * wanted / rate / 3600 * PRICES["core hour"],
        "what_saturates": _advice(wanted, served, job_s),
    }


def _advice(wanted: float, served: float, job_s: float) -> str:
    if wanted <= served:
        return "nothing"
    tasks = -int(-wanted * 1.25 // served)
    return f"the driver: {tasks} tasks in a job, or {tasks} drivers with a part of the tasks each"

"""Costs of the pool on local processes and on Ray, and what they mean for 10, 100 and 1,000 nodes.

    python -m benchmarks.cluster                      all tables, under 8 minutes; writes runs/cluster.json
    python -m benchmarks.cluster --only throughput    one of: throughput, coordination, first, messages, oracle

Each part is written to the JSON file as it ends; a part that the file holds is not measured again (--again does). A job
here computes for a fixed number of seconds of processor time, so two workers on two cores share nothing but the driver.
The simulation is arithmetic over the measured costs: nothing of it was run on more than this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cluster_parts.saturation import saturation_rows
from benchmarks.cluster_parts.timed_work import first_result, overhead, timed
from cwm_agent.jobs.placement import Placement

Row = dict[str, Any]
NO_WORK_JOBS = 300
"""Jobs of no length, to measure what one costs."""


def throughput_rows(options: argparse.Namespace) -> list[Row]:
    """Jobs of some seconds on 1 and 2 workers: processes beside Ray, on the same cores, by turns."""
    rows = []
    for workers in (1, 2):
        seconds: dict[str, list[float]] = {"processes": [], "ray": []}
        for _ in range(options.repeats):
            for name, cluster in (("processes", ""), ("ray", "local")):
                placement = Placement(workers, cluster, apart=True)
                seconds[name].append(timed(placement, jobs=workers * options.jobs, seconds=options.seconds))
        rows.append(overhead(workers, seconds, jobs=workers * options.jobs, length=options.seconds))
    return rows


def coordination_rows(options: argparse.Namespace) -> list[Row]:
    """Milliseconds of one job of no length on 1 to 8 workers: the cost of coordination alone."""
    rows: list[Row] = []
    for workers in (1, 2, 4, 8):
        for name, cluster in (("processes", ""), ("ray", "local")):
            spent = timed(Placement(workers, cluster, apart=True), jobs=NO_WORK_JOBS, seconds=0)
            rows.append({"workers": workers, "backend": name, "ms_per_job": 1000 * spent / NO_WORK_JOBS})
    return rows


def first_rows(options: argparse.Namespace) -> list[Row]:
    """Seconds from the call to the first result, start of the cluster included."""
    return [
        {"backend": name, "seconds": median(first_result(Placement(2, cluster)) for _ in range(2))}
        for name, cluster in (("processes", ""), ("ray", "local"))
    ]


def message_rows(options: argparse.Namespace) -> list[Row]:
    """Messages and bytes per imagined candidate, with an oracle in each worker and with a shared one."""
    from benchmarks.cluster_parts.oracle_load import messages

    return messages()


def oracle_rows(options: argparse.Namespace) -> list[Row]:
    """Questions per second through shared replicas, beside one oracle in each process."""
    from benchmarks.cluster_parts.oracle_load import question_rates

    return question_rates(options.questions)


PARTS: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "throughput": throughput_rows,
    "coordination": coordination_rows,
    "first": first_rows,
    "messages": message_rows,
    "oracle": oracle_rows,
}


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    heads = list(rows[0])
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(_cell(row[head]) for head in heads) + " |" for row in rows)])


def _cell(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) else str(value)


def described() -> Row:
    """The machine and the commit of the figures."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    machine = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "python": sys.version.split()[0]}
    return {"commit": commit.strip(), **machine}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", choices=PARTS, help="one part")
    add("--again", action="store_true", help="measure parts anew that the file holds")
    add("--seconds", type=float, default=2.0, help="processor seconds of a job (default: %(default)s)")
    add("--jobs", type=int, default=8, help="jobs of each worker (default: %(default)s)")
    add("--repeats", type=int, default=3, help="runs of each kind, by turns (default: %(default)s)")
    add("--questions", type=int, default=512, help="for the oracle (default: %(default)s)")
    add("--json", type=Path, default=Path("runs/cluster.json"))
    options = parser.parse_args(arguments)
    found: dict[str, Any] = json.loads(options.json.read_text()) if options.json.exists() else {}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for name in [options.only] if options.only else PARTS:
        if name not in found or options.again:
            began = time.monotonic()
            found[name] = {"rows": PARTS[name](options), **described(), "seconds": time.monotonic() - began}
            options.json.write_text(json.dumps(found, indent=2) + "\n")
    if {"coordination", "oracle", "messages"} <= found.keys():
        found["simulation"] = {"rows": saturation_rows(found), "computed": True}
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    for name, part in found.items():
        head = "computed, not measured" if part.get("computed") else f"commit {part['commit']}, load {part['load']:.1f}"
        print(f"\n{name} ({head})\n\n{table(part['rows'])}", flush=True)


if __name__ == "__main__":
    main()

"""Several studies at once, each in a process of its own with its own workbench; knows no study.

Studies share nothing but the folder, in which each has its own files. Every process computes with its share of the
cores: processes that all use all of them are many times slower.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from cwm_agent.studies.names import studies_named
from cwm_agent.studies.running import Progress, carry_out
from cwm_agent.studies.study import Sheet
from cwm_agent.studies.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be carried out, whatever the study."""

    out: Path
    oracle: str = "embedded"
    seed: int = 0
    quick: bool = False
    views: tuple[str, ...] | None = None
    seconds: float | None = None
    """From now on; no cell is begun afterwards."""


def carry_out_together(names: Sequence[str], order: Order, jobs: int) -> Iterator[tuple[str, Sheet]]:
    """Each study's name and sheet, in the order given; `jobs` of them are under way at a time."""
    until = None if order.seconds is None else time.time() + order.seconds
    if jobs == 1:
        yield from ((name, _carried_out(name, order, until)) for name in names)
        return
    share = max(1, (os.cpu_count() or 1) // jobs)
    # Spawned, since a forked process that had loaded torch could not be told its number of threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _use_threads, (share,)) as pool:
        waiting = [pool.submit(_carried_out, name, order, until) for name in names]
        yield from ((name, future.result()) for name, future in zip(names, waiting, strict=True))


def _use_threads(count: int) -> None:
    os.environ["OMP_NUM_THREADS"] = str(count)


def _carried_out(name: str, order: Order, until: float | None) -> Sheet:
    """One study, in this process; `until` is on the clock that all processes share."""
    [study] = studies_named(name)
    left = None if until is None else time.monotonic() + until - time.time()
    with Workbench(order.oracle, order.seed) as bench:
        return carry_out(study, order.out, bench, quick=order.quick, views=order.views, until=left, told=_tell)


def _tell(progress: Progress) -> None:
    where = f"{progress.study} {progress.done} of {progress.total}"
    print(f"{where}  {progress.cell}  {progress.seconds:.1f} s", file=sys.stderr, flush=True)

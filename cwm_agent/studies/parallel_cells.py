"""Measures cells as jobs of the pool, each worker with its own workbench. Knows no particular study and no ledger.

The cells of a group ask mostly the same questions. One worker measures all cells of a group, so its oracle answers
each question once; the worker sends each cell as soon as it is measured. A cell whose workers die fails.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cwm_agent.jobs.job_loop import JobListeners, run_jobs
from cwm_agent.jobs.node_tally import OnNodes
from cwm_agent.jobs.placement import Placement
from cwm_agent.jobs.protocol import LostItem, Runner, Tell
from cwm_agent.studies.job import CellJob, FailedCell, Outcome, measured
from cwm_agent.studies.workbench import Workbench


@dataclass(frozen=True, slots=True)
class CellWork:
    """Measures cells with one workbench; the oracle under study and the seed make the workbench."""

    oracle: str
    seed: int
    until: float | None = None
    """Time of day, in seconds, after which no cell is begun."""
    isolates: bool = True

    @contextmanager
    def opened(self, tell: Tell) -> Iterator[Runner[CellJob, Outcome]]:
        with Workbench(self.oracle, self.seed) as bench:

            def run(jobs: Sequence[CellJob]) -> Iterator[tuple[int, Outcome]]:
                for place, job in enumerate(jobs):
                    if place and self.is_over():  # the driver has looked before it handed out the first one
                        return
                    yield place, measured(job, bench)

            yield run

    def is_over(self) -> bool:
        """Whether no further cell may begin."""
        return self.until is not None and time.time() > self.until


def measured_cells(
    groups: Sequence[Sequence[CellJob]], work: CellWork, placement: Placement, on_nodes: OnNodes | None = None
) -> Iterator[tuple[CellJob, Outcome]]:
    """Yields each job with its outcome, in the order in which the jobs end."""
    begun = (group for group in groups if not work.is_over())
    for found in run_jobs(work, begun, placement.at_most(max(1, len(groups))), JobListeners(on_nodes=on_nodes)):
        if isinstance(found, LostItem):
            yield found.item, FailedCell(str(found))
        else:
            yield found.item, found.value

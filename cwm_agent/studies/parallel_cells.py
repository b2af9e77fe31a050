"""Processes that measure cells side by side, each with a workbench of its own; knows no study and no ledger.

Cells come in groups that ask much the same. A process takes a group and measures its cells one after another, so that
its oracle is asked once; each cell goes back as it ends. A process that dies costs the cell in its hands and is
replaced; when the one that gives out the work dies, the others end after the cells in theirs.
"""

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from cwm_agent.studies.job import CellJob, FailedCell, Outcome, measured
from cwm_agent.studies.workbench import Workbench

PATIENCE = 10.0
"""Seconds in which a process that is told to end closes its sandbox."""


def measured_alone(
    groups: Sequence[Sequence[CellJob]], oracle: str, seed: int, until: float | None
) -> Iterator[tuple[CellJob, Outcome]]:
    """Each job with what came of it, in this process; after `until` (on the monotonic clock) none is begun."""
    with Workbench(oracle, seed) as bench:
        for job in (job for group in groups for job in group):
            if _over(until):
                return
            yield job, measured(job, bench)


def measured_by_crew(
    groups: Sequence[Sequence[CellJob]], oracle: str, seed: int, until: float | None, jobs: int
) -> Iterator[tuple[CellJob, Outcome]]:
    """The same by so many processes, as the jobs end."""
    left = deque(groups)
    crew = [_Member(oracle, seed, max(1, (os.cpu_count() or 1) // jobs)) for _ in range(min(jobs, len(groups)))]
    try:
        for member in crew:
            member.take(left, until)
        while busy := {member.pipe: member for member in crew if member.job is not None}:
            for pipe in wait(list(busy)):
                member = busy[pipe]  # type: ignore[index]  # only pipes were waited for
                yield member.given_back()
                member.take(left, until)
    finally:
        for member in crew:
            member.dismiss()
        for member in crew:
            member.leave()


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() > until


@dataclass(slots=True)
class _Member:
    """One process, the group it works through, and the job in its hands."""

    oracle: str
    seed: int
    threads: int
    group: deque[CellJob] = field(default_factory=deque)
    job: CellJob | None = None
    process: BaseProcess | None = None
    pipe: Connection = field(init=False)

    def take(self, left: deque[Sequence[CellJob]], until: float | None) -> None:
        """Begin the next job of the group, or of the next group; none where there is none or the time is over."""
        self.job = None
        if not self.group and left:
            self.group.extend(left.popleft())
        if self.group and not _over(until):
            if self.process is None:
                self._start()
            self.job = self.group.popleft()
            with suppress(BrokenPipeError):  # one that died meanwhile is noticed when it gives nothing back
                self.pipe.send((self.job.study.name, self.job.cell, self.job.held))

    def given_back(self) -> tuple[CellJob, Outcome]:
        """The job that ended and what came of it."""
        assert self.job is not None
        try:
            return self.job, self.pipe.recv()
        except (EOFError, OSError):
            code = self._ended()
            return self.job, FailedCell(f"the process that measured it ended with exit code {code}")

    def _start(self) -> None:
        # Spawned, since a forked process that had loaded torch could not be told its number of threads.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, self.oracle, self.seed, self.threads), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends where the process does

    def _ended(self) -> int | None:
        assert self.process is not None
        self.process.join()
        code = self.process.exitcode
        self.process = None
        self.pipe.close()
        return code

    def dismiss(self) -> None:
        """Ask the process to end, whatever it is doing."""
        if self.process is not None:
            self.process.terminate()

    def leave(self) -> None:
        """Wait until it has."""
        if self.process is not None:
            self.process.join(PATIENCE)
            if self.process.is_alive():
                self.process.kill()
            self._ended()


def _work(pipe: Connection, oracle: str, seed: int, threads: int) -> None:
    """Measure what comes through the pipe until it ends."""
    from cwm_agent.studies.study_registry import studies_named

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the one who gives out the work
    signal.signal(signal.SIGTERM, _leave)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    with Workbench(oracle, seed) as bench:
        while True:
            try:
                name, cell, held = pipe.recv()
                [study] = studies_named(name)
                pipe.send(measured(CellJob(study, cell, held), bench))
            except (EOFError, BrokenPipeError, ConnectionResetError):
                return


def _leave(number: int, frame: object) -> None:
    """End by way of an exception, so that the workbench is closed."""
    sys.exit(0)

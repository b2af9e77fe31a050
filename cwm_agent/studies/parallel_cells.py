"""Measures cells in several processes, each with its own workbench. Knows no particular study and no ledger.

The cells of a group ask mostly the same questions. One process measures all cells of a group, so its oracle answers
each question once; the process returns each cell as soon as it is measured. When a worker process dies, its current
cell fails and a new process takes its place. When the parent process dies, each worker ends after its current cell.
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
"""Seconds that a terminated process has to close its sandbox."""


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """The oracle under study and the seed, of which each process makes its workbench."""

    oracle: str
    seed: int

    def open(self) -> Workbench:
        """A workbench for this process."""
        return Workbench(self.oracle, self.seed)


def measured_here(
    groups: Sequence[Sequence[CellJob]], settings: BenchSettings, until: float | None
) -> Iterator[tuple[CellJob, Outcome]]:
    """Yields each job with its outcome, measured in this process; no job starts after `until` (monotonic clock)."""
    with settings.open() as bench:
        for job in (job for group in groups for job in group):
            if _over(until):
                return
            yield job, measured(job, bench)


def measured_by_processes(
    groups: Sequence[Sequence[CellJob]], settings: BenchSettings, until: float | None, *, jobs: int
) -> Iterator[tuple[CellJob, Outcome]]:
    """Yields the same, measured by several processes, in the order in which the jobs end."""
    left = deque(groups)
    threads = max(1, (os.cpu_count() or 1) // jobs)
    crew = [_Worker(settings, threads) for _ in range(min(jobs, len(groups)))]
    try:
        for worker in crew:
            worker.take(left, until)
        while busy := {worker.pipe: worker for worker in crew if worker.job is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]  # only pipes were waited for
                yield worker.result()
                worker.take(left, until)
    finally:
        for worker in crew:
            worker.terminate()
        for worker in crew:
            worker.join()


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() > until


@dataclass(slots=True)
class _Worker:
    """One process, its group of jobs, and its current job."""

    settings: BenchSettings
    threads: int
    group: deque[CellJob] = field(default_factory=deque)
    job: CellJob | None = None
    process: BaseProcess | None = None
    pipe: Connection = field(init=False)

    def take(self, left: deque[Sequence[CellJob]], until: float | None) -> None:
        """Start the next job of the group, or of the next group; starts none where no job or no time is left."""
        self.job = None
        if not self.group and left:
            self.group.extend(left.popleft())
        if self.group and not _over(until):
            if self.process is None:
                self._start()
            self.job = self.group.popleft()
            with suppress(BrokenPipeError):  # `result` reports a process that died
                self.pipe.send((self.job.study.name, self.job.cell, self.job.held))

    def result(self) -> tuple[CellJob, Outcome]:
        """The finished job and its outcome; a dead process is a failed cell."""
        assert self.job is not None
        try:
            return self.job, self.pipe.recv()
        except (EOFError, OSError):
            code = self._ended()
            return self.job, FailedCell(f"the process that measured the cell ended with exit code {code}")

    def _start(self) -> None:
        # Spawned: a forked process with torch already loaded could not change its number of threads.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, self.settings, self.threads), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe closes when the process ends

    def _ended(self) -> int | None:
        assert self.process is not None
        self.process.join()
        code = self.process.exitcode
        self.process = None
        self.pipe.close()
        return code

    def terminate(self) -> None:
        """Ask the process to end."""
        if self.process is not None:
            self.process.terminate()

    def join(self) -> None:
        """Wait until the process has ended; kill it after `PATIENCE` seconds."""
        if self.process is not None:
            self.process.join(PATIENCE)
            if self.process.is_alive():
                self.process.kill()
            self._ended()


def _work(pipe: Connection, settings: BenchSettings, threads: int) -> None:
    """Measure the cells that come through the pipe until the pipe closes."""
    from cwm_agent.studies.study_registry import studies_named

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
    signal.signal(signal.SIGTERM, _leave)
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    with settings.open() as bench:
        while True:
            try:
                name, cell, held = pipe.recv()
                [study] = studies_named(name)
                pipe.send(measured(CellJob(study, cell, held), bench))
            except (EOFError, BrokenPipeError, ConnectionResetError):
                return


def _leave(number: int, frame: object) -> None:
    """End by an exception, so that the workbench is closed."""
    sys.exit(0)

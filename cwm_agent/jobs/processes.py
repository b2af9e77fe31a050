"""Workers as processes of this machine, each with a pipe.

A worker ends when its parent does, however that ends. Processes are spawned: a forked one with torch already loaded
could not change its number of threads. A full pipe makes a worker wait, so memory is bounded.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Lock, Thread
from typing import Any

from cwm_agent.jobs.protocol import CrewWorker, Died, Event, Told, Work
from cwm_agent.jobs.worker_session import WorkerSession, packed, prepare_process, unpacked

PATIENCE_S = 10.0
"""Seconds that terminated processes have, all of them together, to close their sandboxes."""
SHORT_PATIENCE_S = 1.0
"""The same where they have no sandbox to close."""


class ProcessWorker:
    """One process and the pipe to it."""

    def __init__(self, work: Work[Any, Any], *, watched: bool) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, work, watched), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe closes when the process ends

    def take(self, items: Sequence[Any]) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # `event` reports a process that died
            self.pipe.send(items)

    def event(self) -> Event:
        """The next event; a closed pipe is the worker's death."""
        try:
            return unpacked(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.process.join()
            return Died(f"The process that did the job ended with exit code {self.process.exitcode}.")


@dataclass(slots=True)
class ProcessCrew:
    """Local processes that do the same work."""

    work: Work[Any, Any]
    size: int
    watched: bool = False
    """Whether workers send their states."""
    _workers: list[ProcessWorker] = field(default_factory=list)

    def __enter__(self) -> ProcessCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self._end(self._workers)

    def start(self) -> ProcessWorker:
        worker = ProcessWorker(self.work, watched=self.watched)
        self._workers.append(worker)
        return worker

    def wait(self, seconds: float | None) -> list[tuple[CrewWorker | None, Event]]:
        open_pipes = {worker.pipe: worker for worker in self._workers}
        ready = [open_pipes[pipe] for pipe in wait(list(open_pipes), seconds)]  # type: ignore[index]  # pipes only
        found: list[tuple[CrewWorker | None, Event]] = [(worker, worker.event()) for worker in ready]
        for worker, event in zip(ready, [event for _, event in found], strict=True):
            if isinstance(event, Died):
                self.drop(worker)
        return found

    def drop(self, worker: CrewWorker) -> None:
        assert isinstance(worker, ProcessWorker)
        self._workers.remove(worker)
        self._end([worker])

    def _end(self, workers: Iterable[ProcessWorker]) -> None:
        """End the processes: ask them, and kill those that are still there when the time for all of them is over.

        A worker can miss the request: a program that it runs in its own process may catch the exception of `_leave`.
        """
        for worker in workers:
            worker.process.terminate()
        deadline = time.monotonic() + (PATIENCE_S if self.work.isolates else SHORT_PATIENCE_S)
        for worker in workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()


def _serve(pipe: Connection, work: Work[Any, Any], watched: bool) -> None:
    """Do the batches that come through the pipe until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    signal.signal(signal.SIGTERM, _leave)
    leave_with_parent()
    prepare_process()
    lock = Lock()

    def send(data: bytes) -> None:
        with lock:  # states may come from another thread
            pipe.send_bytes(data)

    session = WorkerSession(work, lambda state: send(packed(Told(state))) if watched else None)
    try:
        send(session.open())
        while True:
            for event in session.run(pipe.recv()):
                send(event)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    finally:
        session.close()


def _leave(number: int, frame: object) -> None:
    """End by an exception, so that the work is closed."""
    sys.exit(0)


def leave_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended: nothing would take its result."""
    if (parent := parent_process()) is not None:
        Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)

"""Workers as processes of this machine, each with a pipe.

A worker ends when its parent does, however that ends. Processes are spawned: a forked one with torch already loaded
could not change its number of threads. A full pipe makes a worker wait, so memory is bounded.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
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
"""Seconds that a terminated process has to close its sandbox."""


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

    def end(self) -> None:
        """Wait until the terminated process has ended; kill it after `PATIENCE_S` seconds."""
        self.process.join(PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


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
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.end()

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
        worker.process.terminate()
        worker.end()


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

"""Jobs in the sandbox: one fork each, as a stream of lines or as a session of requests, and how it ended.

Knows what a trusted function sends, JSON in lines; knows nothing of tests.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from envs.execution.sandbox.isolation.errors import NoSuchFunction, WorkerLost
from envs.execution.sandbox.isolation.fork_monitor import ForkMonitor
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.isolation.message_fields import text as message_text
from envs.execution.sandbox.isolation.worker_connection import Connection, Fork, WorkerDied
from envs.execution.sandbox.isolation.worker_pool import HeldWorker, Pool

Status = Literal["done", "failed", "exit", "signal", "cpu", "wall", "output", "stopped"]


@dataclass(frozen=True, slots=True)
class End:
    """How a job ended, as the worker saw it from outside the program's process."""

    status: Status
    """`done`; `failed`: the trusted function raised; `exit`, `signal`: the process left or was killed early;
    `cpu`, `wall`, `output`: that limit was met; `stopped`: by us."""
    detail: int
    """Exit status or signal number."""
    cpu_s: float
    """CPU seconds of the whole job."""
    printed: str
    """The beginning of what the program printed."""
    message: str = ""
    """What the trusted function raised, where it failed."""


@dataclass(frozen=True, slots=True)
class Job:
    """A trusted function, what to call it with, and under which limits."""

    function: str
    payload: Any
    limits: SandboxLimits
    renewals: int
    session: bool

    def lines(self) -> bytes:
        """The two lines that a fork reads."""
        header = f"{self.limits.memory_bytes} {self.session:d} {self.function}\n"
        return (header + json.dumps(self.payload) + "\n").encode()


Workers = Pool | HeldWorker
"""Where a job gets its worker from."""


class _Running:
    """One job on one fork: its lines until its end. A worker that dies before the first line is replaced, once."""

    def __init__(self, workers: Workers, job: Job) -> None:
        self._workers = workers
        self._job = job
        self._connection: Connection | None = None
        self._fork: Fork | None = None
        self._watch: ForkMonitor | None = None
        self.end: End | None = None
        try:
            self._start()
        except WorkerDied as error:
            self._restart(error)
        self._fresh = True

    def _start(self) -> None:
        self._connection = connection = self._workers.acquire()
        if complaint := connection.learn(self._job.function):
            self._give_back(broken=False)
            raise NoSuchFunction(f"{self._job.function!r} is no function of the sandbox: {complaint}")
        self._fork = connection.fork()
        self._abandoned = weakref.finalize(self, _let_go, self._fork, os.getpid())
        self._abandoned.atexit = False  # workers and their forks end with this process anyway
        self._watch = ForkMonitor(self._fork, self._job.limits, self._job.renewals, session=self._job.session)
        self._watch.hand_over(self._job.lines())
        connection.prepare()

    def _restart(self, error: WorkerDied) -> None:
        self._give_back(broken=True)
        try:
            self._start()
        except WorkerDied as again:
            self._give_back(broken=True)
            raise WorkerLost(f"{error} Its replacement died too: {again}") from again

    def _give_back(self, *, broken: bool) -> None:
        if self._fork is not None:
            self._abandoned.detach()
            self._fork.close()
        if self._connection is not None:
            self._workers.release(self._connection, broken=broken)
        self._fork = self._watch = self._connection = None

    def next(self) -> bytes | None:
        """The next line, or None at the end."""
        while self._watch is not None:
            if (line := self._watch.next()) is not None:
                self._fresh = False
                return line
            try:
                self._finish(self._watch)
            except WorkerDied as error:
                if not self._fresh:
                    self._give_back(broken=True)
                    raise WorkerLost(
                        f"{error} Part of the answer was read already, so it was not run again."
                    ) from error
                self._fresh = False
                self._restart(error)
        return None

    def _finish(self, watch: ForkMonitor, *, by_us: bool = False) -> None:
        """Note how the job ended, and let its fork go."""
        assert self._fork is not None
        assert self._connection is not None
        watch.end()
        status: Status = "stopped" if by_us else watch.stopped or "done"
        detail, message = 0, ""
        if status == "done" and watch.failure is not None:
            reply = _parsed(watch.failure)
            status, message = "failed", message_text(reply)[:2000] if isinstance(reply, str) else "no reason was given"
        elif status == "done" and not watch.done:
            self._fork.kill()
            code = self._connection.status(self._fork)
            status = "signal" if os.WIFSIGNALED(code) else "exit"
            detail = os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
        self.end = End(status, detail, watch.cpu_s, watch.printed, message=message)
        self._give_back(broken=False)

    def ask(self, line: bytes) -> None:
        """Hand the fork one more line, if it lives."""
        if self._watch is not None:
            self._watch.hand_over(line)

    def stop(self) -> End | None:
        """Stop the job if it runs, and drop what it still had to say."""
        if self._watch is not None:
            self._finish(self._watch, by_us=True)
        return self.end


def _let_go(fork: Fork, owner: int) -> None:
    """Close a fork that nobody can stop any more, since its job was dropped unfinished."""
    if os.getpid() == owner:
        fork.close()


def _parsed(text: bytes) -> Any:
    """The JSON of a line; None where the program wrote something else to the channel.

    Objects have names as keys, and the hashes of texts are random in each process; no other hash table is built here.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, an integer of thousands of digits, or nested too deep
        return None


class Stream:
    """The lines of a job, to iterate once; `end` says how it ended, after the last line or after `stop()`."""

    def __init__(self, pool: Pool, job: Job) -> None:
        self._running = _Running(pool, job)

    @property
    def end(self) -> End | None:
        """How the job ended; None while it runs."""
        return self._running.end

    def __iter__(self) -> Iterator[Any]:
        try:
            while (line := self._running.next()) is not None:
                yield _parsed(line)
        finally:
            self.stop()

    def stop(self) -> End | None:
        """Stop the job if it runs, and say how it ended."""
        return self._running.stop()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


class Session:
    """One fork that answers request after request, each under the limits; close it, or use `with`."""

    def __init__(self, workers: Workers, job: Job) -> None:
        self._running = _Running(workers, job)
        self._answer()

    @property
    def end(self) -> End | None:
        """How the fork ended; None while it lives."""
        return self._running.end

    def request(self, data: Any) -> Any:
        """The answer to one request; None where the fork ended instead of answering, and `end` then says how."""
        self._running.ask(json.dumps(data).encode() + b"\n")
        return self._answer()

    def _answer(self) -> Any:
        line = self._running.next()
        return None if line is None else _parsed(line)

    def close(self) -> End | None:
        """End the fork, and say how it ended."""
        return self._running.stop()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class SessionGroup:
    """Sessions of one trusted function that share a worker, each with a fork of its own; close it, or use `with`."""

    def __init__(self, pool: Pool, function: str, limits: SandboxLimits) -> None:
        self._worker = HeldWorker(pool)
        self._function = function
        self._limits = limits

    def open(self, payload: Any) -> Session:
        """A further session: `function(payload)` gives, in its fork, the function that answers requests."""
        return Session(self._worker, Job(self._function, payload, self._limits, 0, session=True))

    def close(self) -> None:
        """Give the worker back; the sessions are closed one by one, before."""
        self._worker.close()

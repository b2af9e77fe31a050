"""The workers of a sandbox: which isolation they are under, and which of them are idle. Knows no job.

Workers are started when they are needed, kept while they are few enough, retired after so many jobs, and dropped
when they break.
"""

from __future__ import annotations

import os
import threading
import weakref
from functools import cache
from typing import Literal

from envs.execution.sandbox.isolation import isolation_methods as ways
from envs.execution.sandbox.isolation.errors import NoIsolation, SandboxError
from envs.execution.sandbox.isolation.packages import Package
from envs.execution.sandbox.isolation.worker_connection import Connection, IsolationFailed

_REFUSAL = """Nothing here can contain an untrusted program, so it was not run.
  bubblewrap: {bubblewrap}
  landlock: {landlock}
Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), or use Linux 5.13 or later with landlock
switched on (`lsm=landlock,...` on the kernel's command line). To run programs that you trust without isolation, pass
isolation="none"."""


@cache
def why_not(name: ways.Name) -> str | None:
    """None if a worker starts under this isolation here, else why it does not."""
    try:
        Connection(name).kill()
    except IsolationFailed as error:
        return str(error)
    return None


def available_isolations() -> tuple[ways.Name, ...]:
    """The isolations that work here, the one to prefer first; tried for real, once a process."""
    return tuple(name for name in ways.NAMES if name != "none" and why_not(name) is None)


def choose(asked: ways.Name | Literal["auto"]) -> ways.Name:
    if asked not in ("auto", *ways.NAMES):
        raise NoIsolation(f"No isolation named {asked!r}. Choose one of: auto, {', '.join(ways.NAMES)}.")
    if asked == "none":
        return "none"
    for name in ways.NAMES[:-1] if asked == "auto" else (asked,):
        if why_not(name) is None:
            return name
    raise NoIsolation(_REFUSAL.format(bubblewrap=why_not("bubblewrap"), landlock=why_not("landlock")))


class Pool:
    """Live workers of one isolation; safe to share between threads.

    No caller waits for a worker: when all are busy a further one is started, and `kept` of them stay when idle.
    """

    def __init__(
        self, isolation: ways.Name, *, kept: int, jobs_per_worker: int, packages: tuple[Package, ...] = ()
    ) -> None:
        self.isolation = isolation
        self._packages = packages
        self.idle: list[Connection] = []
        self._kept = kept
        self._jobs_per_worker = jobs_per_worker
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._live: set[Connection] = set()
        self._end = weakref.finalize(self, _kill_all, self._live, self._owner)

    def close(self) -> None:
        """End every worker, jobs in progress included."""
        self._end()

    def acquire(self) -> Connection:
        """A worker for one job, to be released after it."""
        if os.getpid() != self._owner:
            raise SandboxError("This sandbox was opened in another process. Open one in each process that forks off.")
        if not self._end.alive:
            raise SandboxError("This sandbox is closed. Open a new one.")
        with self._lock:
            connection = self.idle.pop() if self.idle else None
        if connection is None:
            connection = self._new_worker()
        connection.jobs += 1
        return connection

    def _new_worker(self) -> Connection:
        try:
            connection = Connection(self.isolation, self._packages)
        except IsolationFailed as error:
            raise NoIsolation(f"A worker could not be started under {self.isolation}: {error}") from error
        with self._lock:
            self._live.add(connection)
        return connection

    def release(self, connection: Connection, *, broken: bool) -> None:
        """Take a worker back; a broken or spent one is ended instead."""
        with self._lock:
            spent = connection.jobs >= self._jobs_per_worker or len(self.idle) >= self._kept
            keep = self._end.alive and not broken and not spent
            if keep:
                self.idle.append(connection)
            else:
                self._live.discard(connection)
        if not keep:
            connection.kill()


class HeldWorker:
    """One worker of a pool that many jobs of one caller share; not shared between threads.

    A session lasts, and a pool lends each worker to one job at a time. Sessions of a held worker are forks of the same
    process, so that a hundred of them need no hundred workers.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._held: Connection | None = None

    def acquire(self) -> Connection:
        """The worker, taken from the pool when it is first needed."""
        if self._held is None:
            self._held = self._pool.acquire()
        return self._held

    def release(self, connection: Connection, *, broken: bool) -> None:
        """Note the end of a job; a broken worker is ended, and the next job gets another."""
        if broken and connection is self._held:
            self._held = None
            self._pool.release(connection, broken=True)

    def close(self) -> None:
        """Give the worker back to the pool; sessions that are still open must be closed before."""
        if self._held is not None:
            connection, self._held = self._held, None
            self._pool.release(connection, broken=False)


def _kill_all(live: set[Connection], owner: int) -> None:
    if os.getpid() == owner:
        for connection in list(live):
            connection.kill()
        live.clear()

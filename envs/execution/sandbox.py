"""Runs untrusted programs: fast, contained, and judged from outside.

A `Sandbox` keeps warm workers behind an isolation (bubblewrap, or landlock with system-call filters) and forks one of them
for each job. `run_tests` gives verdicts; `stream` runs a trusted function of this package beside the program and passes on
what it yields (the tracer, coverage); `session` keeps one fork open for many small requests. docs/security.md says what is
promised. Errors:

    SandboxError
    ├── NoIsolation       nothing here can contain a program, or not the way that was asked for
    ├── WorkerLost        two workers died on the same job
    └── NoSuchFunction    the name given to `stream` or `session` is no function of this package

A program that fails, loops, crashes or attacks is no error: it is a verdict, or the `End` of a stream.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Literal

from envs.execution import verdicts
from envs.execution.checks import Assertion, BadTest, Check, Test, Verdict
from envs.execution.containment import isolation as ways
from envs.execution.containment.connection import Connection, Fork, IsolationFailed, WorkerDied
from envs.execution.containment.limits import Limits
from envs.execution.containment.watch import Watch

__all__ = [
    "Assertion", "BadTest", "Check", "End", "NoSuchFunction", "Limits", "NoIsolation", "Sandbox", "SandboxError", "Session",
    "Stream", "Test", "Verdict", "WorkerLost", "available_isolations",
]  # fmt: skip

_REFUSAL = """Nothing here can contain an untrusted program, so it was not run.
  bubblewrap: {bubblewrap}
  landlock: {landlock}
Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), or use Linux 5.13 or later with landlock switched on
(`lsm=landlock,...` on the kernel's command line). To run programs you trust without isolation, pass isolation="none"."""

Status = Literal["done", "failed", "exit", "signal", "cpu", "wall", "output", "stopped"]


class SandboxError(RuntimeError):
    """The sandbox itself could not do its work."""


class NoIsolation(SandboxError):  # noqa: N818 - the name says what is wrong
    """Nothing here can contain a program."""


class WorkerLost(SandboxError):  # noqa: N818 - the name says what is wrong
    """Two workers died on the same job."""


class NoSuchFunction(SandboxError):  # noqa: N818 - the name says what is wrong
    """The name given to `stream` or `session` is no function of this package."""


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


@cache
def _why_not(name: ways.Name) -> str | None:
    """None if a worker starts under this isolation here, else why it does not."""
    try:
        Connection(name).kill()
    except IsolationFailed as error:
        return str(error)
    return None


def available_isolations() -> tuple[ways.Name, ...]:
    """The isolations that work here, the one to prefer first; tried for real, once a process."""
    return tuple(name for name in ways.NAMES if name != "none" and _why_not(name) is None)


def _choose(asked: ways.Name | Literal["auto"]) -> ways.Name:
    if asked not in ("auto", *ways.NAMES):
        raise NoIsolation(f"No isolation named {asked!r}. Choose one of: auto, {', '.join(ways.NAMES)}.")
    if asked == "none":
        return "none"
    for name in ways.NAMES[:-1] if asked == "auto" else (asked,):
        if _why_not(name) is None:
            return name
    raise NoIsolation(_REFUSAL.format(bubblewrap=_why_not("bubblewrap"), landlock=_why_not("landlock")))


class Sandbox:
    """Warm workers for programs; safe to share between threads, closed by `with` or `close()`.

    A job never waits for another: when all workers are busy a further one is started, and `workers` of them are kept.
    """

    def __init__(
        self,
        *,
        isolation: ways.Name | Literal["auto"] = "auto",
        workers: int = 1,
        limits: Limits | None = None,
        jobs_per_worker: int = 2000,
    ) -> None:
        if workers < 1 or jobs_per_worker < 1:
            raise ValueError(
                f"workers={workers}, jobs_per_worker={jobs_per_worker}: both must be at least 1."
            )
        self.isolation: ways.Name = _choose(isolation)
        self.limits = limits or Limits()
        self.workers = workers
        self._jobs_per_worker = jobs_per_worker
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._live: set[Connection] = set()
        self._end = weakref.finalize(self, _kill_all, self._live, self._owner)

    @property
    def description(self) -> str:
        """Which isolation is in force, in words."""
        return ways.WAYS[self.isolation]

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every worker, jobs in progress included."""
        self._end()

    def run_tests(
        self,
        source: str,
        tests: Sequence[Test],
        *,
        entry: str,
        limits: Limits | None = None,
        stop_early: bool = False,
    ) -> tuple[Verdict, ...]:
        """A verdict for each test, in order; with `stop_early` those unknown at the first failure are `not run`."""
        found = dict(self.iter_tests(source, tests, entry=entry, limits=limits, stop_early=stop_early))
        return tuple(found.get(index, verdicts.NOT_RUN) for index in range(len(tests)))

    def iter_tests(
        self,
        source: str,
        tests: Sequence[Test],
        *,
        entry: str,
        limits: Limits | None = None,
        stop_early: bool = False,
    ) -> Iterator[tuple[int, Verdict]]:
        """(index, verdict) of each test as soon as it is known; a test that kills the process gets a new one after it."""
        return verdicts.verdicts(self, source, tests, entry, limits or self.limits, stop_early)

    def map_tests(
        self,
        sources: Iterable[str],
        tests: Sequence[Test],
        *,
        entry: str,
        limits: Limits | None = None,
        stop_early: bool = False,
    ) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts of many programs on the same tests, in order, all workers at work."""
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(
                lambda source: self.run_tests(
                    source, tests, entry=entry, limits=limits, stop_early=stop_early
                ),
                sources,
            )

    def stream(
        self, function: str, payload: Any, *, limits: Limits | None = None, renewals: int = 0
    ) -> Stream:
        """What the trusted function `module:function` yields for this payload, as it yields it.

        CPU and wall limits hold for the whole stream, or start anew with each of the first `renewals` lines.
        """
        return Stream(self, _Job(function, payload, limits or self.limits, renewals, session=False))

    def session(self, function: str, payload: Any, *, limits: Limits | None = None) -> Session:
        """A fork that answers many requests: `function(payload)` gives, in the fork, the function that answers them."""
        return Session(self, _Job(function, payload, limits or self.limits, 0, session=True))

    def _acquire(self) -> Connection:
        if os.getpid() != self._owner:
            raise SandboxError(
                "This sandbox was opened in another process. Open one in each process that forks off."
            )
        if not self._end.alive:
            raise SandboxError("This sandbox is closed. Open a new one.")
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._new_worker()
        connection.jobs += 1
        return connection

    def _new_worker(self) -> Connection:
        try:
            connection = Connection(self.isolation)
        except IsolationFailed as error:
            raise NoIsolation(f"A worker could not be started under {self.isolation}: {error}") from error
        with self._lock:
            self._live.add(connection)
        return connection

    def _release(self, connection: Connection, *, broken: bool) -> None:
        with self._lock:
            spent = connection.jobs >= self._jobs_per_worker or len(self._idle) >= self.workers
            keep = self._end.alive and not broken and not spent
            if keep:
                self._idle.append(connection)
            else:
                self._live.discard(connection)
        if not keep:
            connection.kill()


def _kill_all(live: set[Connection], owner: int) -> None:
    if os.getpid() == owner:
        for connection in list(live):
            connection.kill()
        live.clear()


@dataclass(frozen=True, slots=True)
class _Job:
    function: str
    payload: Any
    limits: Limits
    renewals: int
    session: bool

    def lines(self) -> bytes:
        header = f"{self.limits.memory_bytes} {self.session:d} {self.function}\n"
        return (header + json.dumps(self.payload) + "\n").encode()


class _Running:
    """One job on one fork: its lines until its end. A worker that dies before the first line is replaced, once."""

    def __init__(self, sandbox: Sandbox, job: _Job) -> None:
        self._sandbox = sandbox
        self._job = job
        self._connection: Connection | None = None
        self._fork: Fork | None = None
        self._watch: Watch | None = None
        self.end: End | None = None
        try:
            self._start()
        except WorkerDied as error:
            self._restart(error)
        self._fresh = True

    def _start(self) -> None:
        self._connection = connection = self._sandbox._acquire()
        if complaint := connection.learn(self._job.function):
            self._give_back(broken=False)
            raise NoSuchFunction(f"{self._job.function!r} is no function of the sandbox: {complaint}")
        self._fork = connection.fork()
        self._watch = Watch(self._fork, self._job.limits, self._job.renewals)
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
            self._fork.close()
        if self._connection is not None:
            self._sandbox._release(self._connection, broken=broken)
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

    def _finish(self, watch: Watch, *, by_us: bool = False) -> None:
        """Note how the job ended, and let its fork go."""
        assert self._fork is not None
        assert self._connection is not None
        watch.end()
        status: Status = "stopped" if by_us else watch.stopped or "done"
        detail, message = 0, ""
        if status == "done" and watch.failure is not None:
            status, message = "failed", str(_parsed(watch.failure))[:2000]
        elif status == "done" and not watch.done:
            self._fork.kill()
            code = self._connection.status(self._fork)
            status = "signal" if os.WIFSIGNALED(code) else "exit"
            detail = os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
        self.end = End(status, detail, watch.cpu_s, watch.printed, message)
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


def _parsed(text: bytes) -> Any:
    """The JSON of a line; None where the program wrote something else to the channel."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Stream:
    """The lines of a job, to iterate once; `end` says how it ended, after the last line or after `stop()`."""

    def __init__(self, sandbox: Sandbox, job: _Job) -> None:
        self._running = _Running(sandbox, job)

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.stop()


class Session:
    """One fork that answers request after request, each under the limits; close it, or use `with`."""

    def __init__(self, sandbox: Sandbox, job: _Job) -> None:
        self._running = _Running(sandbox, job)
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

"""Runs untrusted programs: fast, contained, and judged from outside.

A `Sandbox` keeps warm workers behind an isolation (bubblewrap, or landlock with system-call filters) and forks one of them
for each job. `run_tests` gives verdicts; `stream` runs a trusted function of this package beside the program and passes on
what it yields (the tracer, coverage); `session` keeps one fork open for many small requests. docs/security.md says what is
promised. Errors:

    SandboxError
    ├── NoIsolation       nothing here can contain a program, or not the way that was asked for
    ├── WorkerLost        two workers died on the same job
    └── FunctionFailed    the trusted function in the sandbox failed, or there is no such function

A program that fails, loops, crashes or attacks is no error: it is a verdict, or the `End` of a stream.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from types import TracebackType
from typing import Any, Literal

from envs.execution import verdicts
from envs.execution.checks import Assertion, BadTest, Check, Test, Verdict
from envs.execution.containment import isolation as ways
from envs.execution.containment.connection import Connection, IsolationFailed, WorkerDied
from envs.execution.containment.limits import Limits

__all__ = [
    "Assertion", "BadTest", "Check", "End", "FunctionFailed", "Limits", "NoIsolation", "Sandbox", "SandboxError", "Session",
    "Stream", "Test", "Verdict", "WorkerLost", "available_isolations",
]  # fmt: skip

_GRACE_S = 15.0
_REFUSAL = """Nothing here can contain an untrusted program, so it was not run.
  bubblewrap: {bubblewrap}
  landlock: {landlock}
Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), or use Linux 5.13 or later with landlock switched on
(`lsm=landlock,...` on the kernel's command line). To run programs you trust without isolation, pass isolation="none"."""

Status = Literal["done", "exit", "signal", "cpu", "wall", "output", "stopped"]


class SandboxError(RuntimeError):
    """The sandbox itself could not do its work."""


class NoIsolation(SandboxError):
    """Nothing here can contain a program."""


class WorkerLost(SandboxError):
    """Two workers died on the same job."""


class FunctionFailed(SandboxError):
    """The trusted function in the sandbox failed."""


@dataclass(frozen=True, slots=True)
class End:
    """How a job ended, as the worker saw it from outside the program's process."""

    status: Status
    """`done`; `exit` and `signal`: it left or was killed early; `cpu`, `wall`, `output`: a limit; `stopped`: by us."""
    detail: int
    """Exit status or signal number."""
    cpu_s: float
    """CPU seconds of the whole job."""
    printed: str
    """The beginning of what the program printed."""


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
        header = {"function": self.function, "limits": asdict(self.limits), "renewals": self.renewals}
        return json.dumps({**header, "session": self.session}).encode() + b"\n" + json.dumps(self.payload).encode()


class _Running:
    """One job on one worker: its lines until its end. A worker that dies before the first line is replaced, once."""

    def __init__(self, sandbox: Sandbox, job: _Job) -> None:
        self._sandbox = sandbox
        self._job = job
        self._patience = job.limits.wall_s + _GRACE_S
        self._connection: Connection | None = None
        self._retried = False
        self.end: End | None = None
        self._start()

    def _start(self) -> None:
        self._connection = self._sandbox._acquire()
        try:
            self._connection.send(b"j", self._job.lines())
        except WorkerDied as error:
            self._replace(error)

    def _replace(self, error: WorkerDied) -> None:
        self._give_back(broken=True)
        if self._retried:
            raise WorkerLost(
                f"{error} This was its second worker; run fewer at once, or look for what kills them."
            ) from error
        self._retried = True
        self._start()

    def _give_back(self, *, broken: bool) -> None:
        if self._connection is not None:
            self._sandbox._release(self._connection, broken=broken)
            self._connection = None

    def next(self, *, first: bool) -> bytes | None:
        """The next line, or None at the end; `first` allows a new worker to start over."""
        while self._connection is not None:
            try:
                line = self._connection.read(self._patience)
            except WorkerDied as error:
                if not first:
                    self._give_back(broken=True)
                    raise WorkerLost(
                        f"{error} Part of its answer was read already, so it was not run again."
                    ) from error
                self._replace(error)
                continue
            if line[:1] == b"l":
                return line[1:]
            self._give_back(broken=False)
            if line[:1] == b"q":
                raise FunctionFailed(json.loads(line[1:]))
            self.end = End(**json.loads(line[1:]))
        return None

    def send(self, tag: bytes, line: bytes = b"") -> None:
        if self._connection is not None:
            self._connection.send(tag, line)

    def stop(self) -> End | None:
        """Stop the job if it runs, and drop what it still had to say."""
        try:
            self.send(b"s")
            while self.next(first=False) is not None:
                pass
        except (WorkerDied, WorkerLost):
            self._give_back(broken=True)
        return self.end


def _data(text: bytes) -> Any:
    """The JSON of a line; None where the program wrote something else to the pipe."""
    if text[:1] == b"x":
        raise FunctionFailed(f"In the sandbox: {str(_parsed(text[1:]))[:2000]}")
    return _parsed(text[1:]) if text[:1] == b"d" else None


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Stream:
    """The lines of a job, to iterate once; `end` says how it ended, after the last line or after `stop()`."""

    def __init__(self, sandbox: Sandbox, job: _Job) -> None:
        self._running = _Running(sandbox, job)
        self._count = 0

    @property
    def end(self) -> End | None:
        """How the job ended; None while it runs."""
        return self._running.end

    def __iter__(self) -> Iterator[Any]:
        try:
            while (line := self._running.next(first=self._count == 0)) is not None:
                self._count += 1
                yield _data(line)
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
        self._answer(first=True)

    @property
    def end(self) -> End | None:
        """How the fork ended; None while it lives."""
        return self._running.end

    def request(self, data: Any) -> Any:
        """The answer to one request; None where the fork ended instead of answering, and `end` then says how."""
        self._running.send(b"r", json.dumps(data).encode())
        return self._answer(first=False)

    def _answer(self, *, first: bool) -> Any:
        line = self._running.next(first=first)
        return None if line is None else _data(line)

    def close(self) -> End | None:
        """End the fork, and say how it ended."""
        return self._running.stop()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

"""Runs untrusted programs: fast, contained, and judged from outside.

A `Sandbox` keeps warm workers behind an isolation (bubblewrap, or landlock with system-call filters) and
forks one of them for each job. `run_tests` gives verdicts; `stream` runs a trusted function of this package
beside the program and passes on what it yields (the tracer, line coverage); `session` keeps one fork open for many
small requests. docs/security.md says what is guaranteed, isolation/errors.py what is raised; a program that
fails or attacks is never an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Literal

from envs.execution.sandbox import verdicts
from envs.execution.sandbox.isolation import isolation_methods as ways
from envs.execution.sandbox.isolation.errors import NoIsolation, NoSuchFunction, SandboxError, WorkerLost
from envs.execution.sandbox.isolation.jobs import End, Job, Session, SessionGroup, Stream
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.isolation.packages import located
from envs.execution.sandbox.isolation.worker_pool import Pool, available_isolations, choose
from envs.execution.sandbox.program_tests import Assertion, BadTest, Check, Test, Verdict

__all__ = [
    "Assertion",
    "BadTest",
    "Check",
    "End",
    "NoIsolation",
    "NoSuchFunction",
    "Sandbox",
    "SandboxError",
    "SandboxLimits",
    "Session",
    "SessionGroup",
    "Stream",
    "Test",
    "Verdict",
    "WorkerLost",
    "available_isolations",
]  # fmt: skip


class Sandbox:
    """Warm workers for programs; safe to share between threads, closed by `with` or `close()`.

    A job never waits for another: when all workers are busy a further one is started, and `workers` of them are kept.
    """

    def __init__(
        self,
        *,
        isolation: ways.Name | Literal["auto"] = "auto",
        workers: int = 1,
        limits: SandboxLimits | None = None,
        jobs_per_worker: int = 2000,
        packages: Sequence[str] = (),
    ) -> None:
        """`packages` are the installed packages that programs may import, beside the standard library."""
        if workers < 1 or jobs_per_worker < 1:
            raise ValueError(f"workers={workers}, jobs_per_worker={jobs_per_worker}: both must be at least 1.")
        self.isolation: ways.Name = choose(isolation)
        self.limits = limits or SandboxLimits()
        self.workers = workers
        self.packages = tuple(packages)
        self.pool = Pool(self.isolation, kept=workers, jobs_per_worker=jobs_per_worker, packages=located(packages))

    def __deepcopy__(self, memo: dict[int, Any]) -> Sandbox:
        """The sandbox itself: copies of what uses it share its workers."""
        return self

    @property
    def description(self) -> str:
        """Which isolation is in force, in words."""
        return ways.WAYS[self.isolation]

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End every worker, jobs in progress included."""
        self.pool.close()

    def run_tests(
        self,
        source: str,
        tests: Sequence[Test],
        *,
        entry: str,
        limits: SandboxLimits | None = None,
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
        limits: SandboxLimits | None = None,
        stop_early: bool = False,
    ) -> Iterator[tuple[int, Verdict]]:
        """(index, verdict) of each test as soon as it is known; after a test that kills the process comes a new one."""
        return verdicts.verdicts(self, source, tests, entry, limits=limits or self.limits, stop_early=stop_early)

    def stream(self, function: str, payload: Any, *, limits: SandboxLimits | None = None, renewals: int = 0) -> Stream:
        """What the trusted function `module:function` yields for this payload, as it yields it.

        CPU and wall limits hold for the whole stream, or start anew with each of the first `renewals` lines.
        """
        return Stream(self.pool, Job(function, payload, limits or self.limits, renewals, session=False))

    def session(self, function: str, payload: Any, *, limits: SandboxLimits | None = None) -> Session:
        """A fork that answers many requests: `function(payload)` gives, in the fork, the function that answers them."""
        return Session(self.pool, Job(function, payload, limits or self.limits, 0, session=True))

    def sessions(self, function: str, *, limits: SandboxLimits | None = None) -> SessionGroup:
        """A group of sessions that share one worker: `open(payload)` opens each in a fork of its own."""
        return SessionGroup(self.pool, function, limits or self.limits)

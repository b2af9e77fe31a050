"""A sandbox that runs each program and test once: a learner tries the same edits of the same tasks many times.

Tasks of the benchmarks are deterministic, so a repeated run would say the same. The environments count their real
executions as ever; only the time of a benchmark falls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

from envs.domains.fault_localisation import COVERAGE
from envs.execution.sandbox.program_tests import Test, Verdict
from envs.execution.sandbox.sandbox import Sandbox, SandboxLimits


class _KnownMessages(list[Any]):
    """Messages of a stream that ended, used as the stream is."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class RepeatedRuns(Sandbox):
    """A sandbox with a cache of verdicts and of lines that ran; limits are not part of the key."""

    def __init__(self) -> None:
        super().__init__()
        self._verdicts: dict[str, list[tuple[int, Verdict]]] = {}
        self._streams: dict[str, list[Any]] = {}

    def iter_tests(
        self,
        source: str,
        tests: Sequence[Test],
        *,
        entry: str,
        limits: SandboxLimits | None = None,
        stop_early: bool = False,
    ) -> Iterator[tuple[int, Verdict]]:
        key = repr((source, entry, tests, stop_early))
        if key not in self._verdicts:
            found = super().iter_tests(source, tests, entry=entry, limits=limits, stop_early=stop_early)
            self._verdicts[key] = list(found)
        return iter(self._verdicts[key])

    def stream(self, function: str, payload: Any, *, limits: SandboxLimits | None = None, renewals: int = 0) -> Any:
        if function != COVERAGE:
            return super().stream(function, payload, limits=limits, renewals=renewals)
        key = repr(payload)
        if key not in self._streams:
            with super().stream(function, payload, limits=limits, renewals=renewals) as messages:
                self._streams[key] = list(messages)
        return _KnownMessages(self._streams[key])

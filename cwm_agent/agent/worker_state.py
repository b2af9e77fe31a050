"""What a worker is doing now, for displays of a running command; knows no display.

A search tells of itself while it imagines, at most a few times a second, so that watching costs nothing that counts.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field

INTERVAL_S = 0.4
"""Seconds between two states of one worker."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """One worker at work; `task` is empty where it waits for another one."""

    worker: int
    """Number of its process."""
    task: str
    imagined: int = 0
    """Candidates imagined so far."""
    odds: float | None = None
    """Logarithm of the best odds so far; None where nothing is believed."""
    runs: int = 0
    """Real executions so far."""
    left: float | None = None
    """Seconds of imagining that the budget leaves."""
    node: str = field(default_factory=platform.node)
    """Name of its machine."""


Watcher = Callable[[WorkerState], None]


@dataclass(slots=True)
class TaskWatch:
    """Tells a watcher of one task, not too often."""

    task: str
    tell: Watcher
    _next: float = field(default=0.0)

    def due(self) -> bool:
        """Whether it is time for another state."""
        return time.monotonic() >= self._next

    def show(self, imagined: int, odds: float | None, runs: int, left: float) -> None:
        """Tell of the task as it stands."""
        self._next = time.monotonic() + INTERVAL_S
        self.tell(WorkerState(os.getpid(), self.task, imagined, odds, runs=runs, left=left))

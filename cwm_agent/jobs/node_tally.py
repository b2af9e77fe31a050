"""Counts per machine what its workers did: results, losses, results per second. Knows no display."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class NodeCount:
    """One machine of a run."""

    name: str
    workers: int = 0
    """Open now."""
    done: int = 0
    lost: int = 0
    """Workers that died there, and results that were too large."""
    busy: float = 0.0
    """Seconds that its workers spent on results, all together."""
    isolation: str = ""
    refused: str = ""
    """Why it takes no jobs; empty where it does."""
    began: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Results per second since its first worker was open."""
        return self.done / max(1e-9, time.monotonic() - self.began)

    def line(self) -> str:
        """The machine as one line of text."""
        if self.refused:
            return f"node {self.name}: refused: {self.refused}"
        fenced = f", isolation {self.isolation}" if self.isolation else ""
        return (
            f"node {self.name}: {self.workers} workers, {self.done} done, {self.rate:.2f} per s, "
            f"{self.lost} lost{fenced}"
        )


OnNodes = Callable[[list[NodeCount]], None]
"""Told after each change, with all machines."""


@dataclass(slots=True)
class NodeTally:
    """All machines of a run, and the callback for each change."""

    on_nodes: OnNodes = lambda nodes: None
    nodes: dict[str, NodeCount] = field(default_factory=dict)

    def opened(self, name: str, isolation: str) -> None:
        """A worker can take batches."""
        node = self._node(name)
        node.workers += 1
        node.isolation = isolation
        self._tell()

    def refused(self, name: str, reason: str) -> None:
        """A machine cannot do the work."""
        self._node(name).refused = reason
        self._tell()

    def done(self, name: str, seconds: float) -> None:
        """A result has come."""
        node = self._node(name)
        node.done += 1
        node.busy += seconds
        self._tell()

    def died(self, name: str) -> None:
        """A worker is gone."""
        node = self._node(name)
        node.workers -= 1
        node.lost += 1
        self._tell()

    def too_large(self, name: str) -> None:
        """A result was not sent."""
        self._node(name).lost += 1
        self._tell()

    def _node(self, name: str) -> NodeCount:
        return self.nodes.setdefault(name, NodeCount(name))

    def _tell(self) -> None:
        self.on_nodes(list(self.nodes.values()))

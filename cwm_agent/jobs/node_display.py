"""Shows the machines of a cluster below the progress of a run: rows on a terminal, lines everywhere else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cwm_agent.jobs.node_tally import NodeCount
from tasks.output.terminal_text import print_line, visible_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

NODES_S = 30.0
"""Seconds between two reports of the machines, where there is no terminal."""


@dataclass(slots=True)
class NodeDisplay:
    """The machines of a cluster, below the progress of a run."""

    _rows: dict[str, TaskID] = field(default_factory=dict)
    _shown: dict[str, str] = field(default_factory=dict)
    """The last line of each machine that was printed where there is no terminal."""
    _next: float = 0.0

    def show(self, counts: Sequence[NodeCount], bar: Bar | None) -> None:
        """Show all machines; without a terminal a new refusal or loss at once, and the rest at most every 30 s."""
        if bar is not None:
            for node in counts:
                self._draw(node, bar)
            return
        alarming = any(self._shown.get(node.name, "").partition("|")[0] != _alarm(node) for node in counts)
        if alarming or time.monotonic() >= self._next:
            self._next = time.monotonic() + NODES_S
            self.print_all(counts)

    def print_all(self, counts: Sequence[NodeCount]) -> None:
        """Print each machine whose line has changed."""
        for node in counts:
            shown = f"{_alarm(node)}|{node.workers} {node.done}"
            if self._shown.get(node.name) != shown:
                self._shown[node.name] = shown
                print_line(node.line(), error=True)

    def _draw(self, node: NodeCount, bar: Bar) -> None:
        if node.name not in self._rows:
            self._rows[node.name] = bar.add_task("", total=None, note="")
        bar.update(self._rows[node.name], completed=node.done, note=visible_line(node.line(), bar.console.encoding))


def _alarm(node: NodeCount) -> str:
    """What about a machine is to be said at once."""
    return f"{node.lost} {node.refused}"

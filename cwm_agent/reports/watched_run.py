"""A run that is watched: its workers in a table of the terminal, its report on a page that this machine serves.

Where there is no terminal, only the lines of finished tasks are printed.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from cwm_agent.agent.episodes.episode import Episode, read
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.worker_state import WorkerState
from cwm_agent.jobs.node_display import NodeDisplay
from cwm_agent.reports.live_server import LiveRun, LiveServer, live_run
from tasks.output.terminal_text import print_line, time_left, visible_line

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from cwm_agent.jobs.node_tally import NodeCount

HEADS = ("task", "imagined", "best log-odds", "real runs", "time left")


def cells(state: WorkerState) -> tuple[str, ...]:
    """A worker as a row of the table."""
    odds = "-" if state.odds is None else f"{state.odds:.1f}"
    left = "-" if state.left is None else f"{max(0.0, state.left):.0f} s"
    return visible_line(state.task)[:40], str(state.imagined), odds, str(state.runs), left


@dataclass(slots=True)
class WorkerView:
    """The workers of a run, and the lines of what they finished above them."""

    live: "Live | None" = None
    states: dict[tuple[str, int], WorkerState] = field(default_factory=dict)
    """By machine and process."""
    counts: "Sequence[NodeCount]" = ()
    """The machines of a cluster; none on one machine."""
    _nodes: NodeDisplay = field(default_factory=NodeDisplay)
    _began: float = field(default_factory=time.monotonic)
    _here: int = 0
    """Tasks that ended while this view was open."""
    _lock: Lock = field(default_factory=Lock)

    def show(self, state: WorkerState) -> None:
        """A worker tells what it does; called from any thread."""
        with self._lock:
            self.states[state.node, state.worker] = state
            if self.live is not None:
                self.live.update(self.table())

    def nodes(self, counts: "Sequence[NodeCount]") -> None:
        """Show what each machine has done."""
        with self._lock:
            self.counts = counts
            if self.live is not None:
                self.live.update(self.table())
            else:
                self._nodes.show(counts, None)

    def tell(self, lines: list[str], done: int, total: int) -> None:
        """Print the lines of a finished task, and the time left for all."""
        self._here += 1
        if done < total:
            rest = time_left(time.monotonic() - self._began, self._here, self._here + total - done)
            lines = [f"{lines[0]}, {rest}", *lines[1:]]
        if self.live is None:
            for line in lines:
                print_line(line)
            return
        from rich.text import Text

        for line in lines:
            self.live.console.print(Text(visible_line(line, self.live.console.encoding)))

    def table(self) -> "Table":
        """The table as it is drawn."""
        from rich.table import Table
        from rich.text import Text

        made = Table(box=None, pad_edge=False)
        for at, head in enumerate(HEADS):
            made.add_column(head, justify="right" if at else "left")
        for state in self.states.values():
            made.add_row(*(Text(cell) for cell in cells(state)))
        for node in self.counts:
            made.add_row(Text(visible_line(node.line())))
        return made


@contextmanager
def worker_view() -> Iterator[WorkerView]:
    """A view that lasts as long as the `with` block."""
    view = WorkerView()
    if not sys.stdout.isatty():
        yield view
        return
    from rich.live import Live

    with Live(view.table(), transient=True, refresh_per_second=4) as live:
        view.live = live
        yield view


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """Passes what happens in a run on to the terminal and to the page."""

    view: WorkerView
    run: LiveRun

    def tell(self, lines: list[str], done: int, total: int) -> None:
        """Print the lines of a finished task; `done` of `total` are finished."""
        self.view.tell(lines, done, total)

    def nodes(self, counts: "Sequence[NodeCount]") -> None:
        """Show what each machine of a cluster has done."""
        self.view.nodes(counts)

    def show(self, state: WorkerState) -> None:
        """A worker tells what it does."""
        self.view.show(state)
        self.run.show(state)

    def add(self, episode: Episode) -> None:
        """A task has ended."""
        self.run.add(episode)


@contextmanager
def watched(out: Path, settings: Settings) -> Iterator[WatchedRun]:
    """Watch a run as long as the `with` block lasts; prints the address of its page."""
    run = live_run(out, settings.described(), read(out / "episodes.jsonl", lambda message: None))
    with LiveServer(run) as server, worker_view() as view:
        print_line(f"watch it at {server.address}")
        yield WatchedRun(view, run)

"""Shows the progress of a long job and the time left: a bar on a terminal, plain lines everywhere else."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cwm_agent.jobs.node_display import NodeDisplay
from tasks.output.terminal_text import print_line, time_left, visible_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from cwm_agent.jobs.node_tally import NodeCount

HEARTBEAT_S = 4.0
"""Seconds between two lines that say how far a job is."""
NOTE_SECONDS = 0.2
"""Least time between two notes."""


@dataclass(slots=True)
class Progress:
    """Prints lines after each piece of work and, on a terminal, a bar below them."""

    bar: "Bar | None" = None
    _began: float = field(default_factory=time.monotonic)
    _noted: float = 0.0
    _before: int | None = None
    """Pieces that an earlier run finished; None before the first piece of this run."""
    _nodes: NodeDisplay = field(default_factory=NodeDisplay)

    def tell(self, lines: list[str], done: int, total: int) -> None:
        """Print the lines of a finished piece of work; `done` of `total` pieces are finished."""
        if self._before is None:
            self._before = done - 1
        if self.bar is not None:
            from rich.text import Text

            for line in lines:
                self.bar.console.print(Text(visible_line(line, self.bar.console.encoding)))
            self.bar.update(self.bar.task_ids[0], completed=done, total=total)
            return
        if done < total and lines:
            here = done - self._before
            rest = time_left(time.monotonic() - self._began, here, here + total - done)
            lines = [f"{lines[0]}, {rest}", *lines[1:]]
        for line in lines:
            print_line(line)

    def nodes(self, counts: "Sequence[NodeCount]") -> None:
        """Show what each machine of a cluster has done: rows below the bar, or lines every now and then."""
        self._nodes.show(counts, self.bar)

    def note(self, text: str) -> None:
        """Show how far the current piece of work is, beside the bar; nothing without a terminal."""
        if self.bar is not None and time.monotonic() - self._noted > NOTE_SECONDS:
            self._noted = time.monotonic()
            self.bar.update(self.bar.task_ids[0], note=visible_line(text, self.bar.console.encoding))


@contextmanager
def heartbeat(say: Callable[[], str], wait: Callable[[float], bool] | None = None) -> Iterator[None]:
    """Prints what `say` returns every few seconds while the `with` block runs, whatever the block is busy with.

    `wait` sleeps for some seconds and says whether the block has ended; tests give their own.
    """
    ended = threading.Event()

    def beat() -> None:
        while not (wait or ended.wait)(HEARTBEAT_S):
            print_line(say())

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def progress(what: str, total: int) -> Iterator[Progress]:
    """A progress display that lasts as long as the `with` block."""
    if not sys.stdout.isatty():
        yield Progress()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rest = (TextColumn("left"), TimeRemainingColumn()) if total > 1 else ()
    with Bar(*columns, *rest, TextColumn("{task.fields[note]}", markup=False), transient=True) as bar:
        bar.add_task(what, total=total, note="")
        yield Progress(bar)

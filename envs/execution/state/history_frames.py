"""A run as a debugger tells it: one frame an event, with the source line written out and the locals as reprs.

This is the frame that Code World Models of the literature read and write. It says less than `frames.Frame` (no heap, no
caller's locals, no position in a loop), so what comes next depends on all frames so far and not on the last alone.
Knows nothing of how frames came about: `history_recorder.py` makes real ones, models imagine others.
"""

from dataclasses import dataclass

from envs.execution.state.frames import Bindings, Event, Outcome


@dataclass(frozen=True, slots=True)
class HistoryFrame:
    """One event of a run, real or imagined."""

    event: Event
    action: str
    """The source line about to run, as written, indentation included; where a function is entered, its `def`."""
    lines: tuple[int, ...]
    """The lines the action may stand on: one in a real frame. Several where the same text can follow at several places,
    none where the program holds no such line."""
    locals: Bindings = ()
    """Names and reprs in the order the function names them; `return` and `exception` frames show none."""
    arg: str | None = None
    """Repr of what is returned or raised."""
    depth: int = 1
    """Functions under way, this one included."""

    @property
    def line(self) -> int | None:
        """The line, where it is the only one."""
        return self.lines[0] if len(self.lines) == 1 else None


@dataclass(frozen=True, slots=True)
class History:
    """Frames from the call to the outcome."""

    frames: tuple[HistoryFrame, ...]
    outcome: Outcome
    output: str = ""
    """What the program printed."""

    def __len__(self) -> int:
        return len(self.frames)

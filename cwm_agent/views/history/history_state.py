"""The state of a history: the functions under way with their last known lines and values, folded from its frames."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from envs.execution.state.frames import Bindings, Event
from envs.execution.state.history_frames import HistoryFrame


@dataclass(frozen=True, slots=True)
class Level:
    """One function under way, as far as the history shows it."""

    action: str
    lines: tuple[int, ...]
    """Its present line: the last one in the history, or several if they cannot be told apart."""
    locals: Bindings
    said: bool = True
    """Whether a frame showed its values since control last entered it, so that `..` may stand for them."""
    entered: bool = False
    """Whether the history has only the call of it so far."""


@dataclass(frozen=True, slots=True)
class HistoryState:
    """The functions under way after some frames, outermost first."""

    levels: tuple[Level, ...] = ()
    event: Event | None = None
    """The event of the last frame."""

    @property
    def depth(self) -> int:
        return len(self.levels)

    @property
    def over(self) -> bool:
        """Whether the outermost function has returned."""
        return self.event == "return" and not self.levels

    def then(self, frame: HistoryFrame) -> "HistoryState":
        """Return the state of the history after one more frame."""
        kept = self.levels[: frame.depth - 1]
        if frame.event == "return":
            return HistoryState(_left(kept), "return")
        if frame.event in ("call", "line"):
            entered = frame.event == "call"
            return HistoryState(
                (*kept, Level(frame.action, frame.lines, frame.locals, True, entered=entered)), frame.event
            )
        here = self.levels[frame.depth - 1 : frame.depth]
        if len(self.levels) > frame.depth:  # control came back from a called function
            here = _left(here)
        return HistoryState((*kept, *here), "exception")


def _left(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """Return the levels that control comes back to: their values must be written out again."""
    return (*levels[:-1], replace(levels[-1], said=False)) if levels else ()


def standing_after(frames: Iterable[HistoryFrame]) -> HistoryState:
    """Return the state after a whole history."""
    standing = HistoryState()
    for frame in frames:
        standing = standing.then(frame)
    return standing

"""Where a history stands: the functions under way and what was last said of each; folded from frames, one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from envs.execution.state.frames import Bindings, Event
from envs.execution.state.history_frames import HistoryFrame


@dataclass(frozen=True, slots=True)
class Level:
    """One function under way, as far as the history tells."""

    action: str
    lines: tuple[int, ...]
    """Where it stands: the last line said, or several where they cannot be told apart."""
    locals: Bindings
    said: bool = True
    """Its values were said since control last came to it, so `..` may stand for them."""
    entered: bool = False
    """Nothing but the call itself was said of it."""


@dataclass(frozen=True, slots=True)
class HistoryState:
    """The functions under way after some frames, outermost first."""

    levels: tuple[Level, ...] = ()
    event: Event | None = None
    """The last frame's."""

    @property
    def depth(self) -> int:
        return len(self.levels)

    @property
    def over(self) -> bool:
        """The outermost function has returned."""
        return self.event == "return" and not self.levels

    def then(self, frame: HistoryFrame) -> "HistoryState":
        """Where the history stands after one more frame."""
        kept = self.levels[: frame.depth - 1]
        if frame.event == "return":
            return HistoryState(_left(kept), "return")
        if frame.event in ("call", "line"):
            entered = frame.event == "call"
            return HistoryState((*kept, Level(frame.action, frame.lines, frame.locals, True, entered)), frame.event)
        here = self.levels[frame.depth - 1 : frame.depth]
        if len(self.levels) > frame.depth:  # it came up from a function that was called
            here = _left(here)
        return HistoryState((*kept, *here), "exception")


def _left(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """Levels that control comes back to: their values must be said anew."""
    return (*levels[:-1], replace(levels[-1], said=False)) if levels else ()


def standing_after(frames: Iterable[HistoryFrame]) -> HistoryState:
    """Where a whole history stands."""
    standing = HistoryState()
    for frame in frames:
        standing = standing.then(frame)
    return standing

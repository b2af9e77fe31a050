"""A walk through imagined steps: where it stands, and how it goes on to a line, out of a function, or back.

Knows places and not what they are made of: every kind of world can be walked in.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.debugger.debugger_worlds import World
from cwm_agent.debugger.step_position import DebugError, StepPosition
from cwm_agent.imagination.rollout_loop import Mark
from envs.execution.state.frames import Outcome

LONGEST = 5_000
"""Steps that one command takes at most."""


@dataclass(slots=True)
class Walk:
    """The frames walked through, the last of them the present one."""

    world: World
    frames: list[Any] = field(default_factory=list)
    marks: list[Mark | str] = field(default_factory=list)
    """How each frame came about; `set` where the user changed it."""
    breakpoints: set[int] = field(default_factory=set)
    outcome: Outcome | None = None
    problem: str = ""
    tokens: int = 0

    def __post_init__(self) -> None:
        if not self.frames:
            self.frames, self.marks = [self.world.first()], ["given"]

    @property
    def over(self) -> bool:
        return self.outcome is not None or bool(self.problem)

    @property
    def place(self) -> StepPosition:
        return self.world.place(self.frames[-1])

    def step(self) -> None:
        """One step on; at the end nothing happens."""
        if self.over:
            return
        found = self.world.step(self.frames)
        self.tokens += found.tokens
        if found.frame is None:
            self.outcome, self.problem = found.outcome, found.problem or ("" if found.outcome else "nothing was said")
            return
        self.frames.append(found.frame)
        self.marks.append(found.mark)

    def next(self) -> None:
        """On to another line of the program, over calls."""
        here = self.place
        self._go(lambda place: place.depth < here.depth or (place.depth == here.depth and _other(here, place)))

    def out(self) -> None:
        """On until the present function has left."""
        depth = self.place.depth
        self._go(lambda place: place.depth < depth)

    def until(self, line: int) -> None:
        """On to a line of the program."""
        if not 0 < line <= max(self.world.program.origin, default=0):
            raise DebugError(f"The program has no line {line}. `list` shows its lines.")
        here = self.place
        self._go(lambda place: place.event == "line" and place.line == line and place != here)

    def on(self) -> None:
        """On to a breakpoint, or to the end."""
        self._go(lambda place: False)

    def back(self, steps: int = 1) -> None:
        """Undo some steps; they are imagined anew if one goes on."""
        kept = max(1, len(self.frames) - (steps - 1 if self.over else steps))
        self.outcome, self.problem = None, ""
        del self.frames[kept:], self.marks[kept:]

    def set(self, name: str, value: str) -> None:
        """Change a variable here; what follows is imagined from it."""
        self.frames[-1] = self.world.changed(self.frames[-1], name, value)
        self.marks[-1] = "set"
        self.outcome, self.problem = None, ""

    def _go(self, there: Callable[[StepPosition], bool]) -> None:
        """Step until a place is reached, a breakpoint stops it, or it is over."""
        before = self.place
        for _ in range(LONGEST):
            self.step()
            if self.over:
                return
            place = self.place
            if there(place) or (place.line in self.breakpoints and place.event == "line" and _other(before, place)):
                return
            before = place
        raise DebugError(f"Still going after {LONGEST} steps; the same command goes on.")


def _other(before: StepPosition, place: StepPosition) -> bool:
    """Whether a place is another line of the program than the one before, and not within it."""
    return (place.line, place.depth) != (before.line, before.depth) or place.event == "return"

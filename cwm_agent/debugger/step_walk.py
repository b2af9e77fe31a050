"""A walk: the imagined steps of one debugger session, with movement to a line, out of a function, and back.

Works with every `World`, since it reads `StepPosition`s and never the frames themselves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cwm_agent.debugger.debugger_worlds import World
from cwm_agent.debugger.step_position import DebugError, StepPosition
from cwm_agent.imagination.rollout_loop import Mark
from envs.execution.state.frames import Outcome

LONGEST = 5_000
"""Most steps of one command."""


@dataclass(slots=True)
class Walk:
    """All frames so far; the last one is the current step."""

    world: World
    frames: list[Any] = field(default_factory=list)
    marks: list[Mark | str] = field(default_factory=list)
    """The origin of each frame (`imagined`, `rule`, ...); `set` where the user changed it."""
    breakpoints: set[int] = field(default_factory=set)
    outcome: Outcome | None = None
    problem: str = ""
    tokens: int = 0

    def __post_init__(self) -> None:
        if not self.frames:
            self.frames, self.marks = [self.world.first()], ["given"]

    @property
    def over(self) -> bool:
        """Whether the run ended or imagination stopped."""
        return self.outcome is not None or bool(self.problem)

    @property
    def place(self) -> StepPosition:
        """The current step."""
        return self.world.place(self.frames[-1])

    def step(self) -> None:
        """Imagine one step; does nothing at the end."""
        if self.over:
            return
        result = self.world.step(self.frames)
        self.tokens += result.tokens
        if result.frame is None:
            self.outcome, self.problem = (
                result.outcome,
                result.problem or ("" if result.outcome else "the oracle gave no answer"),
            )
            return
        self.frames.append(result.frame)
        self.marks.append(result.mark)

    def next(self) -> None:
        """Imagine up to the next line of the program, through whole calls."""
        here = self.place
        self._go(lambda place: place.depth < here.depth or (place.depth == here.depth and _other(here, place)))

    def out(self) -> None:
        """Imagine until the current function returns."""
        depth = self.place.depth
        self._go(lambda place: place.depth < depth)

    def until(self, line: int) -> None:
        """Imagine up to a line of the program."""
        if not 0 < line <= max(self.world.program.origin, default=0):
            raise DebugError(f"The program has no line {line}. `list` shows its lines.")
        here = self.place
        self._go(lambda place: place.event == "line" and place.line == line and place != here)

    def resume(self) -> None:
        """Imagine up to a breakpoint or the end."""
        self._go(lambda place: False)

    def back(self, steps: int = 1) -> None:
        """Undo some steps."""
        kept = max(1, len(self.frames) - (steps - 1 if self.over else steps))
        self.outcome, self.problem = None, ""
        del self.frames[kept:], self.marks[kept:]

    def set(self, name: str, value: str) -> None:
        """Change a variable of the current step; the next steps use the new value."""
        self.frames[-1] = self.world.changed(self.frames[-1], name, value)
        self.marks[-1] = "set"
        self.outcome, self.problem = None, ""

    def _go(self, reached: Callable[[StepPosition], bool]) -> None:
        """Imagine until a step fulfils a condition or has a breakpoint, or until the end."""
        before = self.place
        for _ in range(LONGEST):
            self.step()
            if self.over:
                return
            place = self.place
            if reached(place) or (place.line in self.breakpoints and place.event == "line" and _other(before, place)):
                return
            before = place
        raise DebugError(f"Stopped after {LONGEST} steps. The same command continues.")


def _other(before: StepPosition, place: StepPosition) -> bool:
    """Whether a step has another line or depth than the step before, or returns."""
    return (place.line, place.depth) != (before.line, before.depth) or place.event == "return"

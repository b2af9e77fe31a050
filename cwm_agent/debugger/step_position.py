"""Data of one step, the same for the frames of every view. Knows no oracle."""

from dataclasses import dataclass

from cwm_agent.imagination.rollout_loop import Mark
from envs.execution.state.frames import Bindings, Outcome


class DebugError(ValueError):
    """A command that cannot be executed; the message says what to do instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPosition:
    """One frame in the form that the debugger displays."""

    event: str
    line: int
    """Line of the program as the user wrote it; 0 where the frame has no such line."""
    text: str
    """The next operation: one line of a decomposed program, or the line as written."""
    depth: int
    function: str
    locals: Bindings
    """Names and reprs, without the temporaries of a decomposed program."""
    hidden: Bindings = ()
    """The temporaries."""
    arg: str | None = None


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: a frame, the outcome, or the reason why imagination stopped."""

    frame: object | None = None
    mark: Mark = "imagined"
    outcome: Outcome | None = None
    problem: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between the imagined and the real run."""

    step: int
    kind: str
    detail: str

"""Where a step stands and what it shows, the same for every kind of frame; knows no oracle."""

from dataclasses import dataclass

from cwm_agent.imagination.rollout_loop import Mark
from envs.execution.state.frames import Bindings, Outcome


class DebugError(ValueError):
    """A command that cannot be carried out; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class StepPosition:
    """One frame as a debugger shows it."""

    event: str
    line: int
    """As the user wrote the program; 0 where the frame names no line of it."""
    text: str
    """The line about to run: one operation of a decomposed program, or the line as written."""
    depth: int
    function: str
    locals: Bindings
    """Names and reprs; what a decomposed program keeps in between is left out."""
    hidden: Bindings = ()
    """What was left out."""
    arg: str | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """What a step led to: a frame, the outcome, or the reason why nothing follows."""

    frame: object | None = None
    mark: Mark = "imagined"
    outcome: Outcome | None = None
    problem: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """Where imagined and real part."""

    step: int
    kind: str
    detail: str

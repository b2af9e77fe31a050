"""Execution written down: frames, traces and outcomes as frozen, hashable text; knows nothing of how they came about.

The next step follows from a frame alone. Values are text (grammar in `value_grammar.py`): immutable values
are written out, mutable ones are references `#n` into the heap, which holds each object's content once, so every
alias sees a change.

    call      a function was entered; its locals are its arguments
    line      `line` is about to run
    return    the function leaves with `arg`
    exception `arg` was raised while `line` ran, or arrived there from a callee
"""

from dataclasses import dataclass
from typing import Literal

Event = Literal["call", "line", "return", "exception"]
Ending = Literal["returned", "raised", "truncated"]
Bindings = tuple[tuple[str, str], ...]
"""Names and their values' text, sorted by name."""
HeapText = tuple[tuple[int, str], ...]
"""Labels and the content's text of the objects they stand for, sorted by label."""


@dataclass(frozen=True, slots=True)
class Activation:
    """One function under way: where it stands and what its names hold.

    A name `@7` is no variable: it says what waits at the `try` on line 7 (`raise ...`, `return ...`, `break` or
    `continue`) until a handler matches or the `finally` body is done. `@0` is what a line needs that waits for a call:
    the object that a constructor makes (`new #5`), or how many operands returned NotImplemented (`again 1`).
    """

    function: str
    line: int
    locals: Bindings = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of execution, real or imagined, with all that the next step depends on."""

    event: Event
    stack: tuple[Activation, ...]
    """Outermost first; all but the last wait at the line that called."""
    heap: HeapText = ()
    globals: Bindings = ()
    """Module variables that functions read, mutable default arguments as `function.name`, class attributes as
    `Class.name`."""
    arg: str | None = None
    """What was returned or raised."""

    def __post_init__(self) -> None:
        if not self.stack:
            raise ValueError("A frame needs at least one activation on its stack; the run is over otherwise.")

    @property
    def line(self) -> int:
        """The action: the line about to run (for `call`, the line of the `def`)."""
        return self.stack[-1].line

    @property
    def function(self) -> str:
        return self.stack[-1].function

    @property
    def locals(self) -> Bindings:
        return self.stack[-1].locals

    @property
    def depth(self) -> int:
        return len(self.stack)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: `value` is what came back or was raised, or which limit cut it off."""

    ending: Ending
    value: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Frames from the call to the outcome."""

    frames: tuple[Frame, ...]
    outcome: Outcome
    output: str = ""
    """What the program printed."""
    unsupported: str | None = None
    """Why some frame does not say everything (a suspended generator, a foreign object); None if all do."""

    def __len__(self) -> int:
        return len(self.frames)

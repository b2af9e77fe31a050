"""Frames and their like, made quickly: a frozen dataclass takes its time to be made, and a run makes many.

A blank has the slots of what it becomes. Once they are filled it is given the class and is frozen from then on; nothing
is checked. Knows nothing of runs.
"""

from envs.execution.state.frames import Activation, Bindings, Ending, Event, Frame, HeapText, Outcome, Trace


class BlankActivation:
    __slots__ = Activation.__slots__
    function: str
    line: int
    locals: Bindings


class BlankFrame:
    __slots__ = Frame.__slots__
    event: Event
    stack: tuple[Activation, ...]
    heap: HeapText
    globals: Bindings
    arg: str | None


class _BlankOutcome:
    __slots__ = Outcome.__slots__
    ending: Ending
    value: str


class _BlankTrace:
    __slots__ = Trace.__slots__
    frames: tuple[Frame, ...]
    outcome: Outcome
    output: str
    unsupported: str | None


def quick_activation(function: str, line: int, rows: Bindings) -> Activation:
    blank = BlankActivation()
    blank.function = function
    blank.line = line
    blank.locals = rows
    blank.__class__ = Activation  # type: ignore[assignment]
    return blank  # type: ignore[return-value]


def quick_frame(
    event: Event, stack: tuple[Activation, ...], heap: HeapText, shared: Bindings, arg: str | None
) -> Frame:
    blank = BlankFrame()
    blank.event = event
    blank.stack = stack
    blank.heap = heap
    blank.globals = shared
    blank.arg = arg
    blank.__class__ = Frame  # type: ignore[assignment]
    return blank  # type: ignore[return-value]


def quick_outcome(ending: Ending, value: str) -> Outcome:
    blank = _BlankOutcome()
    blank.ending = ending
    blank.value = value
    blank.__class__ = Outcome  # type: ignore[assignment]
    return blank  # type: ignore[return-value]


def quick_trace(frames: tuple[Frame, ...], outcome: Outcome, output: str, unsupported: str | None) -> Trace:
    blank = _BlankTrace()
    blank.frames = frames
    blank.outcome = outcome
    blank.output = output
    blank.unsupported = unsupported
    blank.__class__ = Trace  # type: ignore[assignment]
    return blank  # type: ignore[return-value]

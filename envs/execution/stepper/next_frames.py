"""From a frame being built to the next frame: where a jump leads, what is no longer needed, how a function is left."""

from collections.abc import Callable, Iterable, Mapping

from envs.execution.decompose.program import Program
from envs.execution.state.frames import Activation, Event, Frame, Outcome
from envs.execution.stepper.control_flow import ControlFlow, Jump
from envs.execution.stepper.exception_fields import uncaught_text
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables
from envs.execution.text.canonical_labels import CanonicalLabels
from envs.execution.text.value_writers import Waiting

Arriving = Callable[[FrameBuilder, str, int], str | Jump]
"""What an exception that leaves a function, whose last line is given, becomes in its caller: another exception, or a
jump where the waiting line takes it as an end."""
Ending = Callable[[Mapping[int, str], Iterable[str]], None]
"""Looks at the objects before a step drops some, and at what is left of them."""


class NextFrames:
    """Writes the frames of one program."""

    def __init__(self, program: Program, control: ControlFlow, variables: FrameVariables) -> None:
        self._program = program
        self._control = control
        self._variables = variables
        self.arriving: Arriving = lambda builder, error, line: error
        self.ending: Ending | None = None

    def arrive(self, function: str, builder: FrameBuilder, jump: Jump) -> Frame | Outcome:
        """Go where a jump leads: to a line, out of the function, or on with what waited."""
        for name in self._control.names_left(builder.line, jump.line):
            self._variables.unbind(builder, name)
        if jump.line is None:
            return self._leave(function, builder, jump.wait or Waiting("return", "None"))
        builder.waiting = {place: builder.waiting[place] for place in jump.kept if place in builder.waiting}
        if jump.wait is not None and jump.at is not None:
            builder.waiting[jump.at] = jump.wait
        builder.line = jump.line
        self._drop_temporaries(builder, self._program.live[jump.line - 1])
        return self.write(function, builder, "line")

    def _leave(self, function: str, builder: FrameBuilder, waited: Waiting) -> Frame | Outcome:
        builder.waiting = {}
        value = str(waited.value) if waited.value is not None else "None"
        if waited.kind == "return":
            self._drop_temporaries(builder, frozenset())
            return self.write(function, builder, "return", value)
        if not builder.stack:
            self.ended(builder.heap)
            return Outcome("raised", uncaught_text(value, builder.heap))
        caller, line = builder.stack[-1].function, builder.line
        builder.pop()
        builder.waiting.pop(0, None)
        becomes = self.arriving(builder, value, line)
        if isinstance(becomes, Jump):
            return self.arrive(caller, builder, becomes)
        return self.write(caller, builder, "exception", becomes)

    def ended(self, heap: Mapping[int, str]) -> None:
        """The run is over: nothing is left of the objects."""
        if self.ending is not None:
            self.ending(heap, ())

    def _drop_temporaries(self, builder: FrameBuilder, needed: frozenset[str]) -> None:
        for name in self._program.temporaries & builder.locals.keys() - needed:
            del builder.locals[name]

    def write(self, function: str, builder: FrameBuilder, event: Event, arg: str | None = None) -> Frame:
        before = builder.frame
        labels = CanonicalLabels(builder.heap, builder.before)
        same = before is not None and tuple(builder.globals.items()) == before.globals
        shared = (
            labels.rows(before.globals) if before is not None and same else labels.bindings(builder.globals.items())
        )
        for waiting in builder.stack:  # its text stays as it was, and its objects have labels already
            labels.rows(waiting.locals)
        stack = [*builder.stack, Activation(function, builder.line, labels.bindings(builder.rows().items()))]
        text = None if arg is None else labels.text(arg)
        heap = labels.heap()
        if self.ending is not None:
            self.ending(builder.heap, [content for _, content in heap])
        return Frame(event, tuple(stack), heap, shared, arg=text)

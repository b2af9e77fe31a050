"""The trace of a real run, by `sys.settrace`: the truth that everything imagined is held against.

It runs the program in this very process, so it is called inside the sandbox. A decomposed program's trace holds one
frame a line; functions that C code calls back (a sort key, a dunder method) run inside the line that caused them and
leave no frames. What a line cannot have changed (`watch_list.py`) is not written again.
"""

import io
import sys
import types

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import BadProgram
from envs.execution.tracer.binding_notes import note_of, noting_namespace
from envs.execution.tracer.callees import enterable, looked_up
from envs.execution.tracer.fast_frames import quick_trace
from envs.execution.tracer.frame_writer import Emit, Follow, FrameWriter, Stop, TraceLimits
from envs.execution.tracer.line_transitions import ProgramWatch
from envs.execution.tracer.live_activations import LiveActivation
from envs.execution.tracer.watch_list import watches_of

__all__ = ["TraceLimits", "Tracer", "evaluated", "trace"]

_USUAL = TraceLimits()


def trace(program: Program, arguments: str, limits: TraceLimits | None = None, emit: Emit | None = None) -> Trace:
    """Run `entry(arguments)` for real; with `emit`, frames are handed over one by one and not kept."""
    frames: list[Frame] = []
    watches = watches_of(program)
    namespace = noting_namespace(watches.noting) if watches.noting else program.namespace()
    call, keywords = evaluated(arguments, namespace)
    limits = limits or _USUAL
    tracer = Tracer(program, watches, namespace, limits, emit or frames.append)
    output = _Output()
    output.left = limits.output
    before, sys.stdout = sys.stdout, output
    try:
        outcome = tracer.run(call, keywords)
    finally:
        sys.stdout = before
        tracer.close()
    if output.full:
        outcome = Outcome("truncated", "output")
    return quick_trace(tuple(frames), outcome, output.getvalue(), tracer.unsupported)


def evaluated(arguments: str, namespace: dict[str, object]) -> tuple[tuple[object, ...], dict[str, object]]:
    """The arguments of a call, from the text between its parentheses."""
    try:
        return eval(f"(lambda *values, **names: (values, names))({arguments}\n)", dict(namespace))  # type: ignore[no-any-return]
    except Exception as error:
        raise BadProgram(f"the arguments ({arguments[:200]}) cannot be evaluated: {error!r}.") from None


class _Output(io.StringIO):
    left = 0
    """Characters that may still be printed."""
    full = False

    def write(self, text: str) -> int:
        self.left -= len(text)
        if self.left < 0:
            self.full = True
            raise Stop("output")
        return super().write(text)


class Tracer:
    """Follows one run: knows which functions are steps of their own; `FrameWriter` puts the pages down."""

    def __init__(
        self, program: Program, watches: ProgramWatch, namespace: dict[str, object], limits: TraceLimits, emit: Emit
    ) -> None:
        self.program = program
        self._namespace = namespace
        self._watches = watches
        self._note = note_of(namespace)
        self._writer = FrameWriter(program, namespace, limits, emit, self._watches)
        self._stack = self._writer.stack
        self._local = self._writer.follow

    @property
    def unsupported(self) -> str | None:
        """Why some frame does not say everything; None if all do."""
        return self._writer.unsupported

    def close(self) -> None:
        """Give back what the run took."""
        self._writer.close()

    def run(self, call: tuple[object, ...], keywords: dict[str, object]) -> Outcome:
        entry = self._namespace.get(self.program.entry)
        if not isinstance(entry, types.FunctionType):
            raise BadProgram(f"{self.program.entry!r} is no function of the program once its module has run.")
        sys.settrace(self._enter)
        try:
            result = entry(*call, **keywords)
        except Stop as stop:
            return Outcome("truncated", str(stop))
        except BaseException as error:
            sys.settrace(None)
            return self._writer.outcome("raised", error, None)
        finally:
            sys.settrace(None)
        return self._writer.outcome("returned", result, entry.__code__)

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Follow | None:
        code = frame.f_code
        if event != "call" or code.co_filename != FILENAME:
            return None
        function = self._called(frame)
        if function is None:
            self._writer.startle(frame, self._watches.of(code).effect)
            return None
        live = LiveActivation(frame, self._watches.of(code), self._note)
        if code.co_freevars:
            live.cells = dict(zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False))
        self._writer.enter(live)
        return self._local

    def _called(self, frame: types.FrameType) -> object | None:
        """The function entered, if it is a step of its own: called by a traced line, not by C on its behalf."""
        code = frame.f_code
        if not self._stack:
            return self._namespace[self.program.entry] if code.co_name == self.program.entry else None
        if self.program.level == "plain":
            return None if code.co_name.startswith("<") else frame
        caller = self._stack[-1]
        watch = caller.scene.watch
        if watch.callee is None or frame.f_back is not caller.frame:
            return None
        values = caller.held if watch.steady else caller.frame.f_locals
        function = looked_up(watch.callee, values, self._namespace)
        return function if enterable(function) and function.__code__ is code else None  # type: ignore[attr-defined]

"""The trace of a real run, by `sys.settrace`: the truth that everything imagined is held against.

It runs the program in this very process, so it is called inside the sandbox. A decomposed program's trace holds one
frame a line; functions that C code calls back (a sort key, a dunder method) run inside the line that caused them and
leave no frames. What a line cannot have changed (`watching.py`) is not written again.
"""

import io
import sys
import types
from collections.abc import Callable

from envs.execution.activations import Live
from envs.execution.callees import callee_of, enterable, looked_up
from envs.execution.frames import Frame, Outcome, Trace
from envs.execution.page_writer import Emit, Stop, TraceLimits, Writer
from envs.execution.program import FILENAME, Program
from envs.execution.values import BadProgram
from envs.execution.watching import watches_of

__all__ = ["TraceLimits", "Tracer", "evaluated", "trace"]

_USUAL = TraceLimits()


def trace(program: Program, arguments: str, limits: TraceLimits | None = None, emit: Emit | None = None) -> Trace:
    """Run `entry(arguments)` for real; with `emit`, frames are handed over one by one and not kept."""
    frames: list[Frame] = []
    namespace = program.namespace()
    call, keywords = evaluated(arguments, namespace)
    limits = limits or _USUAL
    tracer = Tracer(program, namespace, limits, emit or frames.append)
    output = _Output(limits.output)
    before, sys.stdout = sys.stdout, output
    try:
        outcome = tracer.run(call, keywords)
    finally:
        sys.stdout = before
    if output.full:
        outcome = Outcome("truncated", "output")
    return Trace(tuple(frames), outcome, output.getvalue(), tracer.unsupported)


def evaluated(arguments: str, namespace: dict[str, object]) -> tuple[tuple[object, ...], dict[str, object]]:
    """The arguments of a call, from the text between its parentheses."""
    try:
        return eval(f"(lambda *values, **names: (values, names))({arguments}\n)", dict(namespace))  # type: ignore[no-any-return]
    except Exception as error:
        raise BadProgram(f"the arguments ({arguments[:200]}) cannot be evaluated: {error!r}.") from None


class _Output(io.StringIO):
    def __init__(self, limit: int) -> None:
        super().__init__()
        self._left = limit
        self.full = False

    def write(self, text: str) -> int:
        self._left -= len(text)
        if self._left < 0:
            self.full = True
            raise Stop("output")
        return super().write(text)


class Tracer:
    """Follows one run: knows which function is under way and what each event means; `Writer` puts the pages down."""

    def __init__(self, program: Program, namespace: dict[str, object], limits: TraceLimits, emit: Emit) -> None:
        self.program = program
        self._namespace = namespace
        self._stepwise = program.level != "plain"
        self._watches = watches_of(program)
        self._stack: list[Live] = []
        self._writer = Writer(program, namespace, limits, emit, self._watches.binds_globals)
        self._local = self._follow
        self._left: types.CodeType | None = None
        """The function that was left last; where that is the entry itself, nothing ran after its last page."""

    @property
    def unsupported(self) -> str | None:
        """Why some frame does not say everything; None if all do."""
        return self._writer.unsupported

    def run(self, call: tuple[object, ...], keywords: dict[str, object]) -> Outcome:
        entry = self._namespace.get(self.program.entry)
        if not isinstance(entry, types.FunctionType):
            raise BadProgram(f"{self.program.entry!r} is no function of the program once its module has run.")
        sys.settrace(self._enter)  # type: ignore[arg-type]  # a trace function may return one of another shape
        try:
            result = entry(*call, **keywords)
        except Stop as stop:
            return Outcome("truncated", str(stop))
        except BaseException as error:
            sys.settrace(None)
            return self._writer.outcome("raised", error)
        finally:
            sys.settrace(None)
        return self._writer.outcome("returned", result, on_page=self._left is entry.__code__)

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object] | None:
        code = frame.f_code
        if event != "call" or code.co_filename != FILENAME:
            return None
        function = self._called(frame)
        if function is None:
            return None
        cells = {}
        if code.co_freevars:
            cells = dict(zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False))
        live = Live(frame, self._watches.functions[code], cells)
        self._writer.enter(live, self._stack[-1] if self._stack else None)
        self._stack.append(live)
        return self._local

    def _called(self, frame: types.FrameType) -> object | None:
        """The function entered, if it is a step of its own: called by a traced line, not by C on its behalf."""
        code = frame.f_code
        if not self._stack:
            return self._namespace[self.program.entry] if code.co_name == self.program.entry else None
        if not self._stepwise:
            return None if code.co_name.startswith("<") else frame
        caller = self._stack[-1]
        if frame.f_back is not caller.frame:
            return None
        place = self.program.layout.places.get(caller.line)
        callee = callee_of(place.node) if place else None
        function = None if callee is None else looked_up(callee, caller.frame.f_locals, self._namespace)
        return function if enterable(function) and function.__code__ is code else None  # type: ignore[attr-defined]

    def _follow(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object]:
        live = self._stack[-1]
        if live.frame is not frame:
            return self._local
        if event == "line":
            watch = live.lines.get(frame.f_lasti)
            if watch is not None:
                self._writer.line(live, watch)
        elif event == "exception":
            self._writer.exception(live, arg[1])  # type: ignore[index]
        elif event == "return":
            if frame.f_lasti in live.watched.returns:
                self._writer.returned(live, arg)
            self._stack.pop()
            self._left = frame.f_code
            self._writer.leave(live, self._stack[-1] if self._stack else None)
        return self._local

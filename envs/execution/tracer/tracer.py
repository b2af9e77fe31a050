"""The trace of a real run, by `sys.settrace`: the truth that imagined runs are compared with.

It runs the program in this very process, so it is called inside the sandbox. A decomposed program's trace holds one
frame a line; functions that C code calls back (a sort key, a dunder method) run inside the line that caused them and
leave no frames. Every frame is rendered as a whole: there is no second way by which one can come about.
"""

import ast
import contextlib
import io
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.sources.source_set import SourceSet
from envs.execution.sources.source_use import used_sources
from envs.execution.state.frames import Frame, Outcome, Trace
from envs.execution.state.value_grammar import BadProgram
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.syntax.classes.own_classes import own_classes
from envs.execution.syntax.classes.private_names import classes_around
from envs.execution.syntax.python_version import is_yield
from envs.execution.syntax.suspensions import iterator_moved
from envs.execution.text.generator_text import cells_of
from envs.execution.text.suspended_variables import SuspendedVariables
from envs.execution.text.value_writers import INDEXING, Waiting
from envs.execution.tracer.callees import GENERATOR, SUSPENDING, callee_of, enterable, looked_up
from envs.execution.tracer.frame_writer import Emit, FrameWriter, Stop, TraceLimits
from envs.execution.tracer.live_activation import LiveActivation
from envs.execution.tracer.live_scope import LiveScope
from envs.execution.tracer.spurious_events import is_real_return

__all__ = ["TraceLimits", "Tracer", "begun_sources", "evaluated", "trace"]

Follow = Callable[..., Any]
"""A trace function; what it returns is one as well."""


def trace(
    program: Program,
    arguments: str,
    limits: TraceLimits | None = None,
    emit: Emit | None = None,
    *,
    world: Mapping[str, Any] | None = None,
) -> Trace:
    """Run `entry(arguments)` for real; with `emit`, frames are handed over one by one and not kept.

    `world` is the record of a `tasks.scripted_world.ScriptedWorld`: what the program's sources give.
    """
    frames: list[Frame] = []
    with begun_sources(program, world) as sources:
        namespace = program.namespace(sources)
        call, keywords = evaluated(arguments, namespace)
        limits = limits or TraceLimits()
        tracer = Tracer(program, namespace, limits, emit or frames.append, sources=sources)
        output = _Output(limits.output)
        before, sys.stdout = sys.stdout, output
        try:
            outcome = tracer.run(call, keywords)
        finally:
            sys.stdout = before
    if output.full:
        outcome = Outcome("truncated", "output")
    return Trace(tuple(frames), outcome, output.getvalue(), tracer.unsupported)


@contextlib.contextmanager
def begun_sources(program: Program, world: Mapping[str, Any] | None) -> Iterator[SourceSet | None]:
    """The sources of a run, installed while it lasts; None for a program that reads none."""
    used = used_sources(program.source)
    if not used:
        yield None
        return
    sources = SourceSet.of_world(used, world or {})
    with sources.installed():
        yield sources


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
        """Characters that may still be printed."""
        self.full = False

    def write(self, text: str) -> int:
        self._left -= len(text)
        if self._left < 0:
            self.full = True
            raise Stop("output")
        return super().write(text)


class Tracer:
    """Follows one run: knows which functions are steps of their own; `FrameWriter` renders the frames."""

    def __init__(
        self,
        program: Program,
        namespace: dict[str, object],
        limits: TraceLimits,
        emit: Emit,
        *,
        sources: SourceSet | None = None,
    ) -> None:
        self.program = program
        self._namespace = namespace
        self._stepwise = program.level != "plain"
        self._silent = program.layout.silent() if self._stepwise else frozenset[int]()
        self._writer = FrameWriter(program, namespace, limits, emit, sources=sources)
        self._stack = self._writer.stack
        self._suspended = SuspendedVariables(program)
        self._calls = OwnCalls(own_classes(program.layout.tree))
        self._around = classes_around(program.source)

    @property
    def unsupported(self) -> str | None:
        """Why some frame does not say everything; None if all do."""
        return self._writer.unsupported

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
            return self._writer.outcome("raised", error)
        finally:
            sys.settrace(None)
        return self._writer.outcome("returned", result)

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Follow | None:
        code = frame.f_code
        if event != "call" or code.co_filename != FILENAME:
            return None
        function = self._called(frame)
        if function is None:
            return None
        shared = getattr(function, "__closure__", None) or ()
        cells = dict(zip(code.co_freevars, shared, strict=False))
        if isinstance(function, types.GeneratorType):
            cells = cells_of(function)
        cells.pop("__class__", None)
        live = LiveActivation(frame, self.program, cells)
        if frame.f_lineno != code.co_firstlineno and code.co_flags & GENERATOR:
            live.resume(frame.f_lineno)
        live.refresh()
        if self._stack:
            self._stack[-1].wait_for_call()
        self._stack.append(live)
        self._writer.write("call")
        return self._follow

    def _called(self, frame: types.FrameType) -> object | None:
        """The function entered, if it is a step of its own: called by a traced line, not by C on its behalf."""
        code = frame.f_code
        if not self._stack:
            return self._namespace[self.program.entry] if code.co_name == self.program.entry else None
        if not self._stepwise:
            return None if code.co_name.startswith("<") else frame
        caller = self._stack[-1]
        place = self.program.layout.places.get(caller.line)
        if place is None:
            return None
        if code.co_flags & GENERATOR and self._stepwise:
            return self._moved(frame, caller, place.node)
        if self._calls.classes and (function := self._object_call(frame, caller, place.node)) is not None:
            return function
        callee = callee_of(place.node)
        if callee is None or frame.f_back is not caller.frame:
            return None
        function = looked_up(callee, caller.frame.f_locals, self._namespace)
        return function if enterable(function) and function.__code__ is code else None  # type: ignore[attr-defined]

    def _moved(self, frame: types.FrameType, caller: LiveActivation, node: ast.AST) -> object | None:
        """The generator of this frame, if the line asks just that for its next item."""
        name = iterator_moved(node)
        value = None if name is None else looked_up(ast.Name(name), caller.frame.f_locals, self._namespace)
        own = isinstance(value, types.GeneratorType) and value.gi_frame is frame
        return value if own and self._suspended(frame.f_code, 0, {}) is not None else None

    def _object_call(self, frame: types.FrameType, caller: LiveActivation, node: ast.AST) -> object | None:
        """The function entered, if the line's objects lead to it; notes what the line must remember meanwhile."""
        code = frame.f_code
        around = self._around.get(caller.first_line)
        scope = LiveScope(caller.frame.f_locals, self._namespace, self._calls.classes, around)
        attempts = self._calls.attempts(node, scope)
        if caller.attempts >= len(attempts):
            return None
        attempt = attempts[caller.attempts]
        through = frame.f_back.f_back if code.co_name == "__post_init__" and frame.f_back else frame.f_back
        if attempt.key != (code.co_name, code.co_firstlineno) or caller.frame not in (frame.f_back, through):
            return None
        if code.co_flags & SUSPENDING:
            return None
        if attempt.ending == "made":
            caller.hold(Waiting("new", frame.f_locals[code.co_varnames[0]]))
        elif caller.attempts:
            caller.hold(Waiting("again", caller.attempts))
        caller.attempts += 1
        return code

    def _ends_loop(self, frame: types.FrameType, live: LiveActivation, error: object) -> bool:
        """Whether a StopIteration only tells a loop that its iterator has ended, such as a generator or a file."""
        if not self._stepwise or type(error) is not StopIteration:
            return False
        place = self.program.layout.places.get(live.line)
        if place is None or not isinstance(place.node, ast.For):
            return False
        name = iterator_moved(place.node)
        held = None if name is None else looked_up(ast.Name(name), frame.f_locals, self._namespace)
        own = type(held).__module__ == "program" or type(held) is INDEXING  # these raise it in a step of their own
        return held is not None and not own

    def _follow(self, frame: types.FrameType, event: str, arg: object) -> Follow:
        """Write the frame of an event in a function under way."""
        if not self._stack or self._stack[-1].frame is not frame:  # a generator that is closed is no step
            return self._follow
        live = self._stack[-1]
        if event == "line":
            if frame.f_lineno not in self._silent and frame.f_lasti not in live.spurious:
                live.reach_line(frame.f_lineno)
                self._writer.write("line")
        elif event == "exception":
            if self._ends_loop(frame, live, arg[1]):  # type: ignore[index]
                return self._follow
            live.raised = arg[1]  # type: ignore[index]
            live.refresh()
            self._writer.write("exception", live.raised)
        elif event == "return":
            if is_yield(frame.f_code, frame.f_lasti):
                self._writer.write("return", arg)
            elif is_real_return(frame.f_code, frame.f_lasti):
                live.leave()
                self._writer.write("return", arg)
            self._stack.pop()
        return self._follow

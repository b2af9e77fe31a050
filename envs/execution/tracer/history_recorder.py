"""Histories of real runs, of programs as they are written and of decomposed ones alike, by `sys.settrace`.

`Recorder` is called from outside the sandbox; `record` runs the program in its own process, so it is called inside the
sandbox. Every function of the program leaves frames, also one that C code calls; lambdas and comprehensions run inside
the line that holds them. A generator leaves by `return` at each `yield` and comes back by `call`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from envs.execution.decompose.program import FILENAME, Program
from envs.execution.sandbox.isolation.limits import SandboxLimits
from envs.execution.sandbox.isolation.message_fields import (
    MalformedMessage,
    choice,
    fields,
    items,
    optional_text,
    text,
    whole,
)
from envs.execution.state.frames import Bindings, Event, Outcome
from envs.execution.state.history_frames import History, HistoryFrame
from envs.execution.state.value_grammar import BadProgram
from envs.execution.syntax.python_version import misreported_lines
from envs.execution.text.json_records import outcome_from, outcome_record, program_from, program_record
from envs.execution.text.source_values import source_rows
from envs.execution.text.stable_repr import shown
from envs.execution.tracer.run_messages import forged_outcome, run_messages
from envs.execution.tracer.spurious_events import is_real_exit, spurious_lines
from envs.execution.tracer.tracer import TraceLimits, begun_sources, evaluated

if TYPE_CHECKING:
    import types

    from envs.execution.sandbox.sandbox import Sandbox

_RECORD = "envs.execution.tracer.history_recorder:record_in_sandbox"
_MIB = 1 << 20
_LIMITS = SandboxLimits(cpu_s=20.0, wall_s=120.0, output_bytes=512 * _MIB, memory_bytes=1024 * _MIB)
_MOST_NAMES = 100_000
_DEEPEST = 1_000_000
Emit = Callable[[HistoryFrame], None]


class Recorder:
    """Histories of real runs, made in a sandbox; counts what it ran."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.runs = 0

    def history(
        self,
        program: Program,
        arguments: str,
        limits: TraceLimits | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> History:
        """The history of one real call; a run that breaks the sandbox's limits is truncated.

        `world` is the record of a `tasks.scripted_world.ScriptedWorld`.
        """
        limits = limits or TraceLimits()
        self.runs += 1
        payload = [program_record(program), arguments, [limits.steps, limits.characters, limits.output], world]
        frames: list[HistoryFrame] = []
        with self._sandbox.stream(_RECORD, payload, limits=_LIMITS) as stream:
            try:
                for message in run_messages(stream, limits.steps):
                    if message.kind == "end":
                        outcome, output = fields(message.record, 2)
                        return History(tuple(frames), outcome_from(outcome), text(output))
                    frames.append(_frame_from(message.record, program.lines))
            except MalformedMessage as error:
                return History(tuple(frames), forged_outcome(error))
        return History(tuple(frames), Outcome("truncated", stream.end.status if stream.end else "lost"))


def _frame_from(record: object, lines: list[str]) -> HistoryFrame:
    """The frame of a record, which must be one of a program with these lines."""
    event, number, rows, arg, depth = fields(record, 5)
    line = whole(number, 1, len(lines))
    return HistoryFrame(
        event=choice(event, get_args(Event)),
        action=lines[line - 1],
        lines=(line,),
        locals=tuple(
            [(text(name), text(value)) for name, value in (fields(row, 2) for row in items(rows, most=_MOST_NAMES))]
        ),
        arg=optional_text(arg),
        depth=whole(depth, 1, _DEEPEST),
    )


def record_in_sandbox(payload: list[Any]) -> Iterator[tuple[str, Any]]:
    """Frames of a real run, then its outcome, as JSON; they leave when the run is over, its limits bound them."""
    program, (steps, characters, output) = program_from(payload[0]), payload[2]
    try:
        found = record(program, payload[1], TraceLimits(steps, characters, output), world=payload[3])
    except BadProgram as error:
        yield "bad", str(error)
        return
    for frame in found.frames:
        yield "frame", [frame.event, frame.lines[0], frame.locals, frame.arg, frame.depth]
    yield "end", [outcome_record(found.outcome), found.output]


def record(
    program: Program,
    arguments: str,
    limits: TraceLimits | None = None,
    emit: Emit | None = None,
    *,
    world: Mapping[str, Any] | None = None,
) -> History:
    """Run `entry(arguments)` for real; with `emit`, frames are handed over one by one and not kept.

    The first frame also shows where the sources of the `world` stand; later positions follow from the frames.
    """
    frames: list[HistoryFrame] = []
    with begun_sources(program, world) as sources:
        namespace = program.namespace(sources)
        call, keywords = evaluated(arguments, namespace)
        begun = source_rows(sources.rows()) if sources else ()
        run = _Run(program, limits or TraceLimits(), emit or frames.append, begun)
        printed = _Printed(run)
        with contextlib.redirect_stdout(printed):
            outcome = run.outcome(namespace.get(program.entry), call, keywords)
    return History(tuple(frames), outcome, printed.getvalue())


class _Stop(BaseException):
    """Ends a run from inside; the run notes why, since a bare `except` of the program can catch this."""


class _Printed(io.StringIO):
    """What the program prints, up to the limit."""

    def __init__(self, run: _Run) -> None:
        super().__init__()
        self._run = run

    def write(self, text: str) -> int:
        if self.tell() + len(text) > self._run.limits.output:
            self._run.stop("output")
        return super().write(text)


class _Run:
    """Follows one run and writes a frame at each event."""

    def __init__(self, program: Program, limits: TraceLimits, emit: Emit, begun: Bindings = ()) -> None:
        self.limits = limits
        self._program = program
        self._emit = emit
        self._begun = begun
        """Rows that the first frame shows beside its variables: the sources."""
        self._lines = program.lines
        self._stepwise = program.level != "plain"
        self._silent = program.layout.silent() if self._stepwise else frozenset[int]()
        self._spurious = spurious_lines if self._stepwise else misreported_lines
        self._stack: list[types.FrameType] = []
        self._steps = 0
        self._characters = 0
        self._stopped: str | None = None

    def outcome(self, entry: object, call: tuple[object, ...], keywords: dict[str, object]) -> Outcome:
        """What the call comes to."""
        if not callable(entry):
            raise BadProgram(f"{self._program.entry!r} is no function of the program once its module has run.")
        sys.settrace(self._enter)  # type: ignore[arg-type]  # a trace function may return one of another shape
        try:
            result = entry(*call, **keywords)
        except BaseException as error:
            sys.settrace(None)
            if self._stopped is None and isinstance(error, Exception | SystemExit | KeyboardInterrupt):
                return Outcome("raised", shown(error))
            if self._stopped is None:
                raise
        finally:
            sys.settrace(None)
        if self._stopped is not None:
            return Outcome("truncated", self._stopped)
        return Outcome("returned", shown(result))

    def stop(self, limit: str) -> None:
        self._stopped = limit
        raise _Stop(limit)

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object] | None:
        code = frame.f_code
        is_function = bool(code.co_flags & inspect.CO_NEWLOCALS) and not code.co_name.startswith("<")
        if event != "call" or code.co_filename != FILENAME or not is_function:
            return None
        self._stack.append(frame)
        self._step(frame, "call", frame.f_lineno)
        return self._follow

    def _follow(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object]:
        if frame not in self._stack[-1:]:
            return self._follow
        if event == "line":
            if frame.f_lasti not in self._spurious(frame.f_code) and frame.f_lineno not in self._silent:
                self._step(frame, "line", frame.f_lineno)
        elif event == "exception":
            self._step(frame, "exception", frame.f_lineno, shown(arg[1]))  # type: ignore[index]
        elif event == "return":
            if is_real_exit(frame.f_code, frame.f_lasti):
                self._step(frame, "return", frame.f_lineno, shown(arg))
            self._stack.pop()
        return self._follow

    def _step(self, frame: types.FrameType, event: Event, line: int, arg: str | None = None) -> None:
        self._steps += 1
        if self._steps > self.limits.steps:
            self.stop("steps")
        rows = self._rows(frame, line) if event in ("call", "line") else ()
        rows += self._begun if self._steps == 1 else ()
        self._characters += sum(len(text) for _, text in rows) + len(arg or "")
        if self._characters > self.limits.characters:
            self.stop("characters")
        self._emit(
            HistoryFrame(
                event=event, action=self._lines[line - 1], lines=(line,), locals=rows, arg=arg, depth=len(self._stack)
            )
        )

    def _rows(self, frame: types.FrameType, line: int) -> tuple[tuple[str, str], ...]:
        """The variables in the order the code names them; temporaries only while they are needed."""
        code, values = frame.f_code, frame.f_locals
        hidden = self._program.temporaries
        if hidden:
            hidden -= self._program.live[line - 1]
        order = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
        return tuple([(name, shown(values[name])) for name in order if name in values and name not in hidden])

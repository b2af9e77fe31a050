"""The trace of a real run, by `sys.settrace`: the truth that everything imagined is held against.

It runs the program in this very process, so it is called inside the sandbox. A decomposed program's trace holds one
frame a line; functions that C code calls back (a sort key, a dunder method) run inside the line that caused them and
leave no frames. What a line cannot have changed (`watching.py`) is not written again.
"""

import contextlib
import io
import sys
import types
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from envs.execution.activations import Live, waits
from envs.execution.callees import callee_of, enterable, looked_up
from envs.execution.frames import (
    Activation,
    Bindings,
    Ending,
    Event,
    Frame,
    HeapText,
    Outcome,
    Trace,
    quick_activation,
    quick_frame,
)
from envs.execution.module_variables import shared_names, shared_values
from envs.execution.program import FILENAME, Program
from envs.execution.rendering import ITERATORS_ONLY, Renderer
from envs.execution.values import BadProgram, expanded, is_supported
from envs.execution.watching import HARMLESS, Watch, watches_of
from envs.execution.writers import CONTENTS, SCALARS, VALUES, Waiting, scalar

Emit = Callable[[Frame], None]
_PLAIN = frozenset({*CONTENTS, *VALUES}) - {map, filter, types.CellType, defaultdict, types.ModuleType, Waiting}
"""Kinds of objects whose use runs no function."""


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """What one run may take before it is cut off as truncated."""

    steps: int = 10_000
    characters: int = 50_000_000
    """Of all frames together."""
    output: int = 100_000
    """Characters printed."""


class _Stop(BaseException):
    """Ends the run from inside the trace function. A bare `except` catches it all the same, and the rest runs untraced:
    so whoever raises it also notes why, and the run counts as truncated whatever it comes to."""


def trace(program: Program, arguments: str, limits: TraceLimits | None = None, emit: Emit | None = None) -> Trace:
    """Run `entry(arguments)` for real; with `emit`, frames are handed over one by one and not kept."""
    frames: list[Frame] = []
    namespace = program.namespace()
    call, keywords = evaluated(arguments, namespace)
    tracer = Tracer(program, namespace, limits or TraceLimits(), emit or frames.append)
    output = _Output(tracer.limits.output)
    with contextlib.redirect_stdout(output):
        outcome = tracer.run(call, keywords)
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
            raise _Stop("output")
        return super().write(text)


class Tracer:
    """Follows one run; holds the live stack and writes a page at each event."""

    def __init__(self, program: Program, namespace: dict[str, object], limits: TraceLimits, emit: Emit) -> None:
        self.program = program
        self.limits = limits
        self.unsupported: str | None = None
        self._namespace = namespace
        self._emit = emit
        self._stepwise = program.level != "plain"
        self._watches = watches_of(program)
        self._renderer = Renderer(namespace, FILENAME)
        self._stack: list[Live] = []
        self._below: tuple[Activation, ...] = ()
        self._names = shared_names(program, namespace)
        self._shared: dict[str, object] = {}
        self._shared_rows: Bindings = ()
        self._heap: HeapText = ()
        self._heap_size = 0
        self._moved = True
        """Whether the page starts from other objects than the last one: a function came or went, a value was passed."""
        self._wild = False
        """Whether any line may change any object: a function may run that the line does not name."""
        self._binds = bool(self._names) and self._watches.binds_globals
        self._steps = 0
        self._characters = 0
        self._last_step, self._last_character = limits.steps, limits.characters
        self._stopped: str | None = None
        self._local = self._follow

    def run(self, call: tuple[object, ...], keywords: dict[str, object]) -> Outcome:
        entry = self._namespace.get(self.program.entry)
        if not isinstance(entry, types.FunctionType):
            raise BadProgram(f"{self.program.entry!r} is no function of the program once its module has run.")
        sys.settrace(self._enter)  # type: ignore[arg-type]  # a trace function may return one of another shape
        try:
            result = entry(*call, **keywords)
        except _Stop as stop:
            return Outcome("truncated", str(stop))
        except BaseException as error:
            sys.settrace(None)
            return self._outcome("raised", error)
        finally:
            sys.settrace(None)
        return self._outcome("returned", result)

    def _stop(self, limit: str) -> None:
        self._stopped = limit
        raise _Stop(limit)

    def _outcome(self, ending: Ending, value: object) -> Outcome:
        if self._stopped is not None:
            return Outcome("truncated", self._stopped)
        _, texts, heap = self._renderer.page([], [value])
        return Outcome(ending, expanded(texts[0], dict(heap)))

    # -- events

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object] | None:
        code = frame.f_code
        if event != "call" or code.co_filename != FILENAME:
            return None
        function = self._called(frame)
        if function is None:
            return None
        cells = dict(zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False))
        changed = None
        if self._stack:
            changed = self._changed(self._stack[-1])
            self._below = (*self._below, self._stack[-1].activation)
        live = Live(frame, self._watches.functions[code], cells)
        self._stack.append(live)
        self._moved = True
        self._look(live, live.watch)
        self._step("call", live, False, changed)
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
                self._line(live, watch)
        elif event == "exception":
            live.raised = arg[1]  # type: ignore[index]
            changed = self._changed(live)
            self._look(live, live.watch)
            self._step("exception", live, False, changed, live.raised)
        elif event == "return":
            if frame.f_lasti in live.watched.returns:
                self._return(live, arg)
            self._stack.pop()
            self._below = self._below[:-1]
            self._moved = True
        return self._local

    def _line(self, live: Live, watch: Watch) -> None:
        if live.waiting or watch.waits or not watch.steady:
            self._hard_line(live, watch)
            return
        touches = live.watch.touches
        changed = () if touches == () and not self._wild else self._changed(live)
        live.raised = None
        live.line = watch.line
        same = live.look(watch)
        if changed != () or self._moved or self._binds or not same or live.arrived:
            self._step("line", live, same, changed)
            return
        self._steps += 1
        self._characters += self._heap_size + live.size
        if self._steps > self._last_step or self._characters > self._last_character:
            self._stop("steps" if self._steps > self._last_step else "characters")
        live.activation = activation = quick_activation(live.name, watch.line, live.rows)
        self._emit(quick_frame("line", (*self._below, activation), self._heap, self._shared_rows, None))

    def _hard_line(self, live: Live, watch: Watch) -> None:
        """A line of which everything is looked at: something waits, or the function is not steady."""
        changed = self._changed(live)
        live.waiting = waits(live, watch, self.program.layout)
        live.raised = None
        live.line = watch.line
        self._look(live, watch)
        self._step("line", live, False, changed)

    def _return(self, live: Live, arg: object) -> None:
        changed = self._changed(live)
        outside = live.watched.outside
        if live.waiting or not outside.steady:
            live.waiting = {}
            self._look(live, outside)
            self._step("return", live, False, changed, arg)
        else:
            self._step("return", live, live.look(outside), changed, arg)

    # -- what there is to write

    def _changed(self, ran: Live) -> tuple[int, ...] | None:
        """Ids of the objects that the line just run may have changed, besides iterators; None: any object."""
        names = ran.watch.touches
        if self._wild or names is None:
            return None
        found = []
        for name in names:
            if name in ran.held:
                value = ran.held[name]
            elif name in self._shared:
                value = self._shared[name]
            elif name in HARMLESS and name not in self._namespace:
                continue
            else:
                return None
            kind = type(value)
            if kind in SCALARS:
                continue
            if kind not in _PLAIN:
                return None
            found.append(id(value))
        return ITERATORS_ONLY if found and ran.watch.gentle else tuple(found)

    def _look(self, live: Live, watch: Watch) -> None:
        """Take up all variables to show: temporaries only while they are needed, cells as cells."""
        program = self.program
        values = live.frame.f_locals
        if program.temporaries:
            needed = program.live[watch.line - 1] if watch.line else frozenset[str]()
            hidden = program.temporaries
            scope = {name: value for name, value in values.items() if name not in hidden or name in needed}
        else:
            scope = dict(values)
        if live.frame.f_code.co_cellvars and self._stepwise:
            live.adopt_cells(values)
        if live.cells and self._stepwise:
            scope.update((name, cell) for name, cell in live.cells.items() if name not in program.temporaries)
        if live.waiting:
            scope.update((f"@{line}", waiting) for line, waiting in live.waiting.items())
        live.look_anew(scope, watch)

    def _step(self, event: Event, live: Live, same: bool, changed: tuple[int, ...] | None, *values: object) -> None:
        """Write the page; `same`: it starts from the objects of the last one as far as this function goes."""
        self._steps += 1
        if self._steps > self._last_step:
            self._stop("steps")
        if self._names and (changed is None or self._binds):
            same = self._look_outside() and same
        heap, arg, passed = None, None, False
        if values:
            passed = type(values[0]) not in SCALARS
            arg = None if passed else scalar(values[0])
        if same and changed is not None and not self._moved and not passed:
            heap = self._amended(live, changed)
        if heap is None:
            arg, heap = self._written_anew(live, changed, values)
        self._moved = passed
        live.activation = quick_activation(live.name, live.line, live.rows)
        self._measure(heap, live)
        self._emit(quick_frame(event, (*self._below, live.activation), heap, self._shared_rows, arg))

    def _amended(self, live: Live, changed: tuple[int, ...]) -> HeapText | None:
        """The heap where at most one object came and none went; None where that cannot be told."""
        if live.arrived is None:
            return self._renderer.amended(changed) if changed else self._heap
        joined = self._renderer.joined(live.held[live.arrived], changed)
        if joined is None:
            return None
        live.join(joined[0])
        return joined[1]

    def _look_outside(self) -> bool:
        """Take up the module variables; False where one of them was bound anew."""
        before, self._shared = self._shared, shared_values(self._names, self._namespace)
        pairs = zip(before.items(), self._shared.items(), strict=False)
        return len(before) == len(self._shared) and all(a == b and c is d for (a, c), (b, d) in pairs)

    def _written_anew(
        self, live: Live, changed: tuple[int, ...] | None, values: tuple[object, ...]
    ) -> tuple[str | None, HeapText]:
        renderer = self._renderer
        renderer.begin()
        if self._shared:
            self._shared_rows = renderer.bindings(self._shared)
        if self._below:
            for each in self._stack[:-1]:
                each.reach(renderer)
        live.write(renderer)
        arg = renderer.text(values[0]) if values else None
        return arg, renderer.heap(changed)

    def _measure(self, heap: HeapText, live: Live) -> None:
        if heap is not self._heap:
            self._heap, self._heap_size = heap, sum([len(text) for _, text in heap])
            self._check(heap)
        self._characters += self._heap_size + live.size
        if self._characters > self._last_character:
            self._stop("characters")
        self._check(live.rows)
        self._wild = self.unsupported is not None or self._renderer.runs_program

    def _check(self, rows: Bindings | HeapText) -> None:
        if self.unsupported is not None:
            return
        for _, text in rows:
            if "?" in text and not is_supported(text):
                self.unsupported = text[1:]
                return

"""The trace of a real run, by `sys.settrace`: the truth that everything imagined is held against.

It runs the program in this very process, so it is called inside the sandbox. A decomposed program's trace holds one
frame a
line; functions that C code calls back (a sort key, a dunder method) run inside the line that caused them and leave
no frames.
"""

import ast
import contextlib
import dis
import io
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from envs.execution.frames import Activation, Ending, Event, Frame, Outcome, Trace
from envs.execution.ghosts import is_ghost
from envs.execution.layout import Key
from envs.execution.program import FILENAME, Program
from envs.execution.rendering import Renderer, Waiting
from envs.execution.values import BadProgram, expanded, is_supported

_RETURNS = frozenset(code for name, code in dis.opmap.items() if name.startswith("RETURN_") and "GENERATOR" not in name)
_NO_DATA = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)
_MUTABLE = (list, dict, set, bytearray)
Emit = Callable[[Frame], None]


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


@dataclass(slots=True)
class _Live:
    """One function under way for real."""

    frame: types.FrameType
    key: Key
    cells: dict[str, types.CellType]
    line: int
    scope: dict[str, object] = field(default_factory=dict)
    waiting: dict[int, Waiting] = field(default_factory=dict)
    raised: BaseException | None = None
    """The exception that arrived since the last line."""


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
        self._layout = program.layout
        self._stepwise = program.level != "plain"
        self._silent = self._layout.silent() if self._stepwise else frozenset[int]()
        self._renderer = Renderer(namespace, FILENAME)
        self._stack: list[_Live] = []
        self._globals = shared_names(program, namespace)
        self._steps = 0
        self._characters = 0
        self._stopped: str | None = None

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

    def _enter(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object] | None:
        code = frame.f_code
        if event != "call" or code.co_filename != FILENAME:
            return None
        function = self._called(frame)
        if function is None:
            return None
        cells = dict(zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False))
        self._stack.append(_Live(frame, (code.co_name, code.co_firstlineno), cells, code.co_firstlineno))
        self._step("call", ())
        return self._follow

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
        place = self._layout.places.get(caller.line)
        callee = callee_of(place.node) if place else None
        function = None if callee is None else looked_up(callee, caller.frame.f_locals, self._namespace)
        return function if enterable(function) and function.__code__ is code else None  # type: ignore[attr-defined]

    def _follow(self, frame: types.FrameType, event: str, arg: object) -> Callable[..., object]:
        live = self._stack[-1]
        if live.frame is not frame:
            return self._follow
        if event == "line":
            if not (self._stepwise and is_ghost(frame.f_code, frame.f_lasti)):
                self._line(live, frame.f_lineno)
        elif event == "exception":
            error = arg[1]  # type: ignore[index]
            live.raised = error
            self._step("exception", (error,))
        elif event == "return":
            if frame.f_code.co_code[frame.f_lasti] in _RETURNS:
                live.waiting = {}
                self._step("return", (arg,))
            self._stack.pop()
        return self._follow

    def _line(self, live: _Live, line: int) -> None:
        if line in self._silent:
            return
        if self._stepwise:
            live.waiting = self._waits(live, line)
        live.line, live.raised = line, None
        self._step("line", ())

    def _waits(self, live: _Live, line: int) -> dict[int, Waiting]:
        """What waits at which `try` once control has come from the last line to this one."""
        places = self._layout.waiting_places(line)
        if not places:
            return {}
        kept = {place: live.waiting[place] for place in places if place in live.waiting}
        if places[0] in self._layout.waiting_places(live.line) and live.raised is None:
            return kept
        arrived = self._arrival(live)
        return kept | {places[0]: arrived} if arrived else kept

    def _arrival(self, live: _Live) -> Waiting | None:
        if live.raised is not None:
            return Waiting("raise", live.raised)
        for place in self._layout.waiting_places(live.line):
            if place in live.waiting:
                return live.waiting[place]
        match self._layout.places[live.line].node:
            case ast.Return(value=value):
                return Waiting("return", looked_up(value, live.scope, {}) if value else None)
            case ast.Break():
                return Waiting("break")
            case ast.Continue():
                return Waiting("continue")
        return None

    def _step(self, event: Event, values: tuple[object, ...]) -> None:
        self._steps += 1
        if self._steps > self.limits.steps:
            self._stop("steps")
        live = self._stack[-1]
        live.scope = self._scope(live, event)
        scopes = [self._globals_now(), *[each.scope for each in self._stack]]
        bindings, texts, heap = self._renderer.page(scopes, values)
        stack = tuple(
            [Activation(each.key[0], each.line, rows) for each, rows in zip(self._stack, bindings[1:], strict=True)]
        )
        frame = Frame(event, stack, heap, bindings[0], texts[0] if texts else None)
        self._measure(frame)
        self._emit(frame)

    def _scope(self, live: _Live, event: Event) -> dict[str, object]:
        """The variables to show: temporaries only while they are needed, cells as cells."""
        program = self.program
        values = live.frame.f_locals
        if program.temporaries:
            needed = program.live[live.line - 1] if event in ("line", "exception") else frozenset[str]()
            hidden = program.temporaries
            scope = {name: value for name, value in values.items() if name not in hidden or name in needed}
        else:
            scope = dict(values)
        if live.frame.f_code.co_cellvars and self._stepwise:
            self._adopt_cells(live, values)
        if live.cells and self._stepwise:
            scope.update((name, cell) for name, cell in live.cells.items() if name not in program.temporaries)
        if live.waiting:
            scope.update((f"@{line}", waiting) for line, waiting in live.waiting.items())
        return scope

    def _adopt_cells(self, live: _Live, values: Mapping[str, object]) -> None:
        """Variables shared with a nested function are cells from the moment that function is made."""
        code = live.frame.f_code
        for value in values.values():
            if isinstance(value, types.FunctionType) and value.__code__ in code.co_consts:
                for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                    if name in code.co_cellvars:
                        live.cells.setdefault(name, cell)

    def _globals_now(self) -> dict[str, object]:
        return shared_values(self._globals, self._namespace) if self._globals else {}

    def _measure(self, frame: Frame) -> None:
        texts = [text for _, text in frame.heap] + [text for _, text in frame.locals]
        self._characters += sum(map(len, texts))
        if self._characters > self.limits.characters:
            self._stop("characters")
        if self.unsupported is None:
            self.unsupported = next((text[1:] for text in texts if "?" in text and not is_supported(text)), None)


def shared_names(program: Program, namespace: Mapping[str, object]) -> tuple[str, ...]:
    """Module variables that functions refer to, and `function.parameter` for defaults that can change."""
    used = {name for code in program.codes().values() if code.co_name != "<module>" for name in code.co_names}
    data = {
        name
        for name in used & namespace.keys()
        if not isinstance(namespace[name], _NO_DATA) and not name.startswith("__")
    }
    written = {name for name in used if name not in namespace and _is_global(program, name)}
    defaults = {
        f"{name}.{parameter}"
        for name, function in namespace.items()
        if isinstance(function, types.FunctionType) and function.__code__.co_filename == FILENAME
        for parameter, value in _defaults(function)
        if isinstance(value, _MUTABLE)
    }
    return tuple(sorted(data | written | defaults))


def _is_global(program: Program, name: str) -> bool:
    layout = program.layout
    return any(name in layout.declared_global(key) for key in layout.functions)


def _defaults(function: types.FunctionType) -> list[tuple[str, object]]:
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return list(zip(names[len(names) - len(given) :], given, strict=True))


def shared_values(names: tuple[str, ...], namespace: Mapping[str, object]) -> dict[str, object]:
    """The present values of the shared names; a typing alias or a compiled pattern is no data and left out."""
    values: dict[str, object] = {}
    for name in names:
        owner, _, parameter = name.partition(".")
        thing = namespace.get(owner)
        if parameter and isinstance(thing, types.FunctionType):
            values[name] = dict(_defaults(thing))[parameter]
        elif owner in namespace and type(thing).__module__ in ("builtins", "collections", "program"):
            values[name] = thing
    return values


def set_shared(name: str, value: object, namespace: dict[str, object]) -> None:
    """Give a shared name its value back."""
    owner, _, parameter = name.partition(".")
    if not parameter:
        namespace[owner] = value
        return
    function = namespace[owner]
    assert isinstance(function, types.FunctionType)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = list(function.__defaults__ or ())
    given[names.index(parameter) - len(names)] = value
    function.__defaults__ = tuple(given)


def callee_of(node: ast.AST) -> ast.expr | None:
    """What a statement calls, if calling is all it does besides binding the result."""
    value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr) else None
    return value.func if isinstance(value, ast.Call) else None


def looked_up(expression: ast.expr, scope: Mapping[str, object], namespace: Mapping[str, object]) -> object | None:
    """The value of a name, constant or method as the line sees it, without running anything."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Name):
        value = scope.get(expression.id, namespace.get(expression.id))
        return value.cell_contents if isinstance(value, types.CellType) else value
    if isinstance(expression, ast.UnaryOp | ast.Tuple):
        return ast.literal_eval(expression)  # type: ignore[no-any-return]
    if isinstance(expression, ast.Attribute):
        owner = looked_up(expression.value, scope, namespace)
        return vars(type(owner)).get(expression.attr) if type(owner).__module__ == "program" else None
    return None


_SPECIAL_CODE = 0x20 | 0x80 | 0x200
"""Flags of generators, coroutines and asynchronous generators: calling them runs nothing yet."""


def enterable(function: object) -> bool:
    return isinstance(function, types.FunctionType) and not function.__code__.co_flags & _SPECIAL_CODE

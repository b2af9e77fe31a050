"""Functions under way for real, and which of their values stand on the page; knows no event, no heap, no limit.

A look at a function says whether the objects its page starts from are those of the last page. Where they are not,
`write` puts every variable down anew, in the order of names, since new objects are labelled in that order.
"""

import ast
import types
from collections.abc import Iterable, Mapping

from envs.execution.decompose.program import Program
from envs.execution.state.frames import Activation, Bindings
from envs.execution.syntax.line_map import LineMap
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.value_writers import SCALARS, Waiting, scalar
from envs.execution.tracer.binding_notes import Note
from envs.execution.tracer.callees import looked_up
from envs.execution.tracer.line_transitions import FunctionWatch, LineState, LineWatch, Transition

_UNBOUND = object()


class LiveActivation:
    """One function under way; changes with it."""

    __slots__ = (
        "activation", "arrived", "called", "cells", "doubtful", "frame", "gone", "held", "inner", "line", "lines",
        "mentions", "name", "note", "raised", "rows", "same", "scene", "size", "waiting", "watched", "written",
    )  # fmt: skip
    scene: LineState
    """The line that is running, and the names on the page."""
    rows: Bindings
    size: int
    """Characters of the rows' values."""
    activation: Activation
    """As the last page showed it."""
    mentions: list[int]
    """Labels that it mentions, repeats included, while it waits."""

    def __init__(self, frame: types.FrameType, watched: FunctionWatch, note: Note) -> None:
        code = frame.f_code
        self.frame = frame
        self.note = note
        self.name = code.co_name
        self.line = code.co_firstlineno
        self.inner = code.co_consts if code.co_cellvars else ()
        """Code of functions that may share its variables."""
        self.cells: dict[str, types.CellType] = {}
        self.waiting: dict[int, Waiting] = {}
        self.raised: BaseException | None = None
        """The exception that arrived since the last line."""
        self.watched = watched
        self.lines = watched.lines
        self.held: dict[str, object] = {}
        """The values on the page, by name."""
        self.written: dict[str, tuple[str, str]] = {}
        """The rows of the page, by name."""
        self.gone: list[str] = []
        """Texts of values that left since the last page and that refer to objects."""
        self.arrived: list[str] = []
        """Names under which something new came, while their rows are not written."""
        self.called = False
        """Whether the running line called a function that left steps of its own."""
        self.doubtful = False
        """Whether some row may not say everything."""
        self.same = True
        """Whether the rows are those of the last page, but for what arrived."""

    def look(self, way: Transition, page: ObjectRenderer, at_once: bool) -> bool:
        """Take up what the last line may have bound, on the way to the next; False where rows are left to write.

        New objects are left in `arrived`, and `join` writes their rows; with `at_once` they are written here.
        """
        held, written = self.held, self.written
        self.scene = scene = way.scene
        fresh = way.other_names
        name = way.one
        if name is not None:
            value = self.note[0]
            if name not in held or held[name] is not value:
                fresh = True
                self._take(name, value, page, at_once)
        elif way.takes:
            fresh = self._take_several(way, page, at_once) or fresh
        for name in way.drops:
            text = written.pop(name)[1]
            self.size -= len(text)
            if type(held.pop(name)) not in SCALARS and "#" in text:
                self.gone.append(text)
        if fresh:
            if len(held) != len(scene.names):  # a name was not bound after all, or is no longer
                names = tuple([name for name in scene.names if name in held])
                self.scene = scene = scene.watch.scene(names, scene.shared, scene.has_raised)
            if not self.arrived:
                self.rows = scene.order(written)
        if self.inner and (self.arrived or way.defines):
            self._adopt_new(way.defines)
        return not (self.arrived or self.doubtful)

    def _take(self, name: str, value: object, page: ObjectRenderer, at_once: bool) -> None:
        """Take up that a name is bound to another value."""
        held, kind = self.held, type(value)
        if name in held:
            text = self.written[name][1]
            self.size -= len(text)
            if "#" in text and type(held[name]) not in SCALARS:
                self.gone.append(text)
        held[name] = value
        if kind in SCALARS:
            text = scalar(value)
            if text[0] == "?":
                self.doubtful = True
        elif (label := page.labels.get(id(value))) is not None:
            text = f"#{label}"
        elif at_once and not (self.inner and kind is types.FunctionType):
            text = page.text(value)
            if "?" in text:
                self.doubtful = True
        else:
            self.arrived.append(name)
            return
        self.written[name] = (name, text)
        self.size += len(text)

    def _take_several(self, way: Transition, page: ObjectRenderer, at_once: bool) -> bool:
        """Take up what a line bound that binds several names, or leaves no note; False where nothing is new."""
        if way.notes:
            values: Mapping[str, object] = dict(zip(way.notes, self.note[0], strict=True))
        else:
            values = self.frame.f_locals
        fresh = False
        for name in way.takes:
            value = values.get(name, _UNBOUND)
            if value is not _UNBOUND:
                if name not in self.held or self.held[name] is not value:
                    fresh = True
                    self._take(name, value, page, at_once and not self.inner)
            elif name in self.held:
                fresh = True
                self._forget(name)
        return fresh

    def _adopt_new(self, defined: str | None) -> None:
        for name in [*self.arrived]:
            self._adopt(self.held[name])
        if defined and defined not in self.held:  # nobody needs it, but it was made
            self._adopt(self.frame.f_locals.get(defined))

    def _forget(self, name: str) -> None:
        text = self.written.pop(name)[1]
        self.size -= len(text)
        if type(self.held.pop(name)) not in SCALARS and "#" in text:
            self.gone.append(text)

    def join(self, renderer: ObjectRenderer, everything: bool) -> None:
        """Write the rows of what arrived, in the order of names; `everything`: also of what may read otherwise now."""
        held, written, arrived = self.held, self.written, self.arrived
        names: Iterable[str] = arrived
        if everything:
            names = [name for name in self.scene.names if name in arrived or _may_differ(held[name], written[name][1])]
        elif len(arrived) > 1:
            names = sorted(arrived)
        for name in names:
            text = renderer.text(held[name])
            if name not in arrived:
                before = written[name][1]
                if text == before:
                    continue
                self.size -= len(before)
                if "#" in before:
                    self.gone.append(before)
            written[name] = (name, text)
            self.size += len(text)
            if "?" in text:
                self.doubtful = True
        arrived.clear()
        self.rows = self.scene.order(written)

    def look_anew(self, program: Program, watch: LineWatch) -> None:
        """Take up all variables to show: temporaries only while they are needed, cells as cells, and what waits."""
        stepwise, hidden = program.level != "plain", program.temporaries
        values = self.frame.f_locals
        needed = program.live[watch.line - 1] if hidden and watch.line else frozenset[str]()
        scope = {name: value for name, value in values.items() if name not in hidden or name in needed}
        if self.frame.f_code.co_cellvars and stepwise:
            self._adopt_cells(values)
        if self.cells and stepwise:
            scope.update((name, cell) for name, cell in self.cells.items() if name not in hidden)
        if self.waiting:
            scope.update((f"@{line}", waiting) for line, waiting in self.waiting.items())
        self.held, self.written, self.same = scope, {}, False
        self.arrived.clear()
        shared = frozenset(self.cells if stepwise else ()) - hidden
        self.scene = LineState(watch, tuple(sorted(scope)), shared)

    def begin(self) -> None:
        """Take up the arguments of a function that was just entered, which with its cells are all that is bound."""
        watched = self.watched
        self.held = held = dict(self.frame.f_locals)
        if self.cells:
            held.update(self.cells)
        self.scene = watched.outside.scene(watched.arguments, watched.shared)
        self.arrived = list(watched.arguments)
        self.rows, self.size = (), 0
        if self.inner:
            for value in [*held.values()]:
                self._adopt(value)

    def wait(self, waiting: dict[int, Waiting]) -> None:
        """Put what waits on the page."""
        self.waiting = waiting
        if not waiting:
            return
        for line, each in waiting.items():
            self.held[f"@{line}"] = each
            self.arrived.append(f"@{line}")
        scene = self.scene
        self.scene = scene.watch.scene(tuple(sorted(self.held)), scene.shared, scene.has_raised)

    def write(self, renderer: ObjectRenderer) -> None:
        """All rows of the page."""
        held, known = self.held, self.written
        written: dict[str, tuple[str, str]] = {}
        for name in self.scene.names:
            value = held[name]
            row = known.get(name) if type(value) in SCALARS else None
            written[name] = row or (name, renderer.text(value))
        self.put(written)

    def put(self, written: dict[str, tuple[str, str]]) -> None:
        """Make these the rows of the page."""
        size = 0
        for _, text in written.values():
            size += len(text)
            if "?" in text:
                self.doubtful = True
        self.written, self.size = written, size
        self.rows = tuple(written.values())
        self.arrived.clear()
        self.gone.clear()

    def reach(self, renderer: ObjectRenderer) -> None:
        """The objects that the rows refer to, where the rows stand already."""
        for name in self.scene.names:
            value = self.held[name]
            if type(value) not in SCALARS:
                renderer.text(value)

    def _adopt_cells(self, values: Mapping[str, object]) -> None:
        """Variables shared with a nested function are cells from the moment that function is made."""
        code = self.frame.f_code
        for value in values.values():
            if isinstance(value, types.FunctionType) and value.__code__ in code.co_consts:
                for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
                    if name in code.co_cellvars:
                        self.cells.setdefault(name, cell)

    def _adopt(self, function: object) -> None:
        """Show variables that a nested function shares as cells from now on."""
        if type(function) is not types.FunctionType or function.__code__ not in self.inner:
            return
        mine, cells, held = self.frame.f_code.co_cellvars, self.cells, self.held
        new = []
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name in mine and name not in cells:
                if name not in self.arrived:
                    if name in held:
                        self._forget(name)
                    self.arrived.append(name)
                held[name] = cells[name] = cell
                new.append(name)
        if new:
            self.scene = self.scene.sharing(tuple(new))


def _may_differ(value: object, text: str) -> bool:
    """Whether a value is written out where it stands and holds other objects."""
    return type(value) not in SCALARS and not (text[0] == "#" and text[1:].isdigit())


def waits(live: LiveActivation, watch: LineWatch, layout: LineMap) -> dict[int, Waiting]:
    """What waits at which `try` once control has come from the last line to this one."""
    places = watch.waits
    kept = {place: live.waiting[place] for place in places if place in live.waiting}
    if not places or (places[0] in live.scene.watch.waits and live.raised is None):
        return kept
    arrived = _arrival(live, layout, places)
    return kept | {places[0]: arrived} if arrived else kept


def _arrival(live: LiveActivation, layout: LineMap, places: tuple[int, ...]) -> Waiting | None:
    """What begins to wait at the first of these places: an exception, a jump, or what waited at a place now left."""
    if live.raised is not None:
        return Waiting("raise", live.raised)
    left = [place for place in live.scene.watch.waits if place in live.waiting and place not in places]
    match layout.places[live.line].node:
        case ast.Return(value=value):
            return Waiting("return", looked_up(value, live.held, {}) if value else None)
        case ast.Break() | ast.Continue() as jump:
            around = layout.enclosing(live.line)
            loop = next(node for node, part in around if isinstance(node, ast.For | ast.While) and part == "body")
            if loop.lineno < places[0]:  # else the loop is inside the `try`, which control then left by its end
                return Waiting("break" if isinstance(jump, ast.Break) else "continue")
            left = [place for place in left if place < loop.lineno]  # what waited inside the loop is given up
    return live.waiting[left[0]] if left else None

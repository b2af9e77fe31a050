"""Functions under way for real, and which of their values stand on the page; knows no event, no heap, no limit.

A look at a function says whether the objects its page starts from are those of the last page. Where they are not,
`write` puts every variable down anew, in the order of names, since new objects are labelled in that order.
"""

import ast
import types
from collections.abc import Mapping

from envs.execution.callees import looked_up
from envs.execution.frames import Activation, Bindings
from envs.execution.layout import Layout
from envs.execution.program import Program
from envs.execution.rendering import Renderer
from envs.execution.scenes import Scene, Watch, Watched, Way
from envs.execution.writers import SCALARS, Waiting, scalar

_UNBOUND = object()


class Live:
    """One function under way; changes with it."""

    __slots__ = (
        "activation", "arrived", "called", "cells", "doubtful", "frame", "gone", "held", "line", "lines", "name",
        "raised", "rows", "same", "scene", "settled", "size", "waiting", "watched", "written",
    )  # fmt: skip
    scene: Scene
    """The line that is running, and the names on the page."""
    rows: Bindings
    size: int
    """Characters of the rows' values."""
    activation: Activation
    """As the last page showed it."""

    def __init__(self, frame: types.FrameType, watched: Watched) -> None:
        code = frame.f_code
        self.frame = frame
        self.name = code.co_name
        self.line = code.co_firstlineno
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
        self.arrived: str | None = None
        """The name that a new object came under, while its row is not written."""
        self.called = False
        """Whether the running line called a function that left steps of its own."""
        self.doubtful = False
        """Whether some row may not say everything."""
        self.same = True
        """Whether the page starts from the objects of the last one and at most one more."""
        self.settled = True
        """Whether no object came or went and no row is doubtful."""

    def look(self, way: Way, labels: Mapping[int, int]) -> bool:
        """Take up what the last line may have bound, on the way to the next; False where an object came or went.

        `labels` are those of the last page's objects, by `id`. One further object is left in `arrived`, and its row is
        asked for by `join`; of more, `same` tells.
        """
        held, written = self.held, self.written
        self.scene = way.scene
        fresh = way.other_names
        if way.takes:
            values = self.frame.f_locals
            for name in way.takes:
                value = values.get(name, _UNBOUND)
                if name in held:
                    old = held[name]
                    if value is old:
                        continue
                    text = written[name][1]
                    self.size -= len(text)
                    if "#" in text and type(old) not in SCALARS:
                        self.gone.append(text)
                        self.settled = False
                fresh = True
                if type(value) in SCALARS:
                    held[name] = value
                    text = scalar(value)
                    written[name] = (name, text)
                    self.size += len(text)
                    if text[0] == "?":
                        self.doubtful, self.settled = True, False
                else:
                    self._take(name, value, labels)
        for name in way.drops:
            self._forget(name)
        if fresh:
            if len(held) != len(self.scene.names):  # a name was not bound after all, or is no longer
                self.scene = way.scene.watch.scene(tuple([name for name in way.scene.names if name in held]))
            if self.arrived is None:
                self.rows = self.scene.order(written)
        return self.settled

    def _take(self, name: str, value: object, labels: Mapping[int, int]) -> None:
        """Take up an object, or that the name is bound to none."""
        if value is _UNBOUND:
            self.held.pop(name, None)
            self.written.pop(name, None)
            return
        self.held[name] = value
        label = labels.get(id(value))
        if label is None:
            self.same = self.arrived is None
            self.arrived, self.settled = name, False
        else:
            self.written[name] = (name, f"#{label}")
            self.size += len(f"#{label}")

    def _forget(self, name: str) -> None:
        text = self.written.pop(name)[1]
        self.size -= len(text)
        if type(self.held.pop(name)) not in SCALARS and "#" in text:
            self.gone.append(text)
            self.settled = False

    def join(self, text: str) -> None:
        """Put down the row of the object that arrived."""
        name = self.arrived
        assert name is not None
        self.written[name] = (name, text)
        self.size += len(text)
        self.arrived = None
        if "?" in text:
            self.doubtful = True
        self.rows = self.scene.order(self.written)

    def look_anew(self, program: Program, watch: Watch) -> None:
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
        self.scene = Scene(watch, tuple(sorted(scope)))

    def begin(self) -> None:
        """Take up the arguments of a function that was just entered, which are all that is bound."""
        self.held = dict(self.frame.f_locals)
        self.scene = self.watched.outside.scene(self.watched.arguments)

    def write(self, renderer: Renderer) -> None:
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
        self.arrived = None
        self.gone.clear()

    def reach(self, renderer: Renderer) -> None:
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


def waits(live: Live, watch: Watch, layout: Layout) -> dict[int, Waiting]:
    """What waits at which `try` once control has come from the last line to this one."""
    places = watch.waits
    kept = {place: live.waiting[place] for place in places if place in live.waiting}
    if not places or (places[0] in live.scene.watch.waits and live.raised is None):
        return kept
    arrived = _arrival(live, layout, places)
    return kept | {places[0]: arrived} if arrived else kept


def _arrival(live: Live, layout: Layout, places: tuple[int, ...]) -> Waiting | None:
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

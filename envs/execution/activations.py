"""Functions under way for real, and which of their values stand on the page; knows no event, no heap, no limit.

A look at a function says whether the objects its page starts from are those of the last page. Where they are not,
`write` puts every variable down anew, in the order of names, since new objects are labelled in that order.
"""

import ast
import types
from collections.abc import Mapping

from envs.execution.callees import looked_up
from envs.execution.frames import Bindings, quick_activation
from envs.execution.layout import Layout
from envs.execution.rendering import Renderer
from envs.execution.watching import Watch, Watched
from envs.execution.writers import SCALARS, Waiting, scalar

_UNBOUND = object()


class Live:
    """One function under way; changes with it."""

    __slots__ = (
        "_fresh",
        "_written",
        "activation",
        "arrived",
        "called",
        "cells",
        "frame",
        "gone",
        "held",
        "line",
        "lines",
        "name",
        "raised",
        "rows",
        "shown",
        "size",
        "waiting",
        "watch",
        "watched",
    )  # fmt: skip

    def __init__(self, frame: types.FrameType, watched: Watched, cells: dict[str, types.CellType]) -> None:
        code = frame.f_code
        self.frame = frame
        self.name = code.co_name
        self.line = code.co_firstlineno
        self.cells = cells
        self.waiting: dict[int, Waiting] = {}
        self.raised: BaseException | None = None
        """The exception that arrived since the last line."""
        self.watched = watched
        self.watch = watched.outside
        """The line that is running."""
        self.lines = watched.lines
        self.held: dict[str, object] = {}
        """The values on the page, by name."""
        self.shown: tuple[str, ...] = ()
        self.rows: Bindings = ()
        self.size = 0
        """Characters of the rows' values."""
        self.activation = quick_activation(code.co_name, code.co_firstlineno, ())
        """As the last page showed it."""
        self._written: dict[str, tuple[str, str]] = {}
        self.arrived: str | None = None
        """The name that a new object came under, while its row is not written."""
        self.gone: list[str] = []
        """Texts of values that left since the last page and that refer to objects."""
        self.called = False
        """Whether the running line called a function that left steps of its own."""
        self._fresh = False
        """Whether some row changed since the rows were put together."""

    def look(self, watch: Watch) -> bool:
        """Take up what the last line may have bound, on the way to the next; False: the page must be written anew.

        One new object is no reason: it is left in `arrived`, and its row is asked for by `join`.
        """
        was, self.watch = self.watch, watch
        same = not was.writes or self._take(was.writes)
        dropped = was.known_drops.get(watch)
        for name in was.dropped(watch) if dropped is None else dropped:
            if name in self.held:
                self._forget(name)
        if self._fresh or watch.shown is not self.shown:
            self.shown = watch.shown
            if self.arrived is None:
                self._put_together()
        return same

    def _put_together(self) -> None:
        self.rows = tuple(filter(None, map(self._written.get, self.shown)))
        self._fresh = False

    def _take(self, names: tuple[str, ...]) -> bool:
        """Look at these names; False where more than one object came."""
        values, held, same = self.frame.f_locals, self.held, True
        for name in names:
            value, old = values.get(name, _UNBOUND), held.get(name, _UNBOUND)
            if value is old:
                continue
            self._fresh = True
            if old is not _UNBOUND:
                self._forget(name)
            if value is _UNBOUND:
                continue
            held[name] = value
            if type(value) in SCALARS:
                text = scalar(value)
                self._written[name] = (name, text)
                self.size += len(text)
            else:
                same = same and self.arrived is None
                self.arrived = name
        return same

    def join(self, text: str) -> None:
        """Put down the row of the object that arrived."""
        assert self.arrived is not None
        self._written[self.arrived] = (self.arrived, text)
        self.size += len(text)
        self.arrived = None
        self._put_together()

    def _forget(self, name: str) -> None:
        if self.arrived == name:  # it went before it was written
            self.arrived = None
        row = self._written.pop(name, None)
        if row is not None:
            self.size -= len(row[1])
            self._fresh = True
        if type(self.held.pop(name)) not in SCALARS and row is not None and "#" in row[1]:
            self.gone.append(row[1])

    def look_anew(self, values: Mapping[str, object], watch: Watch) -> None:
        """Take up all values, whatever was there before."""
        self.held, self.shown, self.watch = dict(values), tuple(sorted(values)), watch
        self._written = {}

    def begin(self) -> None:
        """Take up the arguments of a function that was just entered."""
        values, self.shown = self.frame.f_locals, self.watch.shown
        self.held = {name: values[name] for name in self.shown if name in values}

    def write(self, renderer: Renderer) -> None:
        """All rows of the page."""
        held, known = self.held, self._written
        written: dict[str, tuple[str, str]] = {}
        for name in self.shown:
            if name in held:
                row = known.get(name) if type(held[name]) in SCALARS else None
                written[name] = row or (name, renderer.text(held[name]))
        self.put(written)

    def put(self, written: dict[str, tuple[str, str]]) -> None:
        """Make these the rows of the page."""
        self._written = written
        self.rows = tuple(written.values())
        self.size = sum([len(text) for _, text in self.rows])
        self._fresh, self.arrived = False, None
        self.gone.clear()

    def reach(self, renderer: Renderer) -> None:
        """The objects that the rows refer to, where the rows stand already."""
        held = self.held
        for name in self.shown:
            if name in held and type(held[name]) not in SCALARS:
                renderer.text(held[name])

    def adopt_cells(self, values: Mapping[str, object]) -> None:
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
    if not places or (places[0] in live.watch.waits and live.raised is None):
        return kept
    arrived = _arrival(live, layout, places)
    return kept | {places[0]: arrived} if arrived else kept


def _arrival(live: Live, layout: Layout, places: tuple[int, ...]) -> Waiting | None:
    """What begins to wait at the first of these places: an exception, a jump, or what waited at a place now left."""
    if live.raised is not None:
        return Waiting("raise", live.raised)
    left = [place for place in live.watch.waits if place in live.waiting and place not in places]
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

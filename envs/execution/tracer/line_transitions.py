"""Lines as the tracer sees them, and what becomes of the names on the page on the way from one to the next.

All of it follows from syntax (`watch_list.py` finds it) and from which names are bound, so it is found once and kept: a
trace function has no time to think. Knows no value and no event.
"""

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter

from envs.execution.tracer.hidden_effects import HiddenEffect

NONE_SHARED: frozenset[str] = frozenset()
Row = tuple[str, str]
Order = Callable[[dict[str, Row]], tuple[Row, ...]]


@dataclass(slots=True, eq=False)  # not frozen: that takes four times as long to make, and there is one for each line
class LineWatch:
    """One line, as the tracer sees it; nobody changes it."""

    line: int
    steady: bool = False
    shown: tuple[str, ...] = ()
    """Names on the page when the line is about to run, sorted."""
    writes: tuple[str, ...] = ()
    """Names that running it may bind or unbind."""
    notes: tuple[str, ...] = ()
    """Names that it leaves a note of, unless it raises; where it writes and leaves none, the frame must be asked."""
    body: range | None = None
    """Lines before one of which it binds its name: those of the loop's body or the handler's."""
    handlers: frozenset[tuple[int, str]] = frozenset()
    """Handlers in whose bodies it stands, by line, with their names: leaving one unbinds its name."""
    touches: tuple[str, ...] | None = None
    """Variables of the function whose objects it may change; None: it may change anything."""
    reaches: tuple[str, ...] = ()
    """Names from outside the function whose objects it may change; harmless builtins are left out."""
    moves: str | None = None
    """The variable that holds the iterator of a loop."""
    gets: str | None = None
    """The variable of which it reads an item or all items."""
    sets: str | None = None
    """The variable of which it sets an item, or whose method it calls; if that is a list, it changes nothing else."""
    asks: str | None = None
    """The variable whose method it calls."""
    calls: str | None = None
    """The name that it calls."""
    callee: ast.expr | None = None
    """What it calls, if that and binding the result is all it does."""
    defines: str | None = None
    """The name of the function that it makes."""
    gentle: bool = False
    """Whether it changes at most iterators, as long as it uses no object that runs functions."""
    waits: tuple[int, ...] = ()
    """Lines of the `try` statements at which something may wait while the line is about to run, innermost first."""
    easy: bool = field(init=False)
    """Whether nothing can be shown while it is about to run but what the lines before it bound and changed."""
    still: bool = field(init=False)
    """Whether running it changes no object, whatever its names hold."""
    known: "dict[tuple[tuple[str, ...], frozenset[str], bool], LineState]" = field(default_factory=dict)
    """Answers of `scene`, found once."""

    def __post_init__(self) -> None:
        self.easy = self.steady and not self.waits
        self.still = self.touches == () == self.reaches

    def scene(
        self, names: tuple[str, ...], shared: frozenset[str] = NONE_SHARED, has_raised: bool = False
    ) -> "LineState":
        """The line about to run while these names are bound, some of them shared with nested functions."""
        found = self.known.get((names, shared, has_raised))
        if found is None:
            found = self.known[names, shared, has_raised] = LineState(self, names, shared, has_raised)
        return found


class LineState:
    """A line about to run and the names on its page."""

    __slots__ = ("has_raised", "names", "order", "rebinds", "shared", "still", "watch", "ways", "ways_out", "wider")

    def __init__(
        self, watch: LineWatch, names: tuple[str, ...], shared: frozenset[str] = NONE_SHARED, has_raised: bool = False
    ) -> None:
        self.watch = watch
        self.names = names
        self.shared = shared
        """Names that the page shows as cells: binding one of them changes its cell, an object like others."""
        self.has_raised = has_raised
        """Whether the line did run and raised, so that it leaves no note."""
        writes = {*watch.writes, *(name for _, name in watch.handlers)} if shared else ()
        self.rebinds = tuple([name for name in writes if name in shared])
        """Names whose cells the line may change."""
        self.still = watch.still and not self.rebinds
        """Whether running it changes no object, whatever its names hold."""
        self.order: Order = itemgetter(*names) if len(names) > 1 else _few(names)
        """Puts the rows of these names together."""
        self.ways: dict[int, Transition] = {}
        """Ways to next lines, by the instruction (`frame.f_lasti`) at which such a line begins; answers found once."""
        self.ways_out: dict[tuple[int, bool], Transition] = {}
        """Ways to other pages, by line."""
        self.wider: dict[tuple[str, ...], LineState] = {}
        """Answers of `sharing`."""

    def way_to(self, watch: LineWatch, raising: bool = False) -> "Transition":
        """What becomes of the names on the page when control goes from here to there, or stays here to raise."""
        was, shown, names, shared = self.watch, watch.shown, self.names, self.shared
        unbound = {name for _, name in was.handlers - watch.handlers} - shared
        writes = self._written(watch, raising)
        takes = tuple([name for name in writes if name in shown and name not in shared and name not in unbound])
        drops: tuple[str, ...] = ()
        if shown is not was.shown or was.waits or unbound:
            drops = tuple([name for name in names if name not in shown or name in unbound])
        new = [name for name in takes if name not in names]
        if drops or new:
            names = tuple([name for name in shown if (name in names and name not in drops) or name in new])
        return Transition(takes, drops, watch.scene(names, shared, raising), bool(drops or new), watch.line, self)

    def sharing(self, names: tuple[str, ...]) -> "LineState":
        """The same with these names shown as cells too."""
        found = self.wider.get(names)
        if found is None:
            shown = tuple(sorted({*self.names, *names}))
            found = self.watch.scene(shown, self.shared.union(names), self.has_raised)
            self.wider[names] = found
        return found

    def _written(self, watch: LineWatch, raising: bool) -> tuple[str, ...]:
        was = self.watch
        if not was.notes:
            return was.writes
        if raising or self.has_raised or (was.body is not None and watch.line not in was.body):
            return ()
        return was.writes

    def way_out(self, watch: LineWatch, raising: bool = False) -> "Transition":
        """The way to a page that no line begins at a glance: a return, an exception, a line where something waits."""
        key = (watch.line, raising)
        way = self.ways_out.get(key)
        if way is None:
            way = self.ways_out[key] = self.way_to(watch, raising)
        return way


class Transition:
    """Control going from one line to another."""

    __slots__ = ("defines", "drops", "line", "notes", "one", "other_names", "scene", "still", "takes")

    def __init__(
        self,
        takes: tuple[str, ...],
        drops: tuple[str, ...],
        scene: LineState,
        other_names: bool,
        line: int,
        begin: LineState,
    ) -> None:
        self.takes = takes
        """Names to look at: the line may have bound them, and they are shown."""
        self.drops = drops
        """Names that leave the page."""
        self.scene = scene
        """Where it leads, if all names to look at are bound."""
        self.other_names = other_names
        """Whether other names are on the page then."""
        self.line = line
        """The line it leads to."""
        self.still = begin.still
        """Whether the line it comes from changes no object, whatever its names hold."""
        self.defines = begin.watch.defines
        """The name of the function that the line it comes from makes."""
        self.notes = begin.watch.notes
        """Names that the line it comes from left a note of."""
        self.one = self.notes[0] if takes and len(self.notes) == 1 else None
        """The only name to look at, if there is a note of it alone."""


def _few(names: tuple[str, ...]) -> Order:
    return lambda rows: tuple([rows[name] for name in names])  # `itemgetter` gives no tuple for one name


@dataclass(frozen=True, slots=True)
class FunctionWatch:
    """One function: what its code tells the tracer."""

    arguments: tuple[str, ...]
    """Names that are bound when it is called, sorted; those it shares with the function around it are always shown."""
    shared: frozenset[str]
    """Names that it shares with the function around it."""
    outside: LineWatch
    """For its call and its return: temporaries are not shown."""
    lines: dict[int, LineWatch]
    """By instruction (`frame.f_lasti` of a line event); silent lines and ghosts are left out."""
    returns: frozenset[int]
    """Instructions at which a `return` event is a return; elsewhere an exception leaves."""
    effect: HiddenEffect
    """What running it may change, where it leaves no pages."""


@dataclass(frozen=True, slots=True)
class ProgramWatch:
    """All functions of a program."""

    make: Callable[[types.CodeType], FunctionWatch]
    """What a function's code tells; asked once of each function that runs."""
    declared: frozenset[str]
    """Names that some function declares `global`."""
    has_classes: bool
    """Whether the program defines classes."""
    noting: types.CodeType | None
    """The module compiled so that its functions leave notes; None: it must be run as it is."""
    functions: dict[int, tuple[types.CodeType, FunctionWatch]] = field(default_factory=dict)
    """Functions that have run, by `id` of their code, since hashing code takes long; the code is held for its `id`."""

    def of(self, code: types.CodeType) -> FunctionWatch:
        found = self.functions.get(id(code))
        if found is None:
            found = self.functions[id(code)] = (code, self.make(code))
        return found[1]

"""Lines as the tracer sees them, and what becomes of the names on the page on the way from one to the next.

All of it follows from syntax (`watching.py` finds it) and from which names are bound, so it is found once and kept: a
trace function has no time to think. Knows no value and no event.
"""

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter

Row = tuple[str, str]
Order = Callable[[dict[str, Row]], tuple[Row, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """One line, as the tracer sees it."""

    line: int
    steady: bool = False
    shown: tuple[str, ...] = ()
    """Names on the page when the line is about to run, sorted."""
    writes: tuple[str, ...] = ()
    """Names that running it may bind or unbind."""
    touches: tuple[str, ...] | None = None
    """Variables of the function whose objects it may change; None: it may change anything."""
    reaches: tuple[str, ...] = ()
    """Names from outside the function whose objects it may change; harmless builtins are left out."""
    moves: str | None = None
    """The variable that holds the iterator of a loop."""
    gentle: bool = False
    """Whether it changes at most iterators, as long as it uses no object that runs functions."""
    waits: tuple[int, ...] = ()
    """Lines of the `try` statements at which something may wait while the line is about to run, innermost first."""
    easy: bool = field(init=False)
    """Whether nothing can be shown while it is about to run but what the lines before it bound and changed."""
    still: bool = field(init=False)
    """Whether running it changes no object, whatever its names hold."""
    known: "dict[tuple[str, ...], Scene]" = field(default_factory=dict)
    """Answers of `scene`, found once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "easy", self.steady and not self.waits)
        object.__setattr__(self, "still", self.touches == () == self.reaches)

    def scene(self, names: tuple[str, ...]) -> "Scene":
        """The line about to run while these names are bound."""
        found = self.known.get(names)
        if found is None:
            found = self.known[names] = Scene(self, names)
        return found


class Scene:
    """A line about to run and the names on its page."""

    __slots__ = ("names", "order", "watch", "ways")

    def __init__(self, watch: Watch, names: tuple[str, ...]) -> None:
        self.watch = watch
        self.names = names
        self.order: Order = itemgetter(*names) if len(names) > 1 else _few(names)
        """Puts the rows of these names together."""
        self.ways: dict[int, Way] = {}
        """Ways to next lines, by the instruction (`frame.f_lasti`) at which such a line begins; answers found once."""

    def way_to(self, watch: Watch) -> "Way":
        """What becomes of the names on the page when control goes from here to there."""
        was, shown, names = self.watch, watch.shown, self.names
        takes = tuple([name for name in was.writes if name in shown])
        drops = tuple([name for name in names if name not in shown]) if shown is not was.shown else ()
        new = [name for name in takes if name not in names]
        if drops or new:
            names = tuple([name for name in shown if name in names or name in new])
        return Way(takes, drops, watch.scene(names), bool(drops or new), watch.line, was.still, was.gentle)

    def way_out(self, watch: Watch) -> "Way":
        """The way to a page that belongs to no next line: a return, or an exception."""
        key = -1 - watch.line
        way = self.ways.get(key)
        if way is None:
            way = self.ways[key] = self.way_to(watch)
        return way


class Way:
    """Control going from one line to another."""

    __slots__ = ("drops", "gentle", "line", "other_names", "scene", "still", "takes")

    def __init__(
        self,
        takes: tuple[str, ...],
        drops: tuple[str, ...],
        scene: Scene,
        other_names: bool,
        line: int,
        still: bool,
        gentle: bool,
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
        self.still = still
        self.gentle = gentle
        """Of the line it comes from, as in `Watch`."""


def _few(names: tuple[str, ...]) -> Order:
    return lambda rows: tuple([rows[name] for name in names])  # `itemgetter` gives no tuple for one name


@dataclass(frozen=True, slots=True)
class Watched:
    """One function: what its code tells the tracer."""

    arguments: tuple[str, ...]
    """Names that are bound when it is called, sorted."""
    outside: Watch
    """For its call and its return: temporaries are not shown."""
    lines: dict[int, Watch]
    """By instruction (`frame.f_lasti` of a line event); silent lines and ghosts are left out."""
    returns: frozenset[int]
    """Instructions at which a `return` event is a return; elsewhere an exception leaves."""


@dataclass(frozen=True, slots=True)
class Watches:
    """All functions of a program."""

    functions: dict[types.CodeType, Watched]
    by_identity: dict[int, Watched]
    """The same by `id` of the code, since hashing code takes long."""
    declared: frozenset[str]
    """Names that some function declares `global`."""

    def of(self, code: types.CodeType) -> Watched:
        return self.by_identity.get(id(code)) or self.functions[code]

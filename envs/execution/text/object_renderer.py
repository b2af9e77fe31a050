"""Live objects to text: settles labels and which objects stand on a page.

How a kind is written is in `value_writers.py`.

Labels are part of the page, so they must follow from it: an object keeps its label while it can be reached, and a
new object takes the smallest label that neither this page nor the one before uses. Any two worlds that do the same
steps write the same labels. Knows no program, only its namespace.
"""

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from envs.execution.state.frames import Bindings, HeapText
from envs.execution.state.value_grammar import expanded, is_supported, label_of
from envs.execution.text.definition_text import builtin_text, class_name, function_text
from envs.execution.text.value_writers import CONTENTS, ITERATORS, SCALARS, VALUES, scalar

_RUNNING_PROGRAMS = frozenset({map, filter})
"""Iterators that call a function when they move, so that what moves them may change anything."""


_NOTHING: dict[int, tuple[int, str]] = {}


class ObjectRenderer:
    """Writes one page after another of the same run; remembers nothing but the last page.

    A page is written as a whole (`page`), or root by root between `begin` and `heap`. Where little is new,
    `heap_update.py` makes the next page's heap out of the last one's for less.
    """

    def __init__(self, namespace: Mapping[str, object], filename: str, floor: int = 0) -> None:
        """Labels up to `floor` are not given to new objects."""
        self._floor = floor
        self._namespace = namespace
        self._filename = filename
        self.labels: dict[int, int] = {}
        """Of the last page's objects, by `id`."""
        self._now = self.labels
        self._taken: set[int] | None = None
        self._lowest = floor + 1
        """No label below it is free on the last page."""
        self._given: list[int] = []
        """Labels of objects that are new since the last page."""
        self.reached: list[tuple[int, object]] = []
        """Objects that are new among the roots written so far."""
        self.alive: dict[int, object] = {}
        """Holds the last page's objects by label, so that an id means the same thing next time."""
        self.rows: dict[int, tuple[int, str]] = {}
        """The last page's heap by label, in the order of labels."""
        self.whole: HeapText = ()
        """The last page's heap."""
        self.moving: list[tuple[int, object]] = []
        """The last page's iterators."""
        self.ordinary: dict[type, bool] = {}
        """Of classes of the program, whether using an object of one runs nothing but functions of the program."""
        self.lost: list[str] = []
        """References that contents of the page no longer hold; whether others do is not looked into yet."""
        self.size = 0
        """Characters of the last page's heap."""
        self.unsupported: str | None = None
        """The first reason why an object could not be written down."""
        self.runs_program = False
        """Whether some object of the last page runs functions when an iterator moves."""
        self.doubtful = False
        """Whether the last page holds such an object, or one that could not be written down."""

    def adopt(self, labels: Iterable[tuple[int, object]]) -> None:
        """Take over the labels of a page that was rebuilt."""
        self.alive = dict(labels)
        self.labels = self._now = {id(thing): label for label, thing in self.alive.items()}

    def page(
        self, scopes: Sequence[Mapping[str, object]], values: Sequence[object] = ()
    ) -> tuple[list[Bindings], list[str], HeapText]:
        """The bindings of each scope, the text of each further value, and the heap they reach."""
        self.begin()
        bindings = [self.bindings(scope) for scope in scopes]
        texts = [self.text(value) for value in values]
        return bindings, texts, self.heap()

    def begin(self) -> None:
        """Start a page; its roots are then written in order."""
        self._now, self.lost, self._given = {}, [], []
        self._lowest = self._floor + 1
        self._taken = set(self.labels.values())

    def give_up(self) -> None:
        """Back to the last page, as if nothing further had been written."""
        for _, thing in self.reached:
            del self.labels[id(thing)]
        self.reached, self._taken, self._given = [], None, []

    def bindings(self, scope: Mapping[str, object]) -> Bindings:
        text = self.text
        return tuple([(name, text(scope[name])) for name in sorted(scope)])

    def text(self, value: object) -> str:
        """One value's text; mutable objects become references and are remembered for the heap."""
        kind = type(value)
        if kind in SCALARS:
            return scalar(value)
        if kind in CONTENTS:
            return self.reference(value)
        writer = VALUES.get(kind)
        if writer is not None:
            return writer(self, value)
        return _SPECIAL.get(kind, ObjectRenderer._rare)(self, value)

    def reference(self, thing: object) -> str:
        identity = id(thing)
        label = self._now.get(identity)
        if label is None:
            label = self.labels.get(identity) or self._free_label()
            self._now[identity] = label
            self.reached.append((label, thing))
        return f"#{label}"

    def items(self, values: Iterable[object]) -> str:
        return ", ".join(map(self.text, values))

    def written_out(self, text: str) -> str:
        """A value of the last page with all it refers to."""
        row = self.rows.get(label_of(text) or 0)
        return row[1] if row and "#" not in row[1] else expanded(text, dict(self.whole))

    def _free_label(self) -> int:
        if self._taken is not None:  # the page is written anew
            label = self._floor + 1
            while label in self._taken:
                label += 1
            self._taken.add(label)
            return label
        label, rows, given = self._lowest, self.rows, self._given
        while label in rows or label in given:
            label += 1
        given.append(label)
        return label

    def take_out(self, label: int) -> None:
        """Take an object from the page that nothing leads to any more; `whole` is left to the caller."""
        self.size -= len(self.rows.pop(label)[1])
        thing = self.alive.pop(label)
        del self.labels[id(thing)]
        if label < self._lowest:
            self._lowest = label
        if type(thing) in ITERATORS:
            self.moving.remove((label, thing))
            self.runs_program = any(type(thing) in _RUNNING_PROGRAMS for _, thing in self.moving)

    def heap(self, changed: Collection[object] | None = None) -> HeapText:
        """Contents of all that was reached, which ends the page; writing one may reach more.

        `changed` are the objects that may differ from the last page besides iterators; None: any may.
        """
        known = {} if changed is None else self._unchanged({id(thing) for thing in changed})
        self.alive, self.moving, self.rows = {}, [], {}
        self.whole, self.size, self.runs_program = (), 0, False
        self.put(known)
        self.labels = self._now
        return self.whole

    def _unchanged(self, different: set[int]) -> dict[int, tuple[int, str]]:
        """Rows of the last page that need not be written again; what refers to others is, since it may reach more."""
        return {
            label: row
            for label, row in self.rows.items()
            if "#" not in row[1] and id(thing := self.alive[label]) not in different and type(thing) not in ITERATORS
        }

    def put(self, known: Mapping[int, tuple[int, str]] = _NOTHING) -> None:
        """Add the contents of all that was reached to the page; those that are known are not written again."""
        rows, alive = self.rows, self.alive
        last = next(reversed(rows)) if rows else 0
        in_order = True
        for label, thing in self.reached:  # grows while it is walked
            kind = type(thing)
            if label in known:
                row = known[label]
            else:
                writer = CONTENTS.get(kind)
                text = writer(self, thing) if writer else self._instance(thing)
                if "?" in text:
                    self.doubt(text)
                row = (label, text)
            rows[label] = row
            alive[label] = thing
            self.size += len(row[1])
            if label < last:
                in_order = False
            last = label
            if kind in ITERATORS:
                self.moving.append((label, thing))
                if kind in _RUNNING_PROGRAMS:
                    self.runs_program = self.doubtful = True
        if not in_order:
            self.rows = rows = dict(sorted(rows.items()))
        self.whole = tuple(rows.values())
        self.reached, self._taken, self._given = [], None, []

    def knows_its_classes(self) -> bool:
        """Whether every object of the last page would be written as the object that it was."""
        names = self._namespace
        kinds = [type(thing) for thing in self.alive.values() if type(thing) not in CONTENTS]
        return all(names.get(kind.__name__) is kind for kind in kinds)

    def doubt(self, text: str) -> None:
        """Note why this content does not say everything, if so."""
        if self.unsupported is None and not is_supported(text):
            self.unsupported, self.doubtful = text[1:], True

    def content(self, kind: type, thing: object) -> str:
        writer = CONTENTS.get(kind)
        return writer(self, thing) if writer else self._instance(thing)

    def _rare(self, value: object) -> str:
        """Values told apart by more than their exact type: exceptions and objects of the program's own classes."""
        kind = type(value)
        if isinstance(value, BaseException) and (name := class_name(kind, self._namespace)):
            return f"{name}({self.items(value.args)})"
        if self._namespace.get(kind.__name__) is kind and hasattr(value, "__dict__") and kind.__base__ is object:
            return self.reference(value)
        if isinstance(value, type):
            return class_name(value, self._namespace) or "?a class made in a function"
        return f"?{kind.__name__}"

    def _instance(self, thing: object) -> str:
        fields = ", ".join(f"{name}={self.text(value)}" for name, value in vars(thing).items())
        return f"{type(thing).__name__}({fields})"

    def _function(self, value: types.FunctionType) -> str:
        return function_text(self, value, self._namespace, self._filename)

    def _builtin(self, value: types.BuiltinFunctionType) -> str:
        return builtin_text(self, value)

    def _method(self, value: types.MethodType) -> str:
        return f"{self.text(value.__self__)}.{value.__name__}"


_SPECIAL: dict[type, Callable[[ObjectRenderer, Any], str]] = {
    types.FunctionType: ObjectRenderer._function,
    types.BuiltinFunctionType: ObjectRenderer._builtin,
    types.MethodType: ObjectRenderer._method,
}
"""Values whose text depends on the program."""

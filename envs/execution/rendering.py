"""Live objects to text: settles labels and which objects stand on a page; how a kind is written is in `writers.py`.

Labels are part of the page, so they must follow from it: an object keeps its label while it can be reached, and a
new object takes the smallest label that neither this page nor the one before uses. Any two worlds that do the same
steps write the same labels. Knows no program, only its namespace.
"""

import builtins
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from envs.execution.frames import Bindings, HeapText
from envs.execution.values import references
from envs.execution.writers import CONTENTS, ITERATORS, SCALARS, VALUES, scalar

_RUNNING_PROGRAMS = frozenset({map, filter})
"""Iterators that call a function when they move, so that what moves them may change anything."""
ITERATORS_ONLY = (0,)
"""No object's id: nothing changed but iterators."""


class Renderer:
    """Writes one page after another of the same run; remembers nothing but the last page.

    A page is written as a whole (`page`), or root by root between `begin` and `heap`. Where the roots are those of the
    last page, or one more, and it is known what may have changed, `amended` and `joined` give the new heap for less.
    """

    def __init__(self, namespace: Mapping[str, object], filename: str, floor: int = 0) -> None:
        """Labels up to `floor` are not given to new objects."""
        self._floor = floor
        self._namespace = namespace
        self._filename = filename
        self._before: dict[int, int] = {}
        self._now: dict[int, int] = {}
        self._taken: set[int] = set()
        self._reached: list[tuple[int, object]] = []
        self._alive: list[tuple[int, object]] = []  # holds the objects, so that an id means the same thing next time
        self._rows: dict[int, tuple[int, str]] = {}
        self._whole: HeapText = ()
        self._kinds: set[type] = set()
        self._special: dict[type, Callable[[Any], str]] = {
            types.FunctionType: self._function,
            types.BuiltinFunctionType: self._builtin,
            types.MethodType: self._method,
            type: self._rare,
        }
        self.runs_program = False
        """Whether some object of the last page runs functions when an iterator moves."""

    def adopt(self, labels: Iterable[tuple[int, object]]) -> None:
        """Take over the labels of a page that was rebuilt."""
        self._alive = list(labels)
        self._before = {id(thing): label for label, thing in self._alive}

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
        self._now, self._reached = {}, []
        self._taken = set(self._before.values())

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
        special = self._special.get(kind)
        return special(value) if special is not None else self._rare(value)

    def reference(self, thing: object) -> str:
        identity = id(thing)
        label = self._now.get(identity)
        if label is None:
            label = self._before.get(identity) or self._free_label()
            self._now[identity] = label
            self._reached.append((label, thing))
        return f"#{label}"

    def items(self, values: Iterable[object]) -> str:
        return ", ".join(map(self.text, values))

    def _free_label(self) -> int:
        label = self._floor + 1
        while label in self._taken:
            label += 1
        self._taken.add(label)
        return label

    def heap(self, changed: Collection[int] | None = None) -> HeapText:
        """Contents of all that was reached, which ends the page; writing one may reach more.

        `changed` are the ids of the objects that may differ from the last page besides iterators; None: any may.
        """
        rows: list[tuple[int, str]] = []
        kinds: set[type] = set()
        for label, thing in self._reached:  # grows while it is walked
            kind = type(thing)
            kinds.add(kind)
            known = self._rows.get(label) if changed is not None and kind not in ITERATORS else None
            if known is not None and id(thing) not in changed and "#" not in known[1]:  # type: ignore[operator]
                rows.append(known)
            else:
                rows.append((label, self._content(kind, thing)))
        rows.sort()
        self._rows = {row[0]: row for row in rows}
        self._before, self._alive = self._now, self._reached
        self._kinds = kinds
        self.runs_program = not _RUNNING_PROGRAMS.isdisjoint(kinds)
        self._whole = tuple(rows)
        return self._whole

    def _content(self, kind: type, thing: object) -> str:
        writer = CONTENTS.get(kind)
        return writer(self, thing) if writer else self._instance(thing)

    def amended(self, changed: Collection[int]) -> HeapText | None:
        """The heap of a page with the roots of the last one, where only objects with these ids and iterators differ.

        None where an object came or went: then the page must be written anew.
        """
        if changed == ITERATORS_ONLY and ITERATORS.keys().isdisjoint(self._kinds):
            return self._whole
        self._now, self._reached = self._before, []
        rows = self._rows
        same = True
        for label, thing in self._alive:
            kind = type(thing)
            if id(thing) not in changed and kind not in ITERATORS:
                continue
            text = self._content(kind, thing)
            known = rows[label][1]
            if text == known:
                continue
            if self._reached or (("#" in known or "#" in text) and references(known) != references(text)):
                self._forget(self._reached)
                return None
            rows[label] = (label, text)
            same = False
        if not same:
            self._whole = tuple(rows.values())
        return self._whole

    def joined(self, value: object, changed: Collection[int]) -> tuple[str, HeapText] | None:
        """The text of one more root of the last page, and the heap with it; None as for `amended`."""
        if changed and self.amended(changed) is None:
            return None
        self._now, self._reached = self._before, []
        self._taken = set(self._before.values())
        text = self.text(value)
        if not self._reached:
            return text, self._whole
        rows = list(self._whole)
        for label, thing in self._reached:  # grows while it is walked
            kind = type(thing)
            self._kinds.add(kind)
            rows.append((label, self._content(kind, thing)))
        self._alive += self._reached
        self.runs_program = not _RUNNING_PROGRAMS.isdisjoint(self._kinds)
        rows.sort()
        self._rows = {row[0]: row for row in rows}
        self._whole = tuple(rows)
        return text, self._whole

    def _forget(self, things: Iterable[tuple[int, object]]) -> None:
        for _, thing in things:
            del self._before[id(thing)]

    def _rare(self, value: object) -> str:
        """Values told apart by more than their exact type: exceptions and objects of the program's own classes."""
        kind = type(value)
        if isinstance(value, BaseException) and self._class_name(kind):
            return f"{self._class_name(kind)}({self.items(value.args)})"
        if self._namespace.get(kind.__name__) is kind and hasattr(value, "__dict__") and kind.__base__ is object:
            return self.reference(value)
        if isinstance(value, type):
            return self._class_name(value) or "?a class made in a function"
        return f"?{kind.__name__}"

    def _instance(self, thing: object) -> str:
        fields = ", ".join(f"{name}={self.text(value)}" for name, value in vars(thing).items())
        return f"{type(thing).__name__}({fields})"

    def _class_name(self, kind: type) -> str:
        name = kind.__name__
        if self._namespace.get(name) is kind or getattr(builtins, name, None) is kind:
            return name
        return "" if "<locals>" in kind.__qualname__ else f"{kind.__module__}.{kind.__qualname__}"

    def _function(self, value: types.FunctionType) -> str:
        code = value.__code__
        name = code.co_name
        if self._namespace.get(name) is value:
            return name
        if code.co_filename != self._filename:
            return (
                "?a lambda of another module"
                if "<" in value.__qualname__
                else f"{value.__module__}.{value.__qualname__}"
            )
        cells = self.items(value.__closure__ or ())
        given = self.items(value.__defaults__ or ())
        if value.__kwdefaults__:
            return "?function with keyword defaults"
        place = f"{name.strip('<>')}@{code.co_firstlineno}"  # a lambda has no name of its own
        return f"{place}({cells}; {given})" if given else f"{place}({cells})"

    def _builtin(self, value: types.BuiltinFunctionType) -> str:
        owner = value.__self__
        if isinstance(owner, types.ModuleType):
            return value.__name__ if owner is builtins else f"{owner.__name__}.{value.__name__}"
        return f"{self.text(owner)}.{value.__name__}"

    def _method(self, value: types.MethodType) -> str:
        return f"{self.text(value.__self__)}.{value.__name__}"

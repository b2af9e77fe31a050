"""Live objects to text: settles labels and which objects stand on a page; how a kind is written is in `writers.py`.

Labels are part of the page, so they must follow from it: an object keeps its label while it can be reached, and a
new object takes the smallest label that neither this page nor the one before uses. Any two worlds that do the same
steps write the same labels. Knows no program, only its namespace.
"""

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from envs.execution.definitions import builtin_text, class_name, function_text
from envs.execution.frames import Bindings, HeapText
from envs.execution.values import is_supported, label_of, references
from envs.execution.writers import CONTENTS, ITERATORS, MOVED, SCALARS, USED_UP, VALUES, scalar

_RUNNING_PROGRAMS = frozenset({map, filter})
"""Iterators that call a function when they move, so that what moves them may change anything."""
ITERATORS_ONLY: tuple[object, ...] = (object(),)
"""An object that stands on no page: nothing changed but iterators."""


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
        self._alive: dict[int, object] = {}  # holds the objects, so that an id means the same thing next time
        self._rows: dict[int, tuple[int, str]] = {}
        self.whole: HeapText = ()
        """The last page's heap."""
        self._moving: list[tuple[int, object]] = []
        self.size = 0
        """Characters of the last page's heap."""
        self.unsupported: str | None = None
        """The first reason why an object could not be written down."""
        self.runs_program = False
        """Whether some object of the last page runs functions when an iterator moves."""

    def adopt(self, labels: Iterable[tuple[int, object]]) -> None:
        """Take over the labels of a page that was rebuilt."""
        self._alive = dict(labels)
        self._before = {id(thing): label for label, thing in self._alive.items()}

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
        return _SPECIAL.get(kind, Renderer._rare)(self, value)

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

    def heap(self, changed: Collection[object] | None = None) -> HeapText:
        """Contents of all that was reached, which ends the page; writing one may reach more.

        `changed` are the objects that may differ from the last page besides iterators; None: any may.
        """
        rows: list[tuple[int, str]] = []
        different = None if changed is None else {id(thing) for thing in changed}
        for label, thing in self._reached:  # grows while it is walked
            kind = type(thing)
            known = self._rows.get(label) if different is not None and kind not in ITERATORS else None
            if known is not None and id(thing) not in different and "#" not in known[1]:  # type: ignore[operator]
                rows.append(known)
            else:
                rows.append((label, self._content(kind, thing)))
        self._before, self._alive = self._now, {}
        self._rows, self._moving, self.size = {}, [], 0
        self._put(rows)
        return self.whole

    def _put(self, rows: list[tuple[int, str]]) -> None:
        """Add these rows, of the objects that were reached, to the page."""
        self._alive.update(self._reached)
        for row in rows:
            self._rows[row[0]] = row
            text = row[1]
            self.size += len(text)
            if "?" in text:
                self._doubt(text)
        self.whole = tuple(sorted(self._rows.values()))
        self._moving += [each for each in self._reached if type(each[1]) in ITERATORS]
        self.runs_program = self._runs_program()

    def _runs_program(self) -> bool:
        return bool(self._moving) and any(type(thing) in _RUNNING_PROGRAMS for _, thing in self._moving)

    def _doubt(self, text: str) -> None:
        if self.unsupported is None and not is_supported(text):
            self.unsupported = text[1:]

    def _content(self, kind: type, thing: object) -> str:
        writer = CONTENTS.get(kind)
        return writer(self, thing) if writer else self._instance(thing)

    def amended(self, changed: Collection[object]) -> bool:
        """Bring the heap up to date with the roots of the last page, where only these objects and iterators differ.

        False where an object came or went: then the page must be written anew.
        """
        if changed is ITERATORS_ONLY and not self._moving:
            return True
        self._now, self._reached = self._before, []
        rows, before, same = self._rows, self._before, True
        for label, thing in self._moving:
            known = rows[label][1]
            again = MOVED.get(type(thing))
            text = again(known, thing) if again else CONTENTS[type(thing)](self, thing)
            if text == known:
                continue
            if again and text != USED_UP:  # its source stays, so it reaches what it did
                rows[label] = (label, text)
                self.size += len(text) - len(known)
            elif not self._replaced(label, known, text):
                return False
            same = False
        for thing in changed:
            place = before.get(id(thing))
            if place is None or type(thing) in ITERATORS:
                continue
            known, text = rows[place][1], self._content(type(thing), thing)
            if text != known:
                if not self._replaced(place, known, text):
                    return False
                same = False
        if not same:
            self.whole = tuple(sorted(rows.values()))
        return True

    def _replaced(self, label: int, known: str, text: str) -> bool:
        """Put new content down; False where it reaches other objects than the old content did."""
        if self._reached or (("#" in known or "#" in text) and references(known) != references(text)):
            self._forget(self._reached)
            return False
        self._rows[label] = (label, text)
        self.size += len(text) - len(known)
        if "?" in text:
            self._doubt(text)
        return True

    def joined(self, value: object, changed: Collection[object]) -> str | None:
        """The text of one more root of the last page, with the heap brought up to date; None as for `amended`."""
        if changed and not self.amended(changed):
            return None
        self._now, self._reached = self._before, []
        self._taken = set(self._rows)
        text = self.text(value)
        if not self._reached:
            return text
        rows = []
        for label, thing in self._reached:  # grows while it is walked
            rows.append((label, self._content(type(thing), thing)))
        self._put(rows)
        return text

    def placed(self, values: Iterable[object]) -> list[str] | None:
        """The texts of more roots, where all they reach stands on the page already; None where an object came."""
        self._now, self._reached = self._before, []
        self._taken = set(self._rows)
        texts = list(map(self.text, values))
        if not self._reached:
            return texts
        self._forget(self._reached)
        return None

    def parted(self, texts: Iterable[str], left: str, held: Mapping[int, int]) -> bool:
        """Bring the heap up to date once values with these texts are gone from the page.

        `left` are the texts of the page's values, each between line ends. False where it cannot be told at a glance
        which objects went.
        """
        for text in texts:
            label = label_of(text)
            if label is None:  # a tuple or a method
                if not _all_held(text, left, held):
                    return False
            elif not (label in held or f"\n{text}\n" in left or self._removed(label, text, left, held)):
                return False
        return True

    def _removed(self, label: int, mark: str, left: str, held: Mapping[int, int]) -> bool:
        """Take an object from the heap which nobody mentions any more; False where somebody might."""
        row = self._rows.get(label)
        if row is None or mark in left:
            return row is None
        content = row[1]
        if any(mark in text for _, text in self.whole) or ("#" in content and not _all_held(content, left, held)):
            return False
        del self._rows[label]
        self.size -= len(content)
        thing = self._alive.pop(label)
        if type(thing) in ITERATORS:
            self._moving.remove((label, thing))
            self.runs_program = self._runs_program()
        del self._before[id(thing)]
        self.whole = tuple([each for each in self.whole if each is not row])
        return True

    def _forget(self, things: Iterable[tuple[int, object]]) -> None:
        for _, thing in things:
            del self._before[id(thing)]

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


def _all_held(content: str, left: str, held: Mapping[int, int]) -> bool:
    return all(label in held or f"\n#{label}\n" in left for label in references(content))


_SPECIAL: dict[type, Callable[[Renderer, Any], str]] = {
    types.FunctionType: Renderer._function,
    types.BuiltinFunctionType: Renderer._builtin,
    types.MethodType: Renderer._method,
}
"""Values whose text depends on the program."""

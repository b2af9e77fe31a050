"""Live objects to text: gives labels to objects and decides which of them a frame shows.

`value_writers.py` has the text of each kind of value. Labels are part of the frame, so they must follow from it: an
object keeps its label while it can be reached, and a new object takes the smallest label that neither this frame nor
the one before uses. So any two runs that do the same steps give the same labels. Knows no program, only its namespace.
"""

import re
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from envs.execution.state.frames import Bindings, HeapText
from envs.execution.state.value_grammar import is_supported
from envs.execution.text.definition_text import (
    builtin_text,
    class_name,
    exception_parts,
    function_text,
    is_own_class,
    method_text,
    type_text,
)
from envs.execution.text.generator_text import NO_GENERATOR, HeldGenerator, ShownVariables, generator_text
from envs.execution.text.library_values import own_value_text
from envs.execution.text.value_writers import CONTENTS, SCALARS, VALUES, container_text, scalar, value_below


class ObjectRenderer:
    """Writes one frame after another of the same run; remembers nothing but the last frame.

    A frame is written as a whole (`render`), or root by root between `begin` and `heap`.
    """

    def __init__(
        self,
        namespace: Mapping[str, object],
        filename: str,
        floor: int = 0,
        suspended: ShownVariables | None = None,
        *,
        is_running: Callable[[types.FrameType], bool] = lambda frame: False,
    ) -> None:
        """Labels up to `floor` are not given to new objects; without `suspended`, generators cannot be written."""
        self._suspended = suspended
        self._is_running = is_running
        self._floor = floor
        self._namespace = namespace
        self._filename = filename
        self.labels: dict[int, int] = {}
        """Of the last frame's objects, by `id`."""
        self._now: dict[int, int] = {}
        """Of the objects reached so far in the frame being written, by `id`."""
        self._taken: set[int] = set()
        self._lowest = floor + 1
        """The smallest label that may be free in the frame being written; labels below it are not asked about again."""
        self._reached: list[tuple[int, object]] = []
        """Objects of the frame being written, in the order in which they were reached."""
        self.alive: dict[int, object] = {}
        """Holds the last frame's objects by label, so that an id means the same thing next time."""
        self.size = 0
        """Characters of the last frame's heap."""
        self.unsupported: str | None = None
        """The first reason why an object could not be written down."""

    def adopt(self, labels: Iterable[tuple[int, object]]) -> None:
        """Take over the labels of a frame that was rebuilt."""
        self.alive = dict(labels)
        self.labels = {id(thing): label for label, thing in self.alive.items()}

    def render(
        self,
        scopes: Sequence[Mapping[str, object]],
        values: Sequence[object] = (),
        known: Iterable[tuple[int, object]] = (),
    ) -> tuple[list[Bindings], list[str], HeapText]:
        """The bindings of each scope, the text of each further value, and the heap they reach.

        Objects of `known` stand in the heap whether they are reached or not.
        """
        self.begin()
        bindings = [self.bindings(scope) for scope in scopes]
        texts = [self.text(value) for value in values]
        for _, thing in known:
            self.reference(thing)
        return bindings, texts, self.heap()

    def begin(self) -> None:
        """Start a frame; its roots are then written in order."""
        self._now, self._reached = {}, []
        self._taken = set(self.labels.values())
        self._lowest = self._floor + 1

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
            self._reached.append((label, thing))
        return f"#{label}"

    def items(self, values: Iterable[object]) -> str:
        return ", ".join(map(self.text, values))

    def _free_label(self) -> int:
        label = self._lowest
        while label in self._taken:
            label += 1
        self._lowest = label + 1
        return label

    def heap(self) -> HeapText:
        """Contents of all that was reached, which ends the frame; writing one object may reach more."""
        rows: list[tuple[int, str]] = []
        size = 0
        for label, thing in self._reached:  # grows while it is walked
            writer = CONTENTS.get(type(thing))
            text = writer(self, thing) if writer else self._object(thing)
            if "?" in text and self.unsupported is None and not is_supported(text):
                self.unsupported = text[1:]
            rows.append((label, text))
            size += len(text)
        self.alive, self.labels = dict(self._reached), self._now
        self.size = size
        rows.sort()
        return tuple(rows)

    def _rare(self, value: object) -> str:
        """Values told apart by more than their exact type: exceptions and objects of the program's own classes."""
        kind = type(value)
        if (text := own_value_text(self, value, self._namespace)) is not None:
            return text
        if isinstance(value, BaseException) and (name := class_name(kind, self._namespace)):
            own = isinstance(kind.__init__, types.FunctionType) and self._namespace.get(name) is kind
            own = own or ("." not in name and bool(vars(value)))  # fields that the program set
            return self.reference(value) if own else f"{name}({self.items(exception_parts(value))})"
        if is_own_class(kind, self._namespace):
            return self.reference(value)
        if value is HeldGenerator:
            return "?the class of a generator"
        if isinstance(value, type):
            return type_text(value, self._namespace)
        return f"?{kind.__name__}"

    def _object(self, thing: object) -> str:
        if isinstance(thing, types.GeneratorType | HeldGenerator):
            return generator_text(self, thing, self._suspended, self._is_running) if self._suspended else NO_GENERATOR
        return self._instance(thing)

    def _generator(self, value: "types.GeneratorType[object, object, object] | HeldGenerator") -> str:
        own = isinstance(value, HeldGenerator) or value.gi_code.co_filename == self._filename
        return self.reference(value) if own and self._suspended else NO_GENERATOR

    def _instance(self, thing: object) -> str:
        items = [self.text(each) for each in thing.args] if isinstance(thing, BaseException) else []
        if isinstance(thing, list | dict):
            items = [container_text(self, thing)]
            if isinstance(thing, defaultdict):
                if not _runs_nothing(thing.default_factory):
                    return "?a class of defaultdict whose items a function makes"
                items.append(self.text(thing.default_factory))
        elif isinstance(thing, int | float | str | tuple):
            items = [value_below(self, thing)]
        fields = [f"{name}={self.text(value)}" for name, value in vars(thing).items()]
        return f"{type(thing).__name__}({', '.join([*items, *fields])})"

    def _function(self, value: types.FunctionType) -> str:
        return function_text(self, value, self._namespace, self._filename)

    def _builtin(self, value: types.BuiltinFunctionType) -> str:
        return builtin_text(self, value, self._namespace)

    def _method(self, value: types.MethodType) -> str:
        return method_text(self, value, self._namespace)


def _runs_nothing(factory: object) -> bool:
    """Whether what makes the items of a `defaultdict` is none, or a class of Python's own."""
    return factory is None or getattr(factory, "__module__", "") in ("builtins", "collections")


_SPECIAL: dict[type, Callable[[ObjectRenderer, Any], str]] = {
    types.FunctionType: ObjectRenderer._function,
    types.BuiltinFunctionType: ObjectRenderer._builtin,
    type(re.compile("").match): ObjectRenderer._builtin,  # a method that is told its class
    types.MethodType: ObjectRenderer._method,
    types.GeneratorType: ObjectRenderer._generator,
    HeldGenerator: ObjectRenderer._generator,
}
"""Values whose text depends on the program."""

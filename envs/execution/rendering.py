"""Live objects to text: the one place that decides how a value is written down; knows no program, only its namespace.

Labels are part of the page, so they must follow from it: an object keeps its label while it can be reached, and a
new object
takes the smallest label that neither this page nor the one before uses. Any two worlds that do the same steps write the
same labels.
"""

import builtins
import gc
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from envs.execution.frames import Bindings, HeapText
from envs.execution.values import SIZE_LIMIT

_SCALARS = frozenset({int, str, float, bool, type(None), bytes, complex, type(Ellipsis)})
_SIZED_SCALARS = frozenset({str, bytes})
_END = "iter()"
"""An iterator that is used up stays so, whatever its source does."""

Writer = Callable[[object], str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits at a `try` until its handler matches or its `finally` is done."""

    kind: Literal["raise", "return", "break", "continue"]
    value: object = None


class Renderer:
    """Writes one page after another of the same run; remembers nothing but the labels of the last page."""

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
        self._values: dict[type, Writer] = _value_writers(self)
        self._contents: dict[type, Writer] = _content_writers(self)

    def adopt(self, labels: Iterable[tuple[int, object]]) -> None:
        """Take over the labels of a page that was rebuilt."""
        self._alive = list(labels)
        self._before = {id(thing): label for label, thing in self._alive}

    def page(
        self, scopes: Sequence[Mapping[str, object]], values: Sequence[object] = ()
    ) -> tuple[list[Bindings], list[str], HeapText]:
        """The bindings of each scope, the text of each further value, and the heap they reach."""
        self._now, self._reached = {}, []
        self._taken = set(self._before.values())
        bindings = [self.bindings(scope) for scope in scopes]
        texts = [self.text(value) for value in values]
        heap = self._heap()
        self._before, self._alive = self._now, self._reached
        return bindings, texts, heap

    def bindings(self, scope: Mapping[str, object]) -> Bindings:
        text = self.text
        return tuple([(name, text(scope[name])) for name in sorted(scope)])

    def text(self, value: object) -> str:
        """One value's text; mutable objects become references and are remembered for the heap."""
        kind = type(value)
        if kind in _SCALARS:
            return _scalar(value)
        writer = self._values.get(kind)
        if writer is not None:
            return writer(value)
        if kind in self._contents:
            return self.reference(value)
        return self._rare(value)

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

    def _heap(self) -> HeapText:
        """Contents of all that was reached; writing one may reach more."""
        written: list[tuple[int, str]] = []
        for label, thing in self._reached:  # grows while it is walked
            writer = self._contents.get(type(thing), self._instance)
            written.append((label, writer(thing)))
        return tuple(sorted(written))

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

    def function(self, value: object) -> str:
        assert isinstance(value, types.FunctionType)
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

    def builtin(self, value: object) -> str:
        assert isinstance(value, types.BuiltinFunctionType)
        owner = value.__self__
        if isinstance(owner, types.ModuleType):
            return value.__name__ if owner is builtins else f"{owner.__name__}.{value.__name__}"
        return f"{self.text(owner)}.{value.__name__}"

    def method(self, value: object) -> str:
        assert isinstance(value, types.MethodType)
        return f"{self.text(value.__self__)}.{value.__name__}"


def _scalar(value: object) -> str:
    if type(value) in _SIZED_SCALARS and len(value) > SIZE_LIMIT:  # type: ignore[arg-type]
        return f"?{type(value).__name__} of {len(value)} characters"  # type: ignore[arg-type]
    try:
        return repr(value)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        return "?int of more than 4300 digits"


def _plain(values: Iterable[object]) -> bool:
    return _SCALARS.issuperset(map(type, values))


def _value_writers(renderer: Renderer) -> dict[type, Writer]:
    """Immutable values, written out where they stand."""
    items = renderer.items

    def tuple_text(value: object) -> str:
        assert isinstance(value, tuple)
        if len(value) > SIZE_LIMIT:
            return f"?tuple of {len(value)} items"
        return f"({items(value)}{',' if len(value) == 1 else ''})"

    def view(kind: str) -> Writer:
        return lambda value: f"{kind}({renderer.text(gc.get_referents(value)[0])})"

    def waiting(value: object) -> str:
        assert isinstance(value, Waiting)
        return f"{value.kind} {renderer.text(value.value)}" if value.kind in ("raise", "return") else value.kind

    def descriptor(value: object) -> str:
        return f"{value.__objclass__.__name__}.{value.__name__}"  # type: ignore[attr-defined]

    return {
        tuple: tuple_text,
        frozenset: lambda value: f"frozenset({{{_set_items(renderer, value)}}})" if value else "frozenset()",
        range: repr,
        slice: lambda value: f"slice({items((value.start, value.stop, value.step))})",  # type: ignore[attr-defined]
        type({}.keys()): view("keys"),
        type({}.values()): view("values"),
        type({}.items()): view("items"),
        types.FunctionType: renderer.function,
        types.BuiltinFunctionType: renderer.builtin,
        types.MethodType: renderer.method,
        types.ModuleType: lambda value: value.__name__,  # type: ignore[attr-defined]
        type(str.upper): descriptor,
        type: renderer._rare,
        Waiting: waiting,
    }


def _set_items(renderer: Renderer, value: object) -> str:
    """Items in sorted order: a set has none of its own, so none is shown."""
    assert isinstance(value, set | frozenset)
    if any(isinstance(item, frozenset) for item in value):  # `<` means subset there, which orders nothing
        return ", ".join(sorted(map(renderer.text, value)))
    try:
        return renderer.items(sorted(value))
    except TypeError:
        return ", ".join(sorted(map(renderer.text, value)))


def _content_writers(renderer: Renderer) -> dict[type, Writer]:
    """Contents of objects that can change, and of iterators, which change by being used."""
    items, text = renderer.items, renderer.text

    def list_text(value: object) -> str:
        assert isinstance(value, list)
        if len(value) > SIZE_LIMIT:
            return f"?list of {len(value)} items"
        return repr(value) if _plain(value) else f"[{items(value)}]"

    def dict_text(value: object) -> str:
        assert isinstance(value, dict)
        if len(value) > SIZE_LIMIT:
            return f"?dict of {len(value)} items"
        if type(value) is dict and _plain(chain(value, value.values())):
            return repr(value)
        return f"{{{', '.join(f'{text(key)}: {text(item)}' for key, item in value.items())}}}"

    def defaultdict_text(value: object) -> str:
        assert isinstance(value, defaultdict)
        return f"defaultdict({text(value.default_factory)}, {dict_text(value)})"

    def deque_text(value: object) -> str:
        assert isinstance(value, deque)
        return f"deque([{items(value)}]{'' if value.maxlen is None else f', {value.maxlen}'})"

    def cell_text(value: object) -> str:
        assert isinstance(value, types.CellType)
        try:
            return f"cell({text(value.cell_contents)})"
        except ValueError:
            return "cell()"

    contents: dict[type, Writer] = {
        list: list_text,
        dict: dict_text,
        set: lambda value: f"{{{_set_items(renderer, value)}}}" if value else "set()",
        bytearray: repr,
        defaultdict: defaultdict_text,
        OrderedDict: lambda value: f"OrderedDict({dict_text(value)})",
        Counter: lambda value: f"Counter({dict_text(value)})",
        deque: deque_text,
        types.CellType: cell_text,
    }
    return contents | _iterator_writers(renderer)


def _iterator_writers(renderer: Renderer) -> dict[type, Writer]:
    """Iterators as kind, source and position; CPython tells these to pickle, so it tells them to us."""
    text = renderer.text

    def indexed(kind: str) -> Writer:
        def write(iterator: object) -> str:
            parts = iterator.__reduce__()
            return f"{kind}({text(parts[1][0])}, {parts[2]})" if len(parts) == 3 else _END

        return write

    def over_range(iterator: object) -> str:
        parts: tuple[Any, ...] = tuple(iterator.__reduce__())
        left: range = parts[1][0]
        left = left[parts[2] or 0 :] if len(parts) == 3 else left
        return f"iter({left!r})" if left else _END

    def over_dict(view: str) -> Writer:
        def write(iterator: object) -> str:
            source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, dict)), None)
            if source is None:
                return _END
            try:
                left = len(iterator.__reduce__()[1][0])
            except RuntimeError:
                return f"iter({view}({text(source)}), changed)"
            return f"iter({view}({text(source)}), {len(source) - left})"

        return write

    def over_set(iterator: object) -> str:
        source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, set | frozenset)), None)
        if source is None:
            return _END
        try:
            left: list[Any] = list(iterator.__reduce__()[1][0])
        except RuntimeError:
            return f"iter({text(source)}, changed)"
        return f"iter({text(source)}, [{renderer.items(left)}])"

    def nested(kind: str) -> Writer:
        def write(iterator: object) -> str:
            parts = iterator.__reduce__()
            return f"{kind}({renderer.items(parts[1])})" if len(parts) == 2 else f"?strict {kind}"

        return write

    return {
        type(iter([])): indexed("iter"),
        type(iter(())): indexed("iter"),
        type(iter("")): indexed("iter"),
        type(iter("é")): indexed("iter"),
        type(iter(b"")): indexed("iter"),
        type(iter(range(0))): over_range,
        type(reversed([])): indexed("reversed"),
        reversed: indexed("reversed"),
        type(iter({})): over_dict("keys"),
        type(iter({}.values())): over_dict("values"),
        type(iter({}.items())): over_dict("items"),
        type(iter(set())): over_set,
        enumerate: nested("enumerate"),
        zip: nested("zip"),
        map: nested("map"),
        filter: nested("filter"),
    }

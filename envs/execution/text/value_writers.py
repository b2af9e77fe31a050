"""How each kind of object is written: one function a kind, in two tables by exact type; knows no frame and no label.

`VALUES` are written out where they stand, `CONTENTS` once, in the heap. A writer is given the renderer for what the
object holds. Iterators are written as kind, source and position; CPython tells these to pickle, so it tells them to us.
"""

import gc
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, Protocol

from envs.execution.state.value_grammar import SIZE_LIMIT
from envs.execution.text import library_values, source_values

SCALARS = frozenset({int, str, float, bool, type(None), bytes, complex, type(Ellipsis)})
_SIZED_SCALARS = frozenset({str, bytes})
USED_UP = "iter()"
"""An iterator that is used up stays so, whatever its source does."""


class ObjectWriter(Protocol):
    """Writes the text of what an object holds."""

    def text(self, value: object) -> str: ...
    def items(self, values: Iterable[object]) -> str: ...


Writer = Callable[[ObjectWriter, Any], str]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits at a `try` until its handler matches or its `finally` is done; at line 0 what a call will need.

    `new` is the object that a constructor makes, `again` counts the operands that returned NotImplemented.
    """

    kind: Literal["raise", "return", "break", "continue", "new", "again"]
    value: object = None


def scalar(value: object) -> str:
    """The text of a number, a string, None and their like."""
    if type(value) in _SIZED_SCALARS and len(value) > SIZE_LIMIT:  # type: ignore[arg-type]
        return f"?{type(value).__name__} of {len(value)} characters"  # type: ignore[arg-type]
    try:
        return repr(value)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        return "?int of more than 4300 digits"


def _plain(values: Iterable[object]) -> bool:
    return SCALARS.issuperset(map(type, values))


# -- values


def _tuple(renderer: ObjectWriter, value: tuple[object, ...]) -> str:
    if len(value) > SIZE_LIMIT:
        return f"?tuple of {len(value)} items"
    return f"({renderer.items(value)}{',' if len(value) == 1 else ''})"


def _frozenset(renderer: ObjectWriter, value: frozenset[Any]) -> str:
    return f"frozenset({{{_set_items(renderer, value)}}})" if value else "frozenset()"


def _set_items(renderer: ObjectWriter, value: set[Any] | frozenset[Any]) -> str:
    """Items in sorted order: a set has none of its own, so none is shown."""
    if any(isinstance(item, frozenset) for item in value):  # `<` means subset there, which orders nothing
        return ", ".join(sorted(map(renderer.text, value)))
    try:
        return renderer.items(sorted(value))
    except Exception:  # objects of the program compare as they like
        return ", ".join(sorted(map(renderer.text, value)))


def _range(renderer: ObjectWriter, value: range) -> str:
    return repr(value)


def _slice(renderer: ObjectWriter, value: slice) -> str:
    return f"slice({renderer.items((value.start, value.stop, value.step))})"


def _view(kind: str) -> Writer:
    return lambda renderer, value: f"{kind}({renderer.text(gc.get_referents(value)[0])})"


def _module(renderer: ObjectWriter, value: types.ModuleType) -> str:
    return value.__name__


def _descriptor(renderer: ObjectWriter, value: Any) -> str:
    return f"{value.__objclass__.__name__}.{value.__name__}"


def _not_implemented(renderer: ObjectWriter, value: object) -> str:
    return "NotImplemented"


def _super(renderer: ObjectWriter, value: Any) -> str:
    return f"super({renderer.text(value.__thisclass__)}, {renderer.text(value.__self__)})"


def _waiting(renderer: ObjectWriter, value: Waiting) -> str:
    return value.kind if value.kind in ("break", "continue") else f"{value.kind} {renderer.text(value.value)}"


# -- contents


def _list(renderer: ObjectWriter, value: list[object]) -> str:
    if len(value) > SIZE_LIMIT:
        return f"?list of {len(value)} items"
    return repr(value) if _plain(value) else f"[{renderer.items(value)}]"


def _dict(renderer: ObjectWriter, value: dict[Any, object]) -> str:
    if len(value) > SIZE_LIMIT:
        return f"?dict of {len(value)} items"
    if type(value) is dict and _plain(chain(value, value.values())):
        return repr(value)
    text = renderer.text
    return f"{{{', '.join(f'{text(key)}: {text(item)}' for key, item in value.items())}}}"


def container_text(renderer: ObjectWriter, value: list[Any] | dict[Any, Any]) -> str:
    """What an object of a class that derives from a list or a dict holds; asks no method of that class."""
    if isinstance(value, list):
        return _list(renderer, list.__getitem__(value, slice(None)))
    if isinstance(value, OrderedDict):
        return _dict(renderer, {key: dict.__getitem__(value, key) for key in OrderedDict.__iter__(value)})
    return _dict(renderer, dict.copy(value))


def value_below(renderer: ObjectWriter, value: int | float | str | tuple[object, ...]) -> str:
    """The value of an object of a class that derives from one; asks no method of that class."""
    if isinstance(value, tuple):
        return _tuple(renderer, tuple.__getitem__(value, slice(None)))
    if isinstance(value, str):
        return scalar(str.__str__(value))
    return scalar(int.__int__(value) if isinstance(value, int) else float.__float__(value))


def _set(renderer: ObjectWriter, value: set[Any]) -> str:
    return f"{{{_set_items(renderer, value)}}}" if value else "set()"


def _bytearray(renderer: ObjectWriter, value: bytearray) -> str:
    return repr(value)


def _defaultdict(renderer: ObjectWriter, value: defaultdict[Any, object]) -> str:
    return f"defaultdict({renderer.text(value.default_factory)}, {_dict(renderer, value)})"


def _wrapped(kind: str) -> Writer:
    return lambda renderer, value: f"{kind}({_dict(renderer, value)})"


def _deque(renderer: ObjectWriter, value: deque[object]) -> str:
    return f"deque([{renderer.items(value)}]{'' if value.maxlen is None else f', {value.maxlen}'})"


def _cell(renderer: ObjectWriter, value: types.CellType) -> str:
    try:
        return f"cell({renderer.text(value.cell_contents)})"
    except ValueError:
        return "cell()"


# -- iterators


def _indexed(kind: str) -> Writer:
    def write(renderer: ObjectWriter, iterator: Any) -> str:
        parts = iterator.__reduce__()
        if len(parts) == 3:
            return f"{kind}({renderer.text(parts[1][0])}, {parts[2]})"
        # From 3.13 on, a list's reversed iterator that gave its last item tells no position, but still holds the list.
        held = gc.get_referents(iterator) if kind == "reversed" else []
        return f"{kind}({renderer.text(held[0])}, -1)" if held else USED_UP

    return write


def _over_range(renderer: ObjectWriter, iterator: Any) -> str:
    parts: tuple[Any, ...] = tuple(iterator.__reduce__())
    left: range = parts[1][0]
    left = left[parts[2] or 0 :] if len(parts) == 3 else left
    return f"iter({left!r})" if left else USED_UP


def _over_dict(view: str) -> Writer:
    def write(renderer: ObjectWriter, iterator: Any) -> str:
        source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, dict)), None)
        if source is None:
            return USED_UP
        try:
            left = len(iterator.__reduce__()[1][0])
        except RuntimeError:
            return f"iter({view}({renderer.text(source)}), changed)"
        return f"iter({view}({renderer.text(source)}), {len(source) - left})"

    return write


def _over_set(renderer: ObjectWriter, iterator: Any) -> str:
    source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, set | frozenset)), None)
    if source is None:
        return USED_UP
    try:
        left: list[Any] = list(iterator.__reduce__()[1][0])
    except RuntimeError:
        return f"iter({renderer.text(source)}, changed)"
    return f"iter({renderer.text(source)}, [{renderer.items(left)}])"


def _nested(kind: str) -> Writer:
    def write(renderer: ObjectWriter, iterator: Any) -> str:
        parts = iterator.__reduce__()
        return f"{kind}({renderer.items(parts[1])})" if len(parts) == 2 else f"?strict {kind}"

    return write


class _Indexed:
    """Has a `__getitem__` and nothing else, so that `iter` makes an iterator of its own kind."""

    def __getitem__(self, place: int) -> int:
        return place


INDEXING: type = type(iter(_Indexed()))
"""The iterator over an object that has no `__iter__`."""
VALUES: dict[type, Writer] = {
    tuple: _tuple,
    frozenset: _frozenset,
    range: _range,
    slice: _slice,
    type({}.keys()): _view("keys"),
    type({}.values()): _view("values"),
    type({}.items()): _view("items"),
    types.ModuleType: _module,
    type(str.upper): _descriptor,
    **library_values.VALUES,
    **source_values.VALUES,
    Waiting: _waiting,
    type(NotImplemented): _not_implemented,
    super: _super,
}
"""Immutable values, written out where they stand; the renderer itself writes functions and classes."""

ITERATORS: dict[type, Writer] = {
    type(iter([])): _indexed("iter"),
    type(iter(())): _indexed("iter"),
    type(iter("")): _indexed("iter"),
    type(iter("é")): _indexed("iter"),
    type(iter(b"")): _indexed("iter"),
    type(iter(range(0))): _over_range,
    INDEXING: _indexed("iter"),
    type(reversed([])): _indexed("reversed"),
    reversed: _indexed("reversed"),
    type(iter({})): _over_dict("keys"),
    type(iter({}.values())): _over_dict("values"),
    type(iter({}.items())): _over_dict("items"),
    type(iter(set())): _over_set,
    enumerate: _nested("enumerate"),
    zip: _nested("zip"),
    map: _nested("map"),
    filter: _nested("filter"),
}
"""They change by being used."""

CONTENTS: dict[type, Writer] = {
    list: _list,
    dict: _dict,
    set: _set,
    bytearray: _bytearray,
    defaultdict: _defaultdict,
    OrderedDict: _wrapped("OrderedDict"),
    Counter: _wrapped("Counter"),
    deque: _deque,
    types.CellType: _cell,
    **ITERATORS,
    **library_values.CONTENTS,
    **source_values.CONTENTS,
}
"""Objects that can change, written once."""

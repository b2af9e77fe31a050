"""How objects of the standard library are written and made again: numbers, dates, patterns, iterators of `itertools`.

Values are written by what makes them: `Fraction(1, 3)`, `Decimal('1.5')`, `date(2024, 2, 29)`. An iterator is written
as CPython tells it to pickle: its arguments as a tuple, and its state where it has one, `product(((1, 2), (3,)), (0,
0))`. A match is written by its pattern, its text and its span, if matching again finds the same. Knows no frame.
"""

import dataclasses
import functools
import gc
import io
import itertools
import operator
import re
import time as clock
import types
import warnings
from collections import ChainMap, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, EnumMeta, Flag
from fractions import Fraction
from typing import Any, Protocol

from envs.execution.state.value_grammar import Unsupported, references
from envs.execution.text import address_values, calendar_values, csv_values, template_values
from envs.execution.text.calendar_values import zoned


class _Writes(Protocol):
    def text(self, value: object) -> str: ...
    def items(self, values: Iterable[object]) -> str: ...


Writer = Callable[[Any, Any], str]
Maker = Callable[..., object]


def _called(kind: str, parts: Callable[[Any], Iterable[object]]) -> Writer:
    """A writer of values that a call of their class with plain parts makes again."""
    return lambda renderer, value: f"{kind}({renderer.items(parts(value))})"


def datetime_parts(value: datetime) -> tuple[int, ...]:
    """What `datetime` is called with to make the value again."""
    parts = (value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    return parts[: 5 if not any(parts[5:]) else 6 if not parts[6] else 7]


def _time_parts(value: time) -> tuple[int, ...]:
    return (value.hour, value.minute, value.second, value.microsecond)


def _without_zone(kind: str, parts: Callable[[Any], Iterable[object]]) -> Writer:
    write = _called(kind, parts)
    return lambda renderer, value: zoned(kind, renderer, value) if value.tzinfo else write(renderer, value)


def _timedelta_parts(value: timedelta) -> tuple[int, ...]:
    parts = (value.days, value.seconds, value.microseconds)
    return parts[: 1 if not any(parts[1:]) else 2 if not parts[2] else 3]


def _pattern(renderer: _Writes, value: re.Pattern[Any]) -> str:
    return f"Pattern({renderer.items((value.pattern, int(value.flags)))})"


def _flags(renderer: _Writes, value: re.RegexFlag) -> str:
    return f"RegexFlag({int(value)})"


def _match(renderer: _Writes, value: re.Match[Any]) -> str:
    if len(value.string) > _LONGEST_MATCHED or _matched(value.re, value.string, *value.span()) is None:
        return "?Match that matching again does not find"
    return f"Match({renderer.items((value.re, value.string, *value.span()))})"


_LONGEST_MATCHED = 2_000
"""Characters of a text that a match is written with."""


def _matched(pattern: re.Pattern[Any], text: Any, start: int, end: int) -> re.Match[Any] | None:
    """The match at a place, found again; None where no way to match finds just this span."""
    ways = (pattern.match(text, start), pattern.fullmatch(text, start), pattern.fullmatch(text, start, end))
    return next((found for found in ways if found is not None and found.span() == (start, end)), None)


def _made_match(pattern: re.Pattern[Any], text: Any, start: int, end: int) -> re.Match[Any]:
    found = _matched(pattern, text, start, end)
    if found is None:
        raise Unsupported("a match that matching again does not find")
    return found


def _getter(kind: str) -> Writer:
    """A writer of `itemgetter(1)` and similar functions, which tell their arguments to pickle."""
    return lambda renderer, value: f"{kind}({renderer.items(value.__reduce__()[1])})"


def _view(kind: str) -> Writer:
    return lambda renderer, value: f"{kind}({renderer.text(gc.get_referents(value)[0])})"


def _field(renderer: _Writes, value: "dataclasses.Field[Any]", namespace: Mapping[str, object]) -> str:
    """A field of a dataclass by the class that has it; it may be that of a class above."""
    owners = [each for each in namespace.values() if isinstance(each, type)]
    held = (each for each in owners if getattr(each, "__dataclass_fields__", {}).get(value.name) is value)
    owner = next(held, None)
    hidden = owner is None or "DataclassField" in namespace
    return "?Field" if hidden else f"DataclassField({renderer.items((owner, value.name))})"


def _made_field(owner: Any, name: str) -> object:
    return owner.__dataclass_fields__[name]


def own_value_text(renderer: _Writes, value: object, namespace: Mapping[str, object]) -> str | None:
    """A named tuple as `Point(x=1, y=2)`, an enum member as `Color('RED', 1)`; None for what is neither."""
    kind = type(value)
    if isinstance(value, dataclasses.Field):
        return _field(renderer, value, namespace)
    if namespace.get(kind.__name__) is not kind:
        return None
    if isinstance(value, Enum):
        parts: tuple[object, object] = (value._name_, value._value_)
        empty = parts == (None, 0) and isinstance(value, Flag)  # no flag at all has no name
        text = f"{kind.__name__}({renderer.items(parts)})" if parts[0] or empty else "?a combination of flags"
        return "?a member whose value may change" if references(text) else text
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        if getattr(value, "__dict__", None):
            return "?a named tuple with attributes of its own"
        fields = zip(kind._fields, value, strict=True)
        return f"{kind.__name__}({', '.join(f'{name}={renderer.text(item)}' for name, item in fields)})"
    return None


def made_member(owner: EnumMeta, name: object, value: object) -> object:
    """An enum's member by its name; a combination of flags by its value, if that is what the name says."""
    if name in owner.__members__ or not issubclass(owner, Flag):
        return owner[str(name)]
    made = owner(value)
    if made._name_ != name:
        raise Unsupported(f"a combination of flags {name!r}")
    return made


def made_named_tuple(owner: type[tuple[Any, ...]], items: Iterable[object]) -> object:
    """A named tuple of its items, which runs no code of the program."""
    given = tuple(items)
    if len(given) != len(getattr(owner, "_fields", given)):
        raise Unsupported(f"a {owner.__name__} of {len(given)} fields")
    return tuple.__new__(owner, given)


def _moment(renderer: _Writes, value: clock.struct_time) -> str:
    zoned = getattr(value, "tm_zone", None) is not None  # none on some systems, whatever its type says
    return "?struct_time with a time zone" if zoned else f"struct_time({renderer.text(tuple(value))})"


def _partial(renderer: _Writes, value: functools.partial[Any]) -> str:
    """A `partial` of a builtin function or class; one of the program would be called by C code."""
    return f"partial({renderer.items((value.func, *value.args))})" if _is_plain_partial(value) else "?partial"


def _is_plain_partial(value: functools.partial[Any]) -> bool:
    plain = isinstance(value.func, types.BuiltinFunctionType) or value.func.__class__ is type
    return plain and not (value.keywords or vars(value) or getattr(value.func, "__module__", "") == "program")


def _proxy(renderer: _Writes, value: "types.MappingProxyType[Any, Any]") -> str:
    return f"mappingproxy({renderer.text(gc.get_referents(value)[0])})"


_WEEK = type(date(1, 1, 1).isocalendar())
VALUES: dict[type, Writer] = {
    Fraction: _called("Fraction", lambda value: (value.numerator, value.denominator)),
    Decimal: _called("Decimal", lambda value: (str(value),)),
    date: _called("date", lambda value: (value.year, value.month, value.day)),
    datetime: _without_zone("datetime", datetime_parts),
    time: _without_zone("time", _time_parts),
    timedelta: _called("timedelta", _timedelta_parts),
    clock.struct_time: _moment,
    _WEEK: _called("IsoCalendarDate", tuple),
    re.Pattern: _pattern,
    re.Match: _match,
    re.RegexFlag: _flags,
    operator.itemgetter: _getter("itemgetter"),
    operator.attrgetter: _getter("attrgetter"),
    functools.partial: _partial,
    type(dataclasses.MISSING): lambda _renderer, _value: "dataclasses.MISSING",
    types.MappingProxyType: _proxy,
    **calendar_values.VALUES,
    **address_values.VALUES,
    type(OrderedDict().keys()): _view("keys"),
    type(OrderedDict().values()): _view("values"),
    type(OrderedDict().items()): _view("items"),
}
"""Immutable values, written out where they stand."""


def _reduced(iterator: Any) -> tuple[Any, ...]:
    """What an iterator tells pickle; newer Pythons warn that they will stop to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return tuple(iterator.__reduce__())


def _iterator(kind: str) -> Writer:
    def write(renderer: _Writes, iterator: Any) -> str:
        try:
            (_, arguments, *state), (_, again, *_) = _reduced(iterator), _reduced(iterator)
        except TypeError:  # a Python that tells nothing
            return f"?{kind}"
        if kind == "islice" and arguments[1:] == (0,):
            return "iter()"  # it is used up
        if any(one is not other and hasattr(one, "__next__") for one, other in zip(arguments, again, strict=True)):
            return f"?{kind} that holds another iterator each time it is asked"
        parts = (arguments, *state[:1]) if state and state[0] is not None else (arguments,)
        return f"{kind}({renderer.items(parts)})"

    return write


def _cycle(renderer: _Writes, iterator: Any) -> str:
    """A cycle in its first turn by its iterator, later by the items that it repeats and its place among them."""
    try:
        _, (source,), (saved, repeats) = _reduced(iterator)
    except TypeError:
        return "?cycle"
    if not repeats:
        return f"cycle({renderer.items((source, saved))})"
    place = source.__reduce__()[2] if len(source.__reduce__()) == 3 else 0
    return f"cycle({renderer.items((saved, place))})"


def _made_cycle(source: Any, state: Any) -> object:
    if isinstance(state, list):
        return _with_state(itertools.cycle(source), (state, False))
    again = iter(source)
    again.__setstate__(state)
    return _with_state(itertools.cycle(again), (source, True))


def _with_state(iterator: Any, state: object) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        iterator.__setstate__(state)
    return iterator


def _made_iterator(kind: Any) -> Maker:
    def make(arguments: tuple[object, ...], *state: object) -> object:
        made = kind(*arguments)
        return _with_state(made, state[0]) if state else made

    return make


ITERTOOLS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        *(itertools.accumulate, itertools.chain, itertools.combinations, itertools.combinations_with_replacement),
        *(itertools.compress, itertools.count, itertools.islice, itertools.permutations, itertools.product),
        *(itertools.repeat, itertools.zip_longest),
    )
}
"""Iterators whose whole state can be written down, and which call no function but one of Python's own."""


def _over_deque(kind: str) -> Writer:
    def write(renderer: _Writes, iterator: Any) -> str:
        _, (source, used) = iterator.__reduce__()
        return f"{kind}({renderer.text(source)}, {used})"

    return write


def _backwards(source: deque[object], used: int) -> object:
    return type(reversed(source))(source, used)  # type: ignore[call-arg]


def _over_ordered(renderer: _Writes, iterator: Any) -> str:
    """An iterator over an OrderedDict; whether it gives keys, values or items is seen by what is left to give."""
    source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, OrderedDict)), None)
    if source is None:
        return "iter()"
    left = list(iterator.__reduce__()[1][0])
    place = len(source) - len(left)
    keys = list(OrderedDict.__iter__(source))  # a class of the program may have an `__iter__` of its own
    views = {"keys": keys, "items": list(OrderedDict.items(source)), "values": list(OrderedDict.values(source))}
    pairs = any(type(thing) is tuple for thing in gc.get_referents(iterator))  # where it makes its pairs
    names = ("items",) if pairs else tuple(views)
    view = next((name for name in names if views[name][place:] == left), None)
    if view is None:
        view = next(name for name in names if views[name][::-1][place:] == left)
        return f"reversed({view}({renderer.text(source)}), {len(left) - 1})"
    return f"iter({view}({renderer.text(source)}), {place})"


def _over_dict_backwards(view: str) -> Writer:
    def write(renderer: _Writes, iterator: Any) -> str:
        source = next((thing for thing in gc.get_referents(iterator) if isinstance(thing, dict)), None)
        if source is None:
            return "iter()"
        left = len(iterator.__reduce__()[1][0])
        return f"reversed({view}({renderer.text(source)}), {left - 1})"

    return write


def _chain_map(renderer: _Writes, value: ChainMap[Any, Any]) -> str:
    return f"ChainMap({renderer.items(value.maps)})"


def _buffer(renderer: _Writes, value: io.StringIO) -> str:
    """A text that is written in memory, and the place where reading and writing go on."""
    if value.closed:
        return "?StringIO that is closed"
    state: Any = value.__getstate__()
    text, newline, place, fields = state
    return "?StringIO with line ends of its own" if newline != "\n" or fields else f"StringIO({text!r}, {place})"


def _made_buffer(text: str, place: int) -> io.StringIO:
    made = io.StringIO(text)
    made.seek(place)
    return made


def _sentinel(renderer: _Writes, value: object) -> str:
    """An object that is nothing but itself."""
    return "object()"


def _namespace(renderer: _Writes, value: types.SimpleNamespace) -> str:
    return f"SimpleNamespace({', '.join(f'{name}={renderer.text(held)}' for name, held in vars(value).items())})"


CONTENTS: dict[type, Writer] = {
    object: _sentinel,
    types.SimpleNamespace: _namespace,
    io.StringIO: _buffer,
    ChainMap: _chain_map,
    type(reversed({})): _over_dict_backwards("keys"),
    type(reversed({}.values())): _over_dict_backwards("values"),
    type(reversed({}.items())): _over_dict_backwards("items"),
    type(iter(deque())): _over_deque("iter"),
    type(reversed(deque())): _over_deque("backwards"),
    type(iter(OrderedDict())): _over_ordered,
    itertools.cycle: _cycle,
    **csv_values.CONTENTS,
    **template_values.CONTENTS,
    **{kind: _iterator(name) for name, kind in ITERTOOLS.items()},
}
"""Iterators, which change by being used."""


def is_library_value(value: object) -> bool:
    """Whether it is of a class that is written here; a `partial` of anything else than a builtin is not."""
    if isinstance(value, functools.partial):
        return _is_plain_partial(value)
    return type(value) in VALUES or type(value) in CONTENTS


MAKERS: dict[str, Maker] = {
    "Fraction": Fraction,
    "Decimal": Decimal,
    "date": date,
    "datetime": datetime,
    "time": time,
    "timedelta": timedelta,
    "struct_time": clock.struct_time,
    "IsoCalendarDate": _WEEK,
    "Pattern": re.compile,
    "Match": _made_match,
    "RegexFlag": re.RegexFlag,
    "itemgetter": operator.itemgetter,
    "attrgetter": operator.attrgetter,
    "partial": functools.partial,
    "mappingproxy": types.MappingProxyType,
    "object": object,
    "StringIO": _made_buffer,
    "DataclassField": _made_field,
    "backwards": _backwards,
    "ChainMap": ChainMap,
    "cycle": _made_cycle,
    **csv_values.MAKERS,
    **template_values.MAKERS,
    **calendar_values.MAKERS,
    **address_values.MAKERS,
    **{name: _made_iterator(kind) for name, kind in ITERTOOLS.items()},
}
"""Makes each kind again from its parts."""

DRIVEN = frozenset({*ITERTOOLS, "cycle", "backwards", "filter", "StringIO", *csv_values.DRIVEN})
"""Iterators whose next place and end no rule decides: they depend on values, or on more than a position."""

"""Writes out the places that a slice takes or deletes; knows lists, tuples and texts by their text.

v1[10:2:-3]      10:13 7:10 4:7        with a step: each place with its item
v1[::2]          0:a 2:c 4:e
v1[-24:-6]       32-24=8 32-6=26 8:26  bounds of a long one that count from its end
v1[4:50]         4:32                  or lie behind it
del v1[-2:]      1:3                   where the deleted items begin and end
del v1[::3]      0:7 3:4               or each of them
"""

import re
from collections.abc import Callable

from cwm_agent.views.scratchpad import sort_steps

_NAME = r"[^\W\d]\w*"
_PART = rf"({_NAME}|-?\d+)?"
STEPPED = re.compile(rf"{_NAME} = ({_NAME})\[{_PART}:{_PART}:{_PART}\]$")
PLAIN = re.compile(rf"{_NAME} = ({_NAME})\[{_PART}:{_PART}\]$")
DELETED = re.compile(rf"del ({_NAME})\[{_PART}:{_PART}(?::{_PART})?\]$")
_NUMBER = re.compile(r"-?\d{1,4}$")
_SHORT = 10
"""Items of what is sliced without workings."""
_NEAR = 3
"""Distance from the end that needs none."""
_LONGEST = 200
_FEWEST, _MOST_ITEMS = 4, 60


Value = Callable[[str], str]
Content = Callable[[str], str]


def stepped(match: re.Match[str], value: Value, content: Content) -> str | None:
    """Return the places with their items; None for whole reversals and plain slices, which need none."""
    bounds = _bounds(match, value)
    if bounds is None or bounds[2] in (None, 0, 1) or bounds == [None, None, -1]:
        return None
    items = _items(content(value(match[1])))
    return _listed(items, bounds) if len(items) > _FEWEST else None


def plain(match: re.Match[str], value: Value, content: Content) -> str | None:
    """Return the bounds of a long text or list as places; None where they are given as such, or nearly so."""
    bounds, items = _bounds(match, value), _items(content(value(match[1])))
    if bounds is None or not _SHORT < len(items) <= _MOST_ITEMS:
        return None
    size = len(items)
    if not any(each is not None and (each < -_NEAR or each > size) for each in bounds):
        return None
    found = [f"{size}-{-each}={size + each}" for each in bounds if each is not None and each < 0]
    start, stop, _ = slice(*bounds).indices(size)
    return " ".join([*found, f"{start}:{stop}"])


def deleted(match: re.Match[str], value: Value, content: Content) -> str | None:
    """Return the places that are deleted from a list; None for none."""
    bounds, items = _bounds(match, value), _items(content(value(match[1])))
    if bounds is None or not items or bounds[2] == 0:
        return None
    if bounds[2] not in (None, 1):
        return _listed(items, bounds)
    start, stop, _ = slice(*bounds).indices(len(items))
    return f"{start}:{stop}" if start < stop else None


def _bounds(match: re.Match[str], value: Value) -> list[int | None] | None:
    """The numbers between the brackets; None if one is anything else."""
    found = [value(part) if part else "None" for part in match.groups()[1:]]
    if not all(each == "None" or _NUMBER.match(each) for each in found):
        return None
    return [None if each == "None" else int(each) for each in found]


def _listed(items: list[str], bounds: list[int | None]) -> str | None:
    found = " ".join(f"{place}:{items[place]}" for place in range(*slice(*bounds).indices(len(items))))
    return found if 0 < len(found) <= _LONGEST and len(items) <= _MOST_ITEMS and "\n" not in found else None


def _items(text: str) -> list[str]:
    if text[:1] in ("'", '"'):
        return list(text[1:-1]) if "\\" not in text else []
    return sort_steps.items(text)

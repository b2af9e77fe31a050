"""Writes out sorting, `min` and `max` by a key: each item with its key, then what the keys decide.

sorted(['ab', 'c'], key=len)              'ab':2 'c':1; 1:'c' 2:'ab'      `sort_steps.py`
sorted([('b', 2), ('a', 9)], key=v1)      ('b', 2):2 ('a', 9):9; ...      v1=itemgetter(1)
people.sort(key=v1)                       0:'Eva' 1:'Ali'; 'Ali':1 ...    v1=attrgetter('name'): places for objects
sorted({'a', 'b'}, key=v1.rindex)         'a':3 'b':1; 1:'b' 3:'a'        v1='abca'
"""

import re
from collections.abc import Callable
from typing import Any

from cwm_agent.views.scratchpad import sort_steps
from envs.execution.stepper.values.value_rules import split_items

_NAME = r"[^\W\d]\w*"
_KEY = rf"(?:str\.)?{_NAME}|{_NAME}\.(?:get|__getitem__|count|r?index|r?find)"
BY_KEY = re.compile(
    rf"{_NAME} = (?P<name>sorted|max|min)\((?P<over>{_NAME}), key=(?P<key>{_KEY})(?:, reverse=(?P<down>{_NAME}))?\)$"
    rf"|(?:{_NAME} = )?(?P<list>{_NAME})\.sort\(key=(?P<own>{_KEY})(?:, reverse=(?P<back>{_NAME}))?\)$"
)
"""A line that sorts by a key, or takes the largest or smallest item by one."""
_GETTER = re.compile(r"(?:operator\.)?(item|attr)getter\((.*)\)$")
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "len": len, "abs": abs, "sum": sum, "str": str, "int": int, "str.lower": str.lower, "str.casefold": str.casefold,
    "str.upper": str.upper,
}  # fmt: skip
_LOOKING = frozenset({"count", "index", "rindex", "find", "rfind"})
"""Methods of texts and lists that look for an item."""
_LONGEST_ITEM = 12
"""Characters of an item; a longer one is told by its place."""

Value = Callable[[str], str]
Content = Callable[[str], str]
Key = Callable[[str], object]
"""Returns the key of an item's text."""


def by_key(match: re.Match[str], value: Value, content: Content) -> str | None:
    """Return the keys by which the items are compared, in their order, and the result; None if they are not plain."""
    text, written = content(value(match["over"] or match["list"])), match["key"] or match["own"]
    items = _items(text)
    try:
        key = _key(written, value, content)
        keys = [key(content(item)) for item in items] if key is not None else []
    except (TypeError, KeyError, IndexError, ValueError, AttributeError):
        return None
    if not keys:
        return None
    down = value(match["down"] or match["back"] or "False") == "True"
    return sort_steps.by_keys(match["name"] or "sorted", _shown(items), keys, downwards=down)


def _items(text: str) -> list[str]:
    if text[:1] in ("[", "("):
        return sort_steps.items(text)
    held = sort_steps.dict_of(text)
    return sort_steps.items(text) if held is None else [repr(key) for key in held]


def _shown(items: list[str]) -> list[object]:
    """The items as workings show them: their values, or their places where they are long or no plain values."""
    known = sort_steps.known(items)
    return list(range(len(items))) if known is None or max(map(len, items)) > _LONGEST_ITEM else known


def _key(written: str, value: Value, content: Content) -> Key | None:
    owner, dot, method = written.rpartition(".")
    if dot and method in ("get", "__getitem__"):
        text = content(value(owner))
        held: Any = _plain(text) if text[:1] == "[" else sort_steps.dict_of(text)
        return None if held is None else lambda item: held[_plain(item)]
    if dot and method in _LOOKING:
        whole = _plain(content(value(owner)))
        return lambda item: getattr(whole, method)(_plain(item))
    held_key = value(written)
    if found := _GETTER.match(held_key):
        return _of_getter(found[1], found[2])
    function = _FUNCTIONS.get(held_key.removeprefix("_"))
    return None if function is None else lambda item: function(_plain(item))


def _of_getter(kind: str, written: str) -> Key:
    """The key that an `itemgetter` or an `attrgetter` gives."""
    places = [_plain(each) for each in split_items(f"[{written}]")]
    read: Callable[[str], Any] = _plain if kind == "item" else _fields
    if len(places) == 1:
        return lambda item: read(item)[places[0]]
    return lambda item: tuple(read(item)[place] for place in places)


def _fields(text: str) -> dict[str, object]:
    """The fields of an object, `Person(name='Eva', age=34)`."""
    inside = text[text.index("(") + 1 : -1]
    entries = (entry.partition("=") for entry in split_items(f"[{inside}]"))
    return {name: _plain(written) for name, _, written in entries}


def _plain(text: str) -> Any:
    """The value of a plain text; ValueError for any other."""
    found = sort_steps.known([text])
    if found is None:
        raise ValueError(text)
    return found[0]

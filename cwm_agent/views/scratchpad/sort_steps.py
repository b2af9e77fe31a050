"""Writes out sorting, minimum and maximum, and comparison item by item; knows values only as text.

sorted([4, 3, 2, 1])             [3, 4][1, 2]                  runs of two, four, ... merged
sorted('river')                  ir|ev|r eirv|r                the same of characters
max([3, 5, 4, 9])                3 5 9                         each item that beats those before it
max(['ab', 'abc'], key=len)      'ab':2 'abc':3; 2 3           items with their keys; the keys that beat
sorted(['ab', 'c'], key=len)     'ab':2 'c':1; 1:'c' 2:'ab'    and in order
'hear' < 'hekar'                 he|a|k                        the equal part, then the first difference
[1, 10] > [1, 2]                 1|10|2
41182 < 41590                    41|1|5                        the digits of long numbers
(2, 'that') < (2, 'the')         2|'that'|'the' th|a|e         and the first difference of what differs
"""

import ast
from collections.abc import Callable
from typing import Any

from envs.execution.stepper.values.value_rules import split_items

LONGEST = 24
"""Most items; workings of more would be longer than an answer may be."""
_MOST_BYTES = 320
_LONGEST_PREFIX = 60
_SEPARATOR = "|"
_LONG_NUMBER = 4
"""Digits of a number that is compared digit by digit."""


def items(text: str) -> list[str]:
    """Return the items of a display; none if there are too many."""
    found = split_items(text) if text[:1] in ("[", "(", "{") else []
    return found if len(found) <= LONGEST else []


def known(texts: list[str]) -> list[object] | None:
    """Return the values of plain texts; None if one is not plain."""
    try:
        return [ast.literal_eval(text) for text in texts]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def dict_of(text: str) -> dict[object, object] | None:
    """Return the dict in a text such as `Counter({'a': 2})`; None if it has no plain one."""
    held = known([text[text.find("{") : text.rfind("}") + 1]])
    return held[0] if held and isinstance(held[0], dict) else None


def merges(text: str, *, downwards: bool = False, distinct: bool = False, fewest: int = 4) -> str | None:
    """Return sorted runs of two, then of four, and so on, up to the last merge, which is the answer."""
    quoted = text[:1] in ("'", '"')
    if text[:1] == "{" or (quoted and "\\" in text):
        return None  # a set is shown in order
    values: list[object] | None = list(text[1:-1]) if quoted else known(items(text))
    if values is None or not fewest <= len(values) <= LONGEST or not _comparable(values):
        return None
    characters = quoted or all(isinstance(value, str) and len(value) == 1 for value in values)
    rows, width = [], 2
    while width < len(values):
        runs = [_run(values[start : start + width], downwards, distinct) for start in range(0, len(values), width)]
        rows.append(_SEPARATOR.join("".join(map(str, run)) for run in runs) if characters else "".join(map(repr, runs)))
        width *= 2
    found = " ".join(rows)
    return found if len(found) <= _MOST_BYTES and "\n" not in found else None


def _comparable(values: list[object]) -> bool:
    if len({type(value) for value in values}) != 1 or type(values[0]) not in (int, str, tuple):
        return False
    try:
        sorted(values)  # type: ignore[type-var]
    except TypeError:
        return False
    return True


def _run(values: list[object], downwards: bool, distinct: bool) -> list[object]:
    found: list[object] = sorted(values, reverse=downwards)  # type: ignore[type-var]
    return list(dict.fromkeys(found)) if distinct else found


def records(items: list[Any], best: Callable[[Any, Any], Any]) -> str:
    """Return each item that beats all before it."""
    found = items[:1]
    for item in items:
        if best(found[-1], item) != found[-1]:
            found.append(item)
    return " ".join(map(repr, found))


def by_keys(name: str, values: list[object], keys: list[object], *, downwards: bool) -> str | None:
    """Return the items with their keys, then the keys that decide; None if they cannot be compared."""
    if len(values) not in range(2, LONGEST + 1) or not _comparable(keys):
        return None
    known: list[Any] = keys
    pairs = " ".join(f"{value!r}:{key!r}" for value, key in zip(values, known, strict=True))
    if name in ("max", "min"):
        found = f"{pairs}; {records(known, max if name == 'max' else min)}"
    else:
        order = sorted(range(len(known)), key=known.__getitem__, reverse=downwards)
        found = f"{pairs}; " + " ".join(f"{known[place]!r}:{values[place]!r}" for place in order)
    return found if len(found) <= _MOST_BYTES else None


def compared(left: str, right: str) -> str | None:
    """Return the common prefix of two texts or lists and the first difference; None if the first items differ."""
    if all(text[:1] in ("'", '"') and "\\" not in text for text in (left, right)):
        return _parted(list(left[1:-1]), list(right[1:-1]), "")
    if min(len(left), len(right)) >= _LONG_NUMBER and left.isdecimal() and right.isdecimal():
        return _parted(list(left), list(right), "") if len(left) == len(right) else None
    if left[:1] != right[:1] or left[:1] not in ("[", "("):
        return None
    sides = items(left), items(right)
    if any(item[:1] in ("#", "[", "{") for side in sides for item in side):
        return None
    differing = next(((a, b) for a, b in zip(*sides, strict=False) if a != b), None)
    steps = (_parted(*sides, ", "), compared(*differing) if differing else None)
    return " ".join(filter(None, steps)) or None


def _parted(left: list[str], right: list[str], comma: str) -> str | None:
    count = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    if not count or max(len(left), len(right)) < 2 or len(comma.join(left[:count])) > _LONGEST_PREFIX:
        return None
    parts = comma.join(left[:count]), "".join(left[count : count + 1]), "".join(right[count : count + 1])
    return _SEPARATOR.join(parts)

"""Writes out the places that a slice with a step takes; knows lists, tuples and texts by their text.

v1[10:2:-3]      10:13 7:10 4:7        each place with its item
v1[::2]          0:a 2:c 4:e
"""

import re
from collections.abc import Callable

from cwm_agent.views.scratchpad import sort_steps

_NAME = r"[^\W\d]\w*"
_PART = rf"({_NAME}|-?\d+)?"
STEPPED = re.compile(rf"{_NAME} = ({_NAME})\[{_PART}:{_PART}:{_PART}\]$")
_NUMBER = re.compile(r"-?\d{1,4}$")
_LONGEST = 200
_MOST_ITEMS = 60


def stepped(match: re.Match[str], value: Callable[[str], str], content: Callable[[str], str]) -> str | None:
    """Return the places with their items; None for whole reversals and plain slices, which need none."""
    bounds = [value(part) if part else None for part in match.groups()[1:]]
    if bounds[2] in (None, "1") or bounds == [None, None, "-1"]:
        return None
    if not all(each is None or each == "None" or _NUMBER.match(each) for each in bounds):
        return None
    items = _items(content(value(match[1])))
    numbers = [None if each in (None, "None") else int(str(each)) for each in bounds]
    if not 4 < len(items) <= _MOST_ITEMS or numbers[2] == 0:
        return None
    found = " ".join(f"{place}:{items[place]}" for place in range(*slice(*numbers).indices(len(items))))
    return found if 0 < len(found) <= _LONGEST and "\n" not in found else None


def _items(text: str) -> list[str]:
    if text[:1] in ("'", '"'):
        return list(text[1:-1]) if "\\" not in text else []
    return sort_steps.items(text)

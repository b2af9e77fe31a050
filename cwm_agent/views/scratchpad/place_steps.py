"""Writes out where a value belongs in a list that is in order; knows lists by their text.

bisect_left([2, 3, 5, 5, 8], 5)     1:2 2:3 5    the number of each item before the place, and the item behind it
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

from cwm_agent.views.scratchpad import sort_steps

_NAME = r"[^\W\d]\w*"
BISECT = re.compile(rf"{_NAME} = (?:bisect\.)?bisect(_left|_right)?\(({_NAME}), ({_NAME}|-?[\d.]+|'[^']*')\)$")
_FEWEST, _MOST = 5, 40
"""Items of a list whose places are counted."""


def bisected(match: re.Match[str], value: Callable[[str], str], content: Callable[[str], str]) -> str | None:
    """Return the items up to the place; None for lists that are short, or not in order, or hold several types."""
    texts = sort_steps.items(content(value(match[2])))
    known: list[Any] | None = sort_steps.known([*texts, value(match[3])])
    if known is None or not _FEWEST <= len(texts) <= _MOST or len(set(map(type, known))) > 1:
        return None
    wanted = known.pop()
    if not isinstance(wanted, int | float | str) or sorted(known) != known:
        return None
    place = (bisect_left if match[1] == "_left" else bisect_right)(known, wanted)
    return " ".join([*(f"{number}:{text}" for number, text in enumerate(texts[:place], 1)), *texts[place : place + 1]])

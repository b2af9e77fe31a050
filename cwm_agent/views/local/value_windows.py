"""Shows ten places of a long list, tuple or text if the line reads only one place of it.

    v0 = v1[37]       v1=#1[<tab>30<tab>a, b, c, d, e, f, g, h, i, j, <tab>101<tab>]      from place 30; there are 101
    v0 = v1[-12]      v1=#1[<tab>-20<tab>a, b, c, d, e, f, g, h, i, j, <tab>-10<tab>]     counted from the end

For a place out of range it shows the nearest ten. A step over a table of a thousand places then costs as much as a step
over a table of thirty. Knows only the text of values.
"""

import re
from collections.abc import Mapping

from envs.execution.stepper.values.value_rules import split_items

EVERY = 10
"""Places from one mark to the next."""
LONG = 20
"""Most places shown in full; of a longer value only ten are shown."""
CHARACTER = re.compile(r"\\x..|\\u....|\\U.{8}|\\.|.", re.DOTALL)
_CLOSING = {"[": "]", "(": ")", "'": "'", '"': '"'}
_NAME = r"[^\W\d]\w*"
_SUBSCRIPT = re.compile(
    rf"(?:{_NAME} = |del )?(?P<target>{_NAME})\[(?P<index>{_NAME}|-?\d+)\](?: (?:\S{{1,3}})?= .*)?$", re.DOTALL
)
_PLACE = re.compile(r"-?\d{1,9}$")


def asked_place(statement: str, values: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the name and the one place of it that a line reads; None if it reads several places or none."""
    match = _SUBSCRIPT.match(statement)
    if match is None:
        return None
    place = values.get(match["index"], match["index"])
    return (match["target"], int(place)) if _PLACE.match(place) else None


def window(text: str, place: int) -> str | None:
    """Return the places around the one that the line reads; None if the text is short, has objects or no places."""
    if len(text) <= LONG or text[-1] != _CLOSING.get(text[0]) or "#" in text:
        return None
    parts = CHARACTER.findall(text[1:-1]) if text[0] in "'\"" else split_items(text)
    if len(parts) <= LONG:
        return None
    between = "" if text[0] in "'\"" else ", "
    first, end = _span(place, len(parts))
    seen = between.join(parts[first:end])
    shift = len(parts) if place < 0 else 0
    before = f"\t{first - shift}\t" if first or shift else ""
    after = "" if end == len(parts) else f"{between}\t{end - shift if shift else len(parts)}\t"
    return f"{text[0]}{before}{seen}{after}{text[-1]}"


def _span(place: int, count: int) -> tuple[int, int]:
    """Return the first place shown and the one after the last, counted from the start."""
    if place >= 0:
        first = min(place, count - 1) // EVERY * EVERY
        return first, min(first + EVERY, count)
    end = count - (min(-place, count) - 1) // EVERY * EVERY
    return max(0, end - EVERY), end

"""How moments with a time zone, addresses and templates of the library are written and made again.

    timezone(timedelta(0, 7200))    datetime(2024, 3, 1, 14, 30, 0, 0, timezone(timedelta(0)))
    IPv4Network('10.0.0.0/30')      Template('Hello $name')      calendar.day_name

Each is written by what makes it. Zones that a database describes, and the second of two equal hours, are not. Knows no
frame.
"""

import calendar
import ipaddress
import string
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime, time, timezone
from typing import Any, Protocol


class _Writes(Protocol):
    def text(self, value: object) -> str: ...
    def items(self, values: Iterable[object]) -> str: ...


def _zone(renderer: _Writes, value: timezone) -> str:
    return f"timezone({renderer.items(value.__getinitargs__())})"  # type: ignore[attr-defined]


def zoned(kind: str, renderer: _Writes, value: datetime | time) -> str:
    """The text of a moment or a time of day with a zone."""
    if type(value.tzinfo) is not timezone or value.fold:
        return f"?{kind} with a time zone"
    parts: list[object] = [value.hour, value.minute, value.second, value.microsecond, value.tzinfo]
    if isinstance(value, datetime):
        parts = [value.year, value.month, value.day, *parts]
    return f"{kind}({renderer.items(parts)})"


def _by_text(kind: str) -> Callable[[_Writes, Any], str]:
    return lambda renderer, value: f"{kind}({renderer.text(str(value))})"


def _template(renderer: _Writes, value: string.Template) -> str:
    return f"Template({renderer.text(value.template)})" if vars(value).keys() == {"template"} else "?Template"


_NAMES = {id(getattr(calendar, name)): name for name in ("day_name", "day_abbr", "month_name", "month_abbr")}


def _names(renderer: _Writes, value: object) -> str:
    name = _NAMES.get(id(value))
    return f"calendar_names({name!r})" if name else "?names of a calendar"


def _made_names(name: str) -> object:
    return getattr(calendar, name)


_ADDRESSES: tuple[type, ...] = (
    *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv4Interface),
    *(ipaddress.IPv6Address, ipaddress.IPv6Network, ipaddress.IPv6Interface, uuid.UUID),
)
VALUES: dict[type, Callable[[Any, Any], str]] = {
    timezone: _zone,
    string.Template: _template,
    type(calendar.day_name): _names,
    type(calendar.month_name): _names,
    **{kind: _by_text(kind.__name__) for kind in _ADDRESSES},
}
"""Immutable values, written out where they stand."""
MAKERS: dict[str, Callable[..., object]] = {
    "timezone": timezone,
    "Template": string.Template,
    "calendar_names": _made_names,
    **{kind.__name__: kind for kind in _ADDRESSES},
}
"""Makes each kind again from its parts."""

"""Writes out arithmetic on `datetime` and `timedelta` values in days and seconds; knows only their text.

datetime(2024, 5, 1, 17, 0) - datetime(2024, 5, 1, 8, 30)
    0; 17*60+0=1020*60=61200 8*60+30=510*60=30600 61200-30600=30600          days; then seconds
    1; .. 22500-79200=-56700+86400=29700 1-1=0                               one day less where they are below nothing
datetime(2024, 5, 1, 23, 0) + timedelta(0, 7200)
    23*60+0=1380*60=82800+7200=90000-86400=3600 0+1=1; 1*3600=3600 3600-3600=0 0*60=0 0-0=0; 1+1=2
timedelta(0, 30600) + timedelta(0, 60000)    30600+60000(..)=90600-86400=4200 0+0+1=1
str(timedelta(0, 60300))                     16*3600=57600 60300-57600=2700 45*60=2700 2700-2700=0
timedelta(2, 60).total_seconds()             2*86400=172800+60=172860
timedelta(hours=30)                          30*3600=108000 1*86400=86400 108000-86400=21600
timedelta(hours=-30)                         -30*3600=-108000 -2*86400=-172800 -108000+172800=64800
"""

import re
from collections.abc import Sequence

from cwm_agent.views.scratchpad.arithmetic import date_arithmetic, long_arithmetic

_MOMENT = re.compile(r"datetime\((\d{1,4}), (\d{1,2}), (\d{1,2}), (\d{1,2}), (\d{1,2})(?:, (\d{1,2}))?\)$")
_SPAN = re.compile(r"timedelta\((?:(-?\d{1,6}))?(?:, (\d{1,5}))?\)$")
_DAY = 86400


def is_clock(text: str) -> bool:
    """Whether a text is that of a moment or a time span."""
    return text.startswith(("datetime(", "timedelta("))


def is_moment(text: str) -> bool:
    """Whether a text is that of a date, a moment or a time span, whose parts stand in the order of their weight."""
    return text.startswith(("date(", "datetime(", "timedelta("))


def _moment(text: str) -> tuple[str, tuple[int, ...]] | None:
    """The date of a moment as text, and hours, minutes, seconds."""
    match = _MOMENT.match(text)
    if match is None:
        return None
    return f"date({match[1]}, {match[2]}, {match[3]})", (int(match[4]), int(match[5]), int(match[6] or 0))


def _span(text: str) -> tuple[int, int] | None:
    """Days and seconds of a time span."""
    match = _SPAN.match(text)
    return None if match is None else (int(match[1] or 0), int(match[2] or 0))


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of a sum or a difference of moments and time spans; None for others."""
    one, other, span, more = _moment(left), _moment(right), _span(left), _span(right)
    if sign == "-" and one and other:
        return _between(one, other)
    if sign in ("+", "-") and one and more:
        return _moved(one, sign, more)
    if sign in ("+", "-") and span and more:
        return _spans(span, sign, more)
    return None


def _in_seconds(clock: Sequence[int]) -> tuple[str, int]:
    hours, minutes, seconds = clock
    total = (hours * 60 + minutes) * 60 + seconds
    tail = f"={total - seconds}+{seconds}={total}" if seconds else f"={total}"
    return f"{hours}*60+{minutes}={hours * 60 + minutes}*60{tail}", total


def _between(one: tuple[str, Sequence[int]], other: tuple[str, Sequence[int]]) -> str | None:
    days = "0" if one[0] == other[0] else date_arithmetic.days_between(one[0], other[0])
    if days is None:
        return None
    (first, before), (second, after) = _in_seconds(one[1]), _in_seconds(other[1])
    rest = before - after
    written = f"{days}; {first} {second} {long_arithmetic.running([before, -after])}"
    if rest >= 0:
        return written
    whole = int(re.split(r"[=\s]", days)[-1])
    return f"{written}+{_DAY}={rest + _DAY} {whole}-1={whole - 1}"


def _spans(one: tuple[int, int], sign: str, other: tuple[int, int]) -> str | None:
    if not (one[1] or other[1]):
        return None  # whole days are one sum
    sense = 1 if sign == "+" else -1
    rest = one[1] + sense * other[1]
    written = long_arithmetic.running([one[1], sense * other[1]])
    days = f"{one[0]}{sense * other[0]:+d}"
    carry = rest // _DAY
    if carry:
        return f"{written}{-carry * _DAY:+d}={rest - carry * _DAY} {days}{carry:+d}={one[0] + sense * other[0] + carry}"
    return f"{written} {days}={one[0] + sense * other[0]}"


def _moved(one: tuple[str, Sequence[int]], sign: str, span: tuple[int, int]) -> str | None:
    sense = 1 if sign == "+" else -1
    written, start = _in_seconds(one[1])
    rest = start + sense * span[1]
    carry = rest // _DAY
    days = sense * span[0] + carry
    written += f"{sense * span[1]:+d}={rest}"
    if carry:
        written += f"{-carry * _DAY:+d}={rest - carry * _DAY} {sense * span[0]}{carry:+d}={days}"
    written += f"; {_in_clock(rest - carry * _DAY)}"
    if not days:
        return written
    moved = date_arithmetic.arithmetic(one[0], "+", f"timedelta({days})")
    return f"{written}; {moved}" if moved else None


def _in_clock(seconds: int) -> str:
    """Hours, then minutes, each with the product that is taken away."""
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    first = f"{hours}*3600={hours * 3600} {seconds}-{hours * 3600}={rest}"
    return f"{first} {minutes}*60={minutes * 60} {rest}-{minutes * 60}={left}"


def written_out(text: str) -> str | None:
    """Return hours and minutes of a time span, as its string shows them; None for whole days and other values."""
    span = _span(text)
    return _in_clock(span[1]) if span and span[1] else None


def in_seconds(text: str) -> str | None:
    """Return all seconds of a time span."""
    span = _span(text)
    if span is None or not span[0]:
        return None
    return f"{span[0]}*{_DAY}={span[0] * _DAY}" + (f"+{span[1]}={span[0] * _DAY + span[1]}" if span[1] else "")


_UNITS = {"days": _DAY, "hours": 3600, "minutes": 60, "seconds": 1}


def of_all_units(units: Sequence[tuple[str, str]]) -> str | None:
    """Return days and seconds of a sum of units; None if one is no short whole number."""
    if not all(re.match(r"-?\d{1,5}$", count) for _, count in units):
        return None
    parts = [int(count) * _UNITS[unit] for unit, count in units]
    total = sum(parts)
    days, rest = divmod(total, _DAY)
    written = " ".join(f"{count}*{_UNITS[unit]}={part}" for (unit, count), part in zip(units, parts, strict=True))
    written += f" {long_arithmetic.running(parts)}"
    return f"{written} {days}*{_DAY}={days * _DAY} {total}-{days * _DAY}={rest}" if days else written


def of_units(unit: str, count: str) -> str | None:
    """Return days and seconds of so many hours or minutes; None if they make no day and are not below nothing."""
    seconds = _UNITS[unit]
    if not re.match(r"-?\d{1,9}$", count) or 0 <= int(count) * seconds < _DAY or abs(int(count)) * seconds >= 10**9:
        return None
    whole = int(count) * seconds
    days, rest = divmod(whole, _DAY)
    return f"{count}*{seconds}={whole} {days}*{_DAY}={days * _DAY} {whole}{-days * _DAY:+d}={rest}"

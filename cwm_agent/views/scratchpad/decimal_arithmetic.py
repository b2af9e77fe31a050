"""Writes out arithmetic on short decimals as whole numbers without the point; knows no program.

14.6 + 15.3        146+153=299
2.5 * 93.4         25*934=..=23350    the product as `long_arithmetic.py` writes it
54.6 / 4           546/4 5:1 14:3 26:6 2 . 20:5
sum([1.5, 2.25])   150+225=375
round(22.99, 1)    22.9|9

The model must place the point itself, and find the last digits of a float that is no short decimal.
"""

import re

from cwm_agent.views.scratchpad import divisor_steps, long_arithmetic

_NUMBER = re.compile(r"-?(\d{1,9})(?:\.(\d{1,6}))?$")
_LONG = re.compile(r"(-?\d{1,9})\.(\d{1,20})$")
_SEEN = 3
"""Most digits shown behind the place of rounding."""


def _places(text: str) -> int | None:
    """Return the number of significant digits behind the point; None if the text is no short number."""
    match = _NUMBER.match(text)
    return None if match is None else len((match[2] or "").rstrip("0"))


def _scaled(text: str, places: int) -> int:
    whole, _, behind = text.partition(".")
    return int(whole + behind.rstrip("0").ljust(places, "0"))


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of an operation with a fraction on at least one side; None for others."""
    behind = _places(left), _places(right)
    if behind[0] is None or behind[1] is None or not any(behind):
        return None
    if sign in ("+", "-"):
        return total([left, right if sign == "+" else _negated(right)])
    a, b = abs(_scaled(left, behind[0])), abs(_scaled(right, behind[1]))
    if sign == "*":
        return divisor_steps.multiplied(a, b)
    return _ratio(a * 10 ** max(behind[1] - behind[0], 0), b) if sign == "/" and b else None


def _negated(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


def _ratio(a: int, b: int) -> str:
    work = long_arithmetic.arithmetic(a, "/", b)
    return f"{a}/{b} {work}" if work else f"{a}/{b}"


def total(terms: list[str]) -> str | None:
    """Return a sum of short decimals, term by term; None if one term is no short decimal."""
    behind = [_places(term) for term in terms]
    known = [places for places in behind if places is not None]
    if len(known) < len(behind) or len(known) < 2:
        return None
    return long_arithmetic.running([_scaled(term, max(known)) for term in terms])


def rounded(text: str, places: int) -> str | None:
    """Return the digits that rounding keeps and those behind them; None if it cuts nothing off."""
    match = _LONG.match(text)
    if match is None or not 0 <= places < len(match[2].rstrip("0")):
        return None
    kept = f"{match[1]}.{match[2][:places]}" if places else match[1]
    return f"{kept}|{match[2][places : places + _SEEN]}"

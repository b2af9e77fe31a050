"""Writes out arithmetic on `Decimal` values as whole numbers without the point; knows only their text.

Decimal('100.00') - Decimal('99.99')    10000-9999(..)=1; 2          the last number counts the places behind the point
Decimal('8.95') * Decimal('0.19')       895*19=..=17005; 2+2=4
sum of Decimals                         3334+3333=6667+3333=10000; 2
Decimal('0.06') / Decimal('0.04')       6/4 1 2 . 20:5
Decimal('1.5') / Decimal('21')          15/210 3:5/70 5:1/14 . 10:0 100:7-98 20:1-14 .. 20..6    without an end: reduced
Decimal('13.2840').quantize(..'0.01')   13.28|40                     what is kept, what is cut off
Decimal('1.5') < Decimal('1.25')        150 125
"""

import re
from math import gcd

from cwm_agent.views.scratchpad.arithmetic import common_factors, divisor_steps, long_arithmetic

_AMOUNT = re.compile(r"Decimal\('(-?)(\d{1,9})(?:\.(\d{1,9}))?'\)$|(-?)(\d{1,9})$")
_DIGITS = 28
"""Digits to which decimals are divided."""


def is_amount(text: str) -> bool:
    """Whether a text is that of a Decimal."""
    return text.startswith("Decimal(")


def _parsed(text: str) -> tuple[int, int] | None:
    """The number without its point, and the places behind the point; None for no short number."""
    match = _AMOUNT.match(text)
    if match is None:
        return None
    sign, whole, behind = (match[1], match[2], match[3] or "") if match[2] else (match[4], match[5], "")
    return int(f"{sign}{whole}{behind}"), len(behind)


def _levelled(texts: list[str]) -> tuple[list[int], int] | None:
    """The numbers with as many places as the longest has, and these places."""
    parsed = [found for text in texts if (found := _parsed(text)) is not None]
    if len(parsed) < len(texts) or not texts:
        return None
    places = max(behind for _, behind in parsed)
    return [number * 10 ** (places - behind) for number, behind in parsed], places


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of an operation on two decimals, or a decimal and a whole number; None for others."""
    one, other = _parsed(left), _parsed(right)
    if one is None or other is None:
        return None
    if sign in ("+", "-"):
        return total([left, right], minus=sign == "-")
    if sign == "*":
        return f"{divisor_steps.multiplied(abs(one[0]), abs(other[0]))}; {one[1]}+{other[1]}={one[1] + other[1]}"
    return _ratio(left, right) if sign == "/" else None


def total(texts: list[str], *, minus: bool = False) -> str | None:
    """Return a sum of decimals term by term, then its places; with `minus` the difference of two."""
    found = _levelled(texts)
    if found is None or len(texts) < 2:
        return None
    numbers, places = found
    if minus:
        numbers[1] = -numbers[1]
    return f"{long_arithmetic.running(numbers)}; {places}"


def _ratio(left: str, right: str) -> str | None:
    found = _levelled([left, right])
    if found is None or not found[0][1]:
        return None
    a, b = map(abs, found[0])
    if not a or common_factors.ends(b // gcd(a, b)):
        work = long_arithmetic.ratio(a, b, _DIGITS)
        return f"{a}/{b} {work}" if work else f"{a}/{b}"
    common = gcd(a, b)
    return f"{common_factors.cancelled(a, b)} {long_arithmetic.periodic(a // common, b // common, _DIGITS)}"


def rounded(text: str, places: int) -> str | None:
    """Return the digits that rounding keeps and those that it cuts off; None if it cuts nothing off."""
    match = _AMOUNT.match(text)
    if match is None or not match[3] or not 0 <= places < len(match[3]):
        return None
    kept = f"{match[1]}{match[2]}" + (f".{match[3][:places]}" if places else "")
    return f"{kept}|{match[3][places:]}"


def quantized(text: str, unit: str) -> str | None:
    """Return the same for rounding to the places of another decimal."""
    found = _parsed(unit)
    return None if found is None else rounded(text, found[1])


def compared(left: str, right: str) -> str | None:
    """Return two decimals as whole numbers of the same unit."""
    found = _levelled([left, right])
    return None if found is None else " ".join(map(str, found[0]))

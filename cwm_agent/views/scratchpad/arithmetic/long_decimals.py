"""Writes out arithmetic on floats of many digits as whole numbers without the point; knows no program.

1.4142135623730951 - 0.75    14142135623730951-7500000000000000(1-0=1 5-0=5 ..)=6642135623730951
3.141592653589793 * 25       .15 3141592653589793*25=15 46 39 ..; .. =78539816339744825     column by column
-0.9677734375 / 2            .10 9677734375/2 9:4 16:8 7:3 ..

How many digits are behind the point comes first; the model must round to 16 or 17 digits. The result tells a float
exactly where it has no more digits than that and is a sum of few powers of two, as in bisection; else the last digits
are near, but a guess: what the float of a long decimal lacks depends on all its digits. Products and quotients of two
long ones are cut to some ten digits (`near_decimals.py`).
"""

import re
from collections.abc import Sequence
from decimal import Decimal, localcontext

from cwm_agent.views.scratchpad.arithmetic import column_arithmetic, divisor_steps, long_arithmetic, near_decimals

_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:\.\d{1,20})?$")
_LONGEST = 19
"""Most digits of a number without its point."""
_LONGEST_FACTOR, _LONGEST_DIVISOR = 99, 99_999
_SHORT_DIVISOR = 999
"""Largest one by which a division is written in full; by longer ones in brief."""
_ROUND = re.compile(r"10*$")


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of an operation; None if it needs none or they would be too hard."""
    if not (_DECIMAL.match(left) and _DECIMAL.match(right)):
        return None
    a, b = Decimal(left).normalize(), Decimal(right).normalize()
    with localcontext(prec=40):
        if sign in ("+", "-"):
            return _total([a, b if sign == "+" else -b])
        if sign == "*":
            return _product(a, b)
        return _ratio(a, b) if sign == "/" and b else None


def total(terms: Sequence[str]) -> str | None:
    """Return a sum term by term, with the same conditions."""
    if len(terms) < 2 or not all(map(_DECIMAL.match, terms)):
        return None
    with localcontext(prec=40):
        return _total([Decimal(term).normalize() for term in terms])


def _digits(number: Decimal, places: int) -> int:
    return int(number.scaleb(places))


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def point(*places: int) -> str:
    """How many digits of a result of whole numbers are behind the point; nothing where none are."""
    known = [each for each in places if each > 0]
    if len(known) < 2:
        return f".{known[0]} " if known else ""
    return f".{'+'.join(map(str, known))}={sum(known)} "


def _total(numbers: Sequence[Decimal]) -> str | None:
    places = max(map(_places, numbers))
    terms = [_digits(number, places) for number in numbers]
    return long_arithmetic.running(terms) if max(map(abs, terms)) < 10**_LONGEST and all(terms) else None


def _product(a: Decimal, b: Decimal) -> str | None:
    """The product, in full by a number of one or two digits; by a power of ten only the point moves."""
    small, large = sorted(abs(_digits(each, _places(each))) for each in (a, b))
    zeros = len(str(small)) - len(str(small).rstrip("0")) if small else 0
    small //= 10**zeros
    if not 1 < small <= _LONGEST_FACTOR or large >= 10**_LONGEST:
        return near_decimals.product(a, b)
    places = point(_places(a), _places(b)) if not zeros else point(_places(a) + _places(b) - zeros)
    if small < 10 or column_arithmetic.is_long_product(large, small):
        return f"{places}{divisor_steps.multiplied(large, small)}"
    return f"{places}{large}*{small}={column_arithmetic.product(large, small)}"


def _ratio(a: Decimal, b: Decimal) -> str | None:
    """The division by a short number, digit by digit; by a power of ten only the point moves."""
    above, below = abs(_digits(a, _places(a))), abs(_digits(b, _places(b)))
    if not above or _ROUND.match(str(below)):
        return None
    if below > _LONGEST_DIVISOR or above >= 10**_LONGEST:
        return near_decimals.quotient(a, b)
    work = long_arithmetic.ratio(above, below, brief=below > _SHORT_DIVISOR)
    return f"{point(_places(a) - _places(b))}{above}/{below} {work}"

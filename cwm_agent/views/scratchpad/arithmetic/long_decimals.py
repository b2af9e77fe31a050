"""Writes out arithmetic on floats of many digits as whole numbers without the point; knows no program.

1.4142135623730951 - 0.75    14142135623730951-7500000000000000(1-0=1 5-0=5 ..)=6642135623730951
3.141592653589793 * 25       3141592653589793*25=15 46 39 ..; .. =78539816339744825     column by column
-0.9677734375 / 2            9677734375/2 9:4 16:8 7:3 ..

The model must place the point and round to 16 or 17 digits. The result tells a float exactly where it has no more
digits than that and is a sum of few powers of two, as in bisection; else the last digit is near, but a guess: what the
float of a long decimal lacks depends on all its digits. Products and quotients of two long numbers are not written.
"""

import re
from collections.abc import Sequence
from decimal import Decimal, localcontext

from cwm_agent.views.scratchpad.arithmetic import column_arithmetic, divisor_steps, long_arithmetic

_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:\.\d{1,20})?$")
_LONGEST = 19
"""Most digits of a number without its point."""
_LONGEST_FACTOR, _LONGEST_DIVISOR = 99, 99_999
_SHORT_DIVISOR = 999
"""Largest one by which a division is written in full; by longer ones in brief."""
_MOST_UNITS = 2
"""Farthest that the result of the workings may be from the float, in units of the float's last digit."""
_KEPT = 15
"""Digits that a float always keeps."""
_ROUND = re.compile(r"10*$")


def arithmetic(left: str, sign: str, right: str, real: float) -> str | None:
    """Return the workings of an operation with the given result; None if they would mislead or be too hard."""
    if not (_DECIMAL.match(left) and _DECIMAL.match(right)):
        return None
    a, b = Decimal(left).normalize(), Decimal(right).normalize()
    with localcontext(prec=40):
        if sign in ("+", "-"):
            b = b if sign == "+" else -b
            return _if_near(_total([a, b]), a + b, real)
        if sign == "*":
            return _if_near(_product(a, b), a * b, real)
        return _if_near(_ratio(a, b), a / b, real) if sign == "/" and b else None


def total(terms: Sequence[str], real: float) -> str | None:
    """Return a sum term by term, with the same conditions."""
    if len(terms) < 2 or not all(map(_DECIMAL.match, terms)):
        return None
    with localcontext(prec=40):
        numbers = [Decimal(term).normalize() for term in terms]
        return _if_near(_total(numbers), sum(numbers, Decimal()), real)


def _if_near(work: str | None, result: Decimal, real: float) -> str | None:
    """The workings, if their result rounds to the float's digits or next to them; a short result must be the float."""
    shown = Decimal(repr(real))
    unit = Decimal(1).scaleb(-_places(shown))
    is_long = len(result.normalize().as_tuple().digits) > _KEPT
    return work if abs(result - shown) <= (_MOST_UNITS * unit if is_long else 0) else None


def _digits(number: Decimal, places: int) -> int:
    return int(number.scaleb(places))


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _total(numbers: Sequence[Decimal]) -> str | None:
    places = max(map(_places, numbers))
    terms = [_digits(number, places) for number in numbers]
    return long_arithmetic.running(terms) if max(map(abs, terms)) < 10**_LONGEST and all(terms) else None


def _product(a: Decimal, b: Decimal) -> str | None:
    """The product by a number of one or two digits; by a power of ten only the point moves."""
    small, large = sorted(abs(_digits(each, _places(each))) for each in (a, b))
    small = int(str(small).rstrip("0") or "0")
    if not 1 < small <= _LONGEST_FACTOR or large >= 10**_LONGEST:
        return None
    if small < 10 or column_arithmetic.is_long_product(large, small):
        return divisor_steps.multiplied(large, small)
    return f"{large}*{small}={column_arithmetic.product(large, small)}"


def _ratio(a: Decimal, b: Decimal) -> str | None:
    """The division by a short number, digit by digit; by a power of ten only the point moves."""
    above, below = abs(_digits(a, _places(a))), abs(_digits(b, _places(b)))
    if not 1 < below <= _LONGEST_DIVISOR or _ROUND.match(str(below)) or not above < 10**_LONGEST:
        return None
    return f"{above}/{below} {long_arithmetic.ratio(above, below, brief=below > _SHORT_DIVISOR)}" if above else None

"""Writes out square roots to eight or nine digits, and hypotenuses; knows only decimals.

sqrt(364)         10:100 20:400 19:361 20:400; 364-361=3 300/380:0 30000/3800:7 3807*7=26649 30000-26649=3351 ..
sqrt(0.5)         70:4900 80:6400 70:4900 71:5041; 5000-4900=100 10000/1400:7 1407*7=9849 ..
hypot(7, 24)      49+576=625 20:400 30:900 25:625 26:676        the sum of the squares, and its root

The first three or four digits by squares (`divisor_steps.py`), the next three digits of the root by what is left over
twice the root, then a division by twice the root. The model must place the point and guess the last digits.
"""

import re
from decimal import Decimal
from math import isqrt

from cwm_agent.views.scratchpad.arithmetic import divisor_steps, long_arithmetic

_DECIMAL = re.compile(r"\d{1,12}(?:\.\d{1,20})?$")
_STEPS = 3
"""Digits of the root that are found one by one."""
_DIVIDED = 2
"""Pairs of digits for which the division goes on."""
_PAIR, _PAIRS = 100, 10_000
_KNOWN_SQUARE = 100
"""Numbers below are squared at once, and two such squares are added at once."""
_KNOWN_SUM = 2 * _KNOWN_SQUARE**2
_SMALL_SQUARES = frozenset(Decimal(number * number) for number in range(10))
_LARGEST_SIDE = 10**4


def root(text: str) -> str | None:
    """Return the steps to the root of a number above 0; None for others, and for small squares."""
    if not _DECIMAL.match(text) or not (number := Decimal(text)) or number in _SMALL_SQUARES:
        return None
    while number >= _PAIRS:
        number /= _PAIR
    while number < _PAIR:
        number *= _PAIR
    leading, further = divmod(number, 1)
    return _steps(int(leading), f"{further:f}".partition(".")[2].rstrip("0"))


def _steps(leading: int, further: str) -> str:
    """The steps for the leading digits and those behind, which are taken in pairs."""
    pairs = iter(further[place : place + 2].ljust(2, "0") for place in range(0, len(further), 2))
    left = -(-len(further) // 2)
    known = isqrt(leading)
    rest = leading - known * known
    found = [f"{divisor_steps.root(leading)}"]
    if not rest and not left:
        return found[0]
    found[0] += f"; {leading}-{known * known}={rest}"
    for _ in range(_STEPS):
        rest = rest * _PAIR + int(next(pairs, "0"))
        left -= 1
        digit = isqrt(known * known * _PAIR + rest) - known * 10
        taken = (20 * known + digit) * digit
        found.append(f"{rest}/{20 * known}:{digit}")
        if digit:
            found.append(f"{20 * known + digit}*{digit}={taken} {rest}-{taken}={rest - taken}")
        known, rest = known * 10 + digit, rest - taken
        if not rest and left <= 0:
            return " ".join(found)
    for _ in range(_DIVIDED):
        rest = rest * _PAIR + int(next(pairs, "0"))
    found.append(f"{rest}/{2 * known} {long_arithmetic.arithmetic(rest, '//', 2 * known) or 0}")
    return " ".join(found)


def hypotenuse(left: str, right: str) -> str | None:
    """Return the squares of both sides, their sum and the steps to its root."""
    sides = [text.removeprefix("-") for text in (left, right)]
    if not all(map(_DECIMAL.match, sides)):
        return None
    places = max(len(side.partition(".")[2].rstrip("0")) for side in sides)
    a, b = (int(Decimal(side).scaleb(places)) for side in sides)
    if max(a, b) >= _LARGEST_SIDE or not (a or b):
        return None
    total = a * a + b * b
    steps = root(f"{Decimal(total).scaleb(-2 * places):f}")
    squares = [divisor_steps.multiplied(side, side) for side in (a, b) if not _is_known(side)]
    if not squares and total < _KNOWN_SUM:
        squares = [f"{a * a}+{b * b}={total}"]
    else:
        squares.append(long_arithmetic.running([a * a, b * b]))
    return f"{'; '.join(squares)}{f' {steps}' if steps else ''}"


def _is_known(side: int) -> bool:
    """Whether a number is squared at once: one or two digits before zeros."""
    return int(str(side).rstrip("0") or "0") < _KNOWN_SQUARE

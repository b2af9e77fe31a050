"""Writes out how a fraction loses its common factors, one factor at a time; knows only whole numbers.

75/45       75/45 3:25/15 5:5/3
1000/110    1000/110 10:100/11

What binary rounding does to a quotient depends on the odd part of the reduced denominator, and the divisions by a
short number are short. A network sees in the last digits and in the sum of the digits which factor comes next.
"""

from math import gcd

_ROUND = 10
_LARGEST_FACTOR = 100


def cancelled(numerator: int, denominator: int) -> str:
    """Return a fraction of positive numbers, then each common factor with what it leaves."""
    found = [f"{numerator}/{denominator}"]
    while (common := gcd(numerator, denominator)) > 1:
        factor = _ROUND if common % _ROUND == 0 else _smallest_factor(common)
        numerator, denominator = numerator // factor, denominator // factor
        found.append(f"{factor}:{numerator}/{denominator}")
    return " ".join(found)


def _smallest_factor(number: int) -> int:
    """The smallest prime factor; a number without one below the largest is left as it is."""
    return next((factor for factor in range(2, _LARGEST_FACTOR) if number % factor == 0), number)


def is_cancelled(numerator: int, denominator: int) -> bool:
    """Whether a quotient is worked out from the reduced fraction: it has a common factor and no end."""
    common = gcd(numerator, denominator)
    return common > 1 and not ends(denominator // common)


def ends(denominator: int) -> bool:
    """Whether a reduced fraction with this denominator is a decimal of finite length; 0 is none."""
    for factor in (2, 5):
        while denominator and denominator % factor == 0:
            denominator //= factor
    return denominator == 1

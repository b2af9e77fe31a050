"""Writes out arithmetic on short decimals as whole numbers without the point; knows no program.

14.6 + 15.3        146+153=299
2.5 * 93.4         .1+1=2 25*934=..=23350    the digits behind the point; the product as `long_arithmetic.py` writes it
54.6 / 4           .1 546/4 5:1 14:3 26:6 2 . 20:5    by how many digits the point moves, if it does
1.5 / 4.5          15/45 3:5/15 5:1/3 . 10:3 ..    of the reduced fraction, if it has no end (`common_factors.py`)
sum([1.5, 2.25])   150+225=375
7.3 % 2            73-60=13
12.5 // 0.5        125//5 12:2 25:5 0
round(22.99, 1)    22.9|9
round(2.675, 2)    2.67|5;51 175*..:.. .4    the float is .4 steps below the middle
0.31 * 12.46       .2+2=4 31*1246=..=38626;?        what binary rounding does is too long to tell

A float near a short decimal is written as that decimal; other long ones are in `long_decimals.py`. Where the result is
not the float of the exact decimal, what binary rounding does follows (`binary_rounding.py`). The model must place the
point itself.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd

from cwm_agent.views.scratchpad.arithmetic import (
    binary_rounding,
    common_factors,
    divisor_steps,
    long_arithmetic,
    long_decimals,
)

_NUMBER = re.compile(r"-?(\d{1,9})(?:\.(\d{1,6}))?$")
_LONG = re.compile(r"(-?\d{1,9})(?:\.(\d{1,20}))?$")
_LONGEST = 430
"""Most bytes of workings with what binary rounding does; the exact decimals alone where it would be more."""
_REAL: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}
_OF_FRACTIONS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}
_UNTOLD = "?"
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
    if sign == "**" and right == "2":
        return arithmetic(left, "*", left)
    if sign == "//":
        return _floor(left, right)
    if sign not in _REAL or not (_LONG.match(left) and _LONG.match(right)) or (sign in "/%" and not float(right)):
        return None
    one, other = binary_rounding.near(left), binary_rounding.near(right)
    real = _REAL[sign](float(left), float(right))
    if one is None or other is None:
        return _of_long(left, sign, right, real)
    exact = _OF_FRACTIONS[sign](one.decimal, other.decimal)
    tells = float(exact) == real or not common_factors.ends(exact.denominator)
    return _with_rounding(
        lambda brief: _exact(str(one), sign, str(other), brief=brief),
        binary_rounding.operation(one, sign, other, real),
        exact_tells=tells,
    )


def _floor(left: str, right: str) -> str | None:
    """Return a division to a whole number; None where a sign or binary rounding leads to another one."""
    behind = _places(left), _places(right)
    if behind[0] is None or behind[1] is None or not float(right):
        return None
    a, b = _scaled(left, max(behind[0], behind[1])), _scaled(right, max(behind[0], behind[1]))
    if a < 1 or b < 1 or a // b != float(left) // float(right):
        return None
    work = long_arithmetic.arithmetic(a, "//", b)
    return f"{a}//{b} {work}" if work else f"{a}//{b}"


def _of_long(left: str, sign: str, right: str, real: float) -> str | None:
    """Return the workings where a number is near no decimal of a few places."""
    exact = _exact(left, sign, right) if _tells(left, sign, right, real) else None
    is_short = exact is not None and len(exact) <= _LONGEST
    return exact if is_short else long_decimals.arithmetic(left, sign, right)


def _tells(left: str, sign: str, right: str, real: float) -> bool:
    return float(_OF_FRACTIONS[sign](Fraction(left), Fraction(right))) == real


def quotient(a: int, b: int) -> str | None:
    """Return the workings of a division of whole numbers."""
    near = binary_rounding.near(str(a)), binary_rounding.near(str(b))
    if not b:
        return None
    rounding = None if near[0] is None or near[1] is None else binary_rounding.operation(near[0], "/", near[1], a / b)
    return _with_rounding(lambda brief: _divided_whole(abs(a), abs(b), brief=brief), rounding, exact_tells=True)


def _divided_whole(a: int, b: int, *, brief: bool) -> str | None:
    """Return a division; of the reduced fraction, with the fraction before it, if it has no end."""
    if common_factors.is_cancelled(a, b):
        return _ratio(a, b, brief=brief)
    return long_arithmetic.ratio(a, b, brief=brief)


Written = Callable[[bool], str | None]
"""Returns the exact decimals, in a brief form if it is asked for."""


def _with_rounding(exact: Written, rounding: str | None, *, exact_tells: bool) -> str | None:
    """Return both together; after the exact decimals alone a mark, where they do not tell the last digits."""
    full = exact(False)
    if full is None:
        return None
    for form in (full, exact(True)) if rounding is not None else ():
        if len(both := f"{form};{rounding}") <= _LONGEST:
            return both
    return full if exact_tells else f"{full};{_UNTOLD}"


def _exact(left: str, sign: str, right: str, *, brief: bool = False) -> str | None:
    """Return an operation on short decimals, as if they were whole numbers."""
    behind = _places(left), _places(right)
    if behind[0] is None or behind[1] is None or not any(behind):
        return None
    if sign in ("+", "-"):
        return _sum([left, right if sign == "+" else _negated(right)])
    a, b = abs(_scaled(left, behind[0])), abs(_scaled(right, behind[1]))
    if sign == "*":
        return f"{long_decimals.point(behind[0], behind[1])}{divisor_steps.multiplied(a, b)}"
    if sign == "%":
        return _remainder(left, right)
    if sign != "/" or not b:
        return None
    more = behind[1] - behind[0]
    return f"{long_decimals.point(-more)}{_ratio(a * 10 ** max(more, 0), b, brief=brief)}"


def _remainder(left: str, right: str) -> str | None:
    places = max(_places(left) or 0, _places(right) or 0)
    a, b = _scaled(left, places), _scaled(right, places)
    return None if a < 0 or b < 1 else f"{a}-{a // b * b}={a % b}"


def _negated(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


def _ratio(a: int, b: int, *, brief: bool = False) -> str:
    """Return a fraction and its division; if it has no end, without the common factors."""
    written, common = f"{a}/{b}", 1
    if common_factors.is_cancelled(a, b):
        written, common = common_factors.cancelled(a, b), gcd(a, b)
    work = long_arithmetic.ratio(a // common, b // common, brief=brief)
    return f"{written} {work}" if work else written


def total(terms: Sequence[str], *, count: int = 1, once: bool = False) -> str | None:
    """Return a sum of decimals, term by term, divided by the count; None if the terms are no decimals.

    With `once` the sum is rounded once, as `fsum` does it.
    """
    if len(terms) < 2 or not all(map(_LONG.match, terms)):
        return None
    near = [each for each in map(binary_rounding.near, terms) if each is not None]
    exact = float(sum(Fraction(float(term)) for term in terms) / count)
    real = sum(map(float, terms)) if count == 1 and not once else exact
    if len(near) < len(terms):
        return _total_of_long(terms, count, real)
    tells = count > 1 or float(sum(each.decimal for each in near)) == real
    summed = _sum([*map(str, near)])
    return _with_rounding(
        lambda brief: _divided(summed, count, brief=brief),
        binary_rounding.mean(near, count, real),
        exact_tells=tells,
    )


def _total_of_long(terms: Sequence[str], count: int, real: float) -> str | None:
    exact = _sum(terms)
    if count == 1:
        tells = exact is not None and float(sum(map(Fraction, terms))) == real
        return exact if tells else long_decimals.total(terms)
    return _divided(exact or long_decimals.total(terms), count)


def _divided(summed: str | None, count: int, *, brief: bool = False) -> str | None:
    """Return a sum with the division of it by a count behind it."""
    if summed is None or count == 1:
        return summed
    return f"{summed} {_ratio(abs(int(summed.rpartition('=')[2])), count, brief=brief)}"


def _sum(terms: Sequence[str]) -> str | None:
    behind = [_places(term) for term in terms]
    known = [places for places in behind if places is not None]
    if len(known) < len(behind) or len(known) < 2:
        return None
    return long_arithmetic.running([_scaled(term, max(known)) for term in terms])


def rounded(text: str, places: int, *, ties: bool = True) -> str | None:
    """Return the digits that rounding keeps and those behind them; None if it cuts nothing off.

    Where a five is cut off, what the float lacks follows, which tells on which side of the middle it is.
    """
    match = _LONG.match(text)
    if match is None or match[2] is None or not 0 <= places < len(match[2].rstrip("0")):
        return None
    kept = f"{match[1]}.{match[2][:places]}" if places else match[1]
    cut = match[2][places : places + _SEEN]
    tie = binary_rounding.lack(text) if ties and match[2][places:].rstrip("0") == "5" else None
    return f"{kept}|{cut};{tie}" if tie else f"{kept}|{cut}"

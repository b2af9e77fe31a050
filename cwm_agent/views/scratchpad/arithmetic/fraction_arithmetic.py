"""Writes out arithmetic on `Fraction` values as whole numbers; knows only their text.

Fraction(1, 6) + Fraction(1, 4)    1*4=4 1*6=6 4+6=10/6*4=24; 24:2-20=4 10:2-8=2 4:2-4=0; 2 5/12
Fraction(2, 3) * Fraction(3, 8)    2*3=6/3*8=24; 24:4-24=0; 6 1/4    each result reduced by the common divisor
Fraction(1, 3) < Fraction(1, 4)    1*4=4 1*3=3                       the products that are compared
sum([1/2, 1/3, 1/6])               1/2+1/3: 1*3=3 1*2=2 3+2=5/2*3=6 =5/6, 5/6+1/6: ..=1/1
Fraction(28, 3) ** 3               784 21952/9 27
Fraction(12, 18)                   18:1-12=6 12:2-12=0; 6 2/3
"""

import re
from fractions import Fraction

from cwm_agent.views.scratchpad.arithmetic import divisor_steps, long_arithmetic

_RATIO = re.compile(r"Fraction\((-?\d{1,9}), (\d{1,9})\)$|(-?\d{1,9})$")
_LARGEST_EXPONENT = 10


def is_fraction(text: str) -> bool:
    """Whether a text is that of a Fraction."""
    return text.startswith("Fraction(")


def parts(text: str) -> tuple[int, int] | None:
    """The numerator and the denominator of a Fraction's text; None for others."""
    return _ratio(text) if is_fraction(text) else None


def _ratio(text: str) -> tuple[int, int] | None:
    match = _RATIO.match(text)
    if match is None:
        return None
    return (int(match[3]), 1) if match[3] else (int(match[1]), int(match[2]))


def arithmetic(left: str, sign: str, right: str) -> str | None:
    """Return the workings of an operation on two fractions, or a fraction and a whole number; None for others."""
    one, other = _ratio(left), _ratio(right)
    if one is None or other is None:
        return None
    if sign in ("+", "-"):
        return _total(one, sign, other)
    if sign == "**":
        return _powers(one, other[0]) if is_fraction(left) and other[1] == 1 else None
    if sign == "/" and other[0]:
        other = (other[1], other[0]) if other[0] > 0 else (-other[1], -other[0])
    elif sign != "*":
        return None
    numerator, denominator = one[0] * other[0], one[1] * other[1]
    products = f"{_product(one[0], other[0])}/{_product(one[1], other[1])}"
    return _with_reduction(products, numerator, denominator)


def total(texts: list[str]) -> str | None:
    """Return a sum of fractions term by term, each reduced before the next is added; None for others."""
    ratios = [_ratio(text) for text in texts]
    if len(ratios) < 2 or None in ratios:
        return None
    known, rows = Fraction(*ratios[0] or (0, 1)), []
    for ratio in ratios[1:]:
        other = ratio or (0, 1)
        before = (known.numerator, known.denominator)
        known += Fraction(*other)
        shown = f"{before[0]}/{before[1]}+{other[0]}/{other[1]}"
        if not before[0] or not other[0]:  # nothing to add
            rows.append(f"{shown}={known.numerator}/{known.denominator}")
        else:
            rows.append(f"{shown}: {_total(before, '+', other)} ={known.numerator}/{known.denominator}")
    return ", ".join(rows)


def _total(one: tuple[int, int], sign: str, other: tuple[int, int]) -> str:
    first, second = one[0] * other[1], other[0] * one[1]
    numerator = first + second if sign == "+" else first - second
    products = f"{_product(one[0], other[1])} {_product(other[0], one[1])}"
    total = f"{first}{second if sign == '+' else -second:+d}={numerator}/{_product(one[1], other[1])}"
    return _with_reduction(f"{products} {total}", numerator, one[1] * other[1])


def _powers(ratio: tuple[int, int], exponent: int) -> str | None:
    """The powers of both parts; a power of a reduced fraction is reduced."""
    if not 1 < exponent < _LARGEST_EXPONENT:
        return None
    return "/".join(_power(abs(part), exponent) for part in ratio)


def _power(number: int, exponent: int) -> str:
    work, found = long_arithmetic.arithmetic(number, "**", exponent), str(number**exponent)
    return found if work is None else work if work.endswith(found) else f"{work}={found}"


def _product(a: int, b: int) -> str:
    sign = "-" if (a < 0) != (b < 0) and a and b else ""
    return sign + divisor_steps.multiplied(abs(a), abs(b))


def _with_reduction(written: str, numerator: int, denominator: int) -> str:
    steps = divisor_steps.reduced(numerator, denominator)
    return written if steps is None else f"{written}; {steps}"


def compared(left: str, right: str) -> str | None:
    """Return the two products that decide which fraction is larger; None if either is no fraction."""
    one, other = _ratio(left), _ratio(right)
    if one is None or other is None:
        return None
    return f"{_product(one[0], other[1])} {_product(other[0], one[1])}"

"""Writes out why a float is not the decimal that one expects: what binary rounding drops; knows only numbers.

11.2 + 36.4    49 2*6=12:2 .4;47 4*4=16:6 .2;47 6*4=24:4 .8;.8-.1-.2=.5:0;-.8*7.105e-15=-5.68e-15 47.59999999999999432

A float is a whole number of steps of 2**-k. For each number: k, then how many steps it is beyond an even number of
them, by the remainder modulo twice the odd part of its denominator (11.2 is 112 * 2**48 / 5 steps of 2**-49, and
112 * 2**48 % 10 is 2 * 6 % 10 = 2, so 2/5 = .4); of an operand, what its float lacks. Then the steps of the exact
result less what the operands lack, and the whole number next to it. If that is not the float of the exact result,
the distance in decimals follows. A remainder is exact, so only what the operand lacks is added to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import frexp, gcd

from cwm_agent.views.scratchpad.arithmetic import common_factors, modular_powers

_FLOAT = re.compile(r"-?\d{1,7}(?:\.\d{1,20})?$")
_MOST_PLACES = 3
_MOST_STEPS = 60
"""Farthest that a float may be from a short decimal to be written as one with an error."""
_LARGEST_MODULUS = 250
_KNOWN_MODULUS = 100
"""Largest one below which products are known by heart."""
_LARGEST_PERIOD = 49
"""Largest odd denominator of a quotient that does not end for which remainders and products are known by heart; for
larger ones they are worked out (`modular_powers.py`)."""
_SMALLEST, _LARGEST = Fraction(1, 1000), 10**7
_DISTANCE_DIGITS = (3, 4, 5)
"""Digits of a distance, with one more of the step; more than three where it is many steps."""


@dataclass(frozen=True, slots=True)
class NearDecimal:
    """The short decimal next to a float, and how much smaller than it the float is."""

    digits: int
    """The decimal without its point."""
    places: int
    """Digits behind the point."""
    lacks: Fraction
    """How much smaller the float is, in steps of the float."""

    @property
    def decimal(self) -> Fraction:
        return Fraction(self.digits, 10**self.places)

    def __str__(self) -> str:
        return f"{float(self.decimal):.{self.places}f}"


def near(text: str) -> NearDecimal | None:
    """The short decimal next to a number; None if there is none so near."""
    if not _FLOAT.match(text):
        return None
    value = Fraction(float(text))
    for places in range(_MOST_PLACES + 1):
        short = round(Fraction(text), places)
        if short and _SMALLEST <= abs(short) < _LARGEST:
            lacks = (short - value) * 2 ** _place(short)
            if abs(lacks) <= _MOST_STEPS:
                return NearDecimal(int(short * 10**places), places, lacks)
    return None if value else NearDecimal(0, 0, Fraction(0))


def lack(text: str) -> str | None:
    """Return how much smaller than its short decimal a float is, in steps of the float; None if they are the same."""
    found = near(text)
    return _operand_steps(found) if found is not None and found.lacks else None


def _place(value: Fraction) -> int:
    """The k of a number's steps of 2**-k as a float."""
    return 53 - frexp(float(abs(value)))[1]


def rounding(
    operands: Sequence[NearDecimal], influences: Sequence[Fraction], result: tuple[int, int], real: float
) -> str | None:
    """Return how the float of a result (numerator, denominator) comes about; None if it is plain or too hard to tell.

    An influence says by how much the result changes with an operand.
    """
    exact = abs(Fraction(*result))
    inexact = [(each, influence) for each, influence in zip(operands, influences, strict=True) if each.lacks]
    if not _SMALLEST <= exact < _LARGEST or (not inexact and _is_short(exact)):
        return None
    sign = 1 if result[0] > 0 else -1
    place = _place(exact if real * sign <= 0 else min(exact, Fraction(real) * sign))  # shorter steps below a power of 2
    found = _steps(abs(result[0]), abs(result[1]), place)
    pieces = [_operand_steps(each) for each, _ in inexact]
    if found is None or None in pieces:
        return None
    steps, work = found
    lacking = [
        sign * each.lacks * influence * Fraction(2) ** (place - _place(each.decimal)) for each, influence in inexact
    ]
    offset = steps - sum(map(_shown, lacking))
    whole = round(offset)
    if Fraction(real) * sign != exact + (whole - steps) / 2**place:
        return None
    pieces.append(f"{work} {_written(steps)}")
    if lacking:
        terms = "".join(_signed(-each) for each in lacking)
        pieces.append(f"{_written(steps)}{terms}={_written(offset)}:{whole}")
    plain = whole == round(steps) and _is_short(exact)
    distance = "=" if plain else _distance(exact, whole - steps, place, abs(real))
    return None if distance is None else ";".join([*filter(None, pieces), distance])


def operation(left: NearDecimal, sign: str, right: NearDecimal, real: float) -> str | None:
    """Return how the float of an operation on two numbers comes about; None as in `rounding`."""
    a, b = left.decimal, right.decimal
    if not a or not b or _only_scales(left, sign, right):
        return None
    places = max(left.places, right.places)
    scaled = left.digits * 10 ** (places - left.places), right.digits * 10 ** (places - right.places)
    if sign in ("+", "-"):
        one = 1 if sign == "+" else -1
        return rounding((left, right), (Fraction(1), Fraction(one)), (scaled[0] + one * scaled[1], 10**places), real)
    if sign == "*":
        product = left.digits * right.digits, 10 ** (left.places + right.places)
        return rounding((left, right), (b, a), product, real)
    if sign == "/":
        ratio = scaled if b > 0 else (-scaled[0], -scaled[1])
        return rounding((left, right), (1 / b, -a / b**2), _as_decimal(*ratio, 10 ** (places - right.places)), real)
    if sign == "%" and a > 0 and b > 0 and not right.lacks:
        return _remainder(left, Fraction(scaled[0] % scaled[1], 10**places), real)
    return None


def _remainder(left: NearDecimal, exact: Fraction, real: float) -> str | None:
    """The remainder of a float is exact: it lacks what the float lacks, in steps of that."""
    steps = _operand_steps(left) if left.lacks else None
    plain = float(exact) == real
    distance = "=" if plain else _distance(exact, -left.lacks, _place(left.decimal), real) if exact else None
    return None if steps is None or distance is None else f"{steps};{distance}"


def _only_scales(left: NearDecimal, sign: str, right: NearDecimal) -> bool:
    """Whether a plain number is multiplied or divided by a power of two: the float of the exact result."""
    powers = (right,) if sign == "/" else (left, right) if sign == "*" else ()
    doubles = any(_is_power(each.decimal) for each in powers)
    return doubles and all(abs(each.lacks) < 1 for each in (left, right))


def _is_power(value: Fraction) -> bool:
    whole = abs(value.numerator) * value.denominator
    return whole & (whole - 1) == 0


def mean(terms: Sequence[NearDecimal], count: int, real: float) -> str | None:
    """Return how the float of a sum that is divided by a count comes about; by 1 it is the sum."""
    places = max(each.places for each in terms)
    total = sum(each.digits * 10 ** (places - each.places) for each in terms)
    return rounding(terms, [Fraction(1, count)] * len(terms), _as_decimal(total, count * 10**places, 10**places), real)


def _as_decimal(numerator: int, denominator: int, tens: int = 1) -> tuple[int, int]:
    """A ratio with a power of ten below it, if it is a short decimal; otherwise without common factors.

    Those are of the ratio as it is written, which leaves out so many tens in the denominator.
    """
    for places in range(_MOST_PLACES + 1):
        if numerator * 10**places % denominator == 0:
            return numerator * 10**places // denominator, 10**places
    written = denominator // tens
    common = gcd(numerator, written) if common_factors.is_cancelled(numerator, written) else 1
    return numerator // common, denominator // common


def _is_short(value: Fraction) -> bool:
    return 10**6 % value.denominator == 0


def _operand_steps(operand: NearDecimal) -> str | None:
    found = _steps(abs(operand.digits), 10**operand.places, _place(operand.decimal))
    return None if found is None else f"{found[1]} {_written(operand.lacks if operand.digits > 0 else -operand.lacks)}"


def _steps(numerator: int, denominator: int, place: int) -> tuple[Fraction, str] | None:
    """How many steps a number is beyond an even number of them, from 0 to 2; and the workings."""
    twos = (denominator & -denominator).bit_length() - 1
    odd = denominator >> twos
    modulus = 2 * odd
    if place < twos:
        return None
    if modulus > (_LARGEST_MODULUS if common_factors.ends(odd) else 2 * _LARGEST_PERIOD):
        return None if common_factors.ends(odd) else _worked_out(numerator, odd, place, place - twos)
    left, right = numerator % modulus, pow(2, place - twos, modulus)
    return Fraction(left * right % modulus, odd), f"{place} {left}*{right}={_product(left, right, modulus)}"


def _worked_out(numerator: int, odd: int, place: int, power: int) -> tuple[Fraction, str] | None:
    """The same modulo one step, which is enough where no number lies just between two steps."""
    found = modular_powers.remainder(numerator, power, odd) if odd <= modular_powers.LARGEST_MODULUS else None
    return None if found is None else (Fraction(found[0], odd), f"{place} {found[1]}")


def _product(left: int, right: int, modulus: int) -> str:
    """The product and its remainder; those of every digit of the right where the modulus is large."""
    remainder = left * right % modulus
    if modulus <= _KNOWN_MODULUS:
        return f"{left * right}:{remainder}"
    parts = [left * int(digit) * 10**place for place, digit in enumerate(reversed(str(right))) if digit != "0"]
    return "+".join(f"{part}:{part % modulus}" for part in parts) + f"={remainder}"


def _distance(result: Fraction, steps: Fraction, place: int, real: float) -> str | None:
    """The distance of a float from an exact result, and the float with two digits more than it needs.

    With as few digits as tell the float; None if all are too few.
    """
    for digits in _DISTANCE_DIGITS:
        with localcontext(prec=40):
            step = Decimal(f"{Decimal(2) ** -place:.{digits}e}")
            distance = Decimal(f"{_decimal(_shown(steps)) * step:.{digits - 1}e}")
            float_text = f"{Decimal(result.numerator) / result.denominator + distance:.19g}"
        if float(float_text) == real:
            return f"{_written(steps)}*{step}={distance} {float_text}".replace("E", "e")
    return None


def _shown(value: Fraction) -> Fraction:
    """A number of steps to three places."""
    return Fraction(round(value * 1000), 1000)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


def _written(value: Fraction) -> str:
    """A number of steps to three places, without a zero before the point."""
    text = f"{_decimal(_shown(value)):f}"
    return re.sub(r"^(-?)0\.", r"\1.", text)


def _signed(value: Fraction) -> str:
    text = _written(value)
    return text if text.startswith("-") else f"+{text}"

"""Numbers whose every digit counts: long decimals, fractions, powers of two, whole numbers beyond a word's bits, spans
of time, and lists whose spread is asked for.

Each recipe is `(rng, *values drawn before) -> number or list of numbers`.
"""

import math
import operator
from collections.abc import Callable
from datetime import time, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random

from cwm_agent.training.values import library_values


def whole_decimal(rng: Random) -> Decimal:
    return Decimal(rng.choice((rng.randint(1, 20), rng.randint(1, 400), rng.randint(1, 9) * 10)))


def third(rng: Random) -> Decimal:
    """A quotient with as many digits as the context keeps."""
    top = Decimal(rng.randint(1, rng.choice((20, 100, 1000)))) * rng.choice(
        (Decimal(1), Decimal("0.1"), Decimal("0.5"))
    )
    return top / rng.choice((3, 3, 3, 6, 7, 9, 11, 12, 13, 15))


def third_divisor(rng: Random) -> Decimal:
    return Decimal(rng.choice((3, 3, 6, 7, 9, 11, 12)))


def decimal_beside(rng: Random, other: object) -> Decimal:
    """A decimal whose difference to the other is short, small or zero."""
    if not isinstance(other, Decimal):
        return third(rng)
    return rng.choice(
        (
            *(other, round(other, 1), Decimal(round(other)), other + Decimal("0.5"), third(rng), third(rng)),
            Decimal(rng.randint(0, 40)) / 2,
        )
    )


def third_list(rng: Random) -> list[Decimal]:
    return [rng.choice((third, whole_decimal))(rng) for _ in range(rng.randint(2, 3))]


def decimal_ranks(rng: Random) -> list[object]:
    """Decimals with names, to be ordered."""
    return [(rng.choice((third, whole_decimal))(rng), letter) for letter in "abcd"[: rng.randint(2, 4)]]


def unit_fraction(rng: Random) -> Fraction:
    return Fraction(1, rng.randint(2, rng.choice((12, 60, 240))))


def proper_fraction(rng: Random) -> Fraction:
    return Fraction(rng.randint(-30, 60), rng.randint(1, rng.choice((9, 9, 48, 120))))


def equal_fraction(rng: Random, other: object) -> Fraction:
    """Often the same number again, so that the difference is zero."""
    return other if isinstance(other, Fraction) and rng.random() < 0.4 else unit_fraction(rng)


def fraction_texts(rng: Random) -> list[str]:
    return [f"{rng.randint(1, 5)}/{rng.randint(2, 9)}" for _ in range(rng.randint(1, 4))]


def mapped_fractions(rng: Random) -> object:
    """Fractions that are made of texts one by one."""
    return map(Fraction, fraction_texts(rng))


def eighths(rng: Random) -> float:
    """A float between -2 and 2 whose binary digits are few."""
    return rng.randint(-64, 64) / rng.choice((2, 4, 8, 16, 32))


def dyadic(rng: Random) -> float:
    return rng.randint(-1000, 1000) / rng.choice((2, 4, 8, 16, 64, 256))


def tiny_power(rng: Random) -> int:
    return rng.choice((0, 1, 2, 2, 2, 3, 3, 4))


def big_float(rng: Random) -> float:
    """A whole float of ten to eighteen digits, often a power of two or beside one."""
    power = 2 ** rng.randint(30, 60)
    return float(rng.choice((power, power - 1, power + 1, rng.randint(10**9, 10**15))))


def small_factor(rng: Random) -> int:
    return rng.choice((2, 2, 2, 3, 4, 5, 8, 10, 100))


def packed(rng: Random) -> int:
    """Several bytes in one number, as colours, addresses and masks are kept."""
    parts = [rng.choice((0, 1, 8, 15, 127, 128, 192, 255, rng.randint(0, 255))) for _ in range(rng.randint(2, 4))]
    return int.from_bytes(bytes(parts), "big")


def byte_shift(rng: Random) -> int:
    return rng.choice((8, 8, 16, 16, 24, 4, 12, 1, 2))


def byte_mask(rng: Random) -> int:
    return rng.choice((255, 255, 255, 15, 127, 1023, 65535, 1, 3, 7, 240, 128))


def prime_modulus(rng: Random) -> int:
    return rng.choice((7, 11, 13, 97, 101, 127, 257, 997, 1009, 10007, 65537, 1000, 26, 256, 10**9 + 7))


def to_reduce(rng: Random) -> int:
    return rng.randint(10 ** rng.randint(1, 5), 10 ** rng.randint(5, 7))


def small_base(rng: Random) -> int:
    return rng.randint(2, 12)


def small_exponent(rng: Random) -> int:
    return rng.choice((2, 3, 4, 5, 7, 10, 13, -1))


def divisible(rng: Random) -> list[int]:
    """Numbers with common factors."""
    factor = rng.choice((1, 2, 3, 4, 5, 6, 8, 10, 12))
    return [factor * rng.randint(1, rng.choice((6, 12, 20))) for _ in range(rng.randint(2, 4))]


def folding_function(rng: Random) -> Callable[..., object]:
    return rng.choice((math.lcm, math.gcd))


def list_number_function(rng: Random) -> Callable[..., object]:
    return rng.choice((math.prod, math.prod, sum, max, min, math.fsum))


def rounding_function(rng: Random) -> Callable[..., object]:
    return rng.choice((math.ceil, math.floor, math.trunc, round, int, abs, operator.neg))


def one_number_function(rng: Random) -> Callable[..., object]:
    return rng.choice((math.isqrt, math.factorial, bin, hex, oct, abs, operator.neg, operator.index, str, float, chr))


def bit_operator(rng: Random) -> Callable[..., object]:
    return rng.choice((operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift))


def compare_operator(rng: Random) -> Callable[..., object]:
    return rng.choice((operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.is_))


def arithmetic_operator(rng: Random) -> Callable[..., object]:
    return rng.choice(
        (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv, operator.pow)
    )


def complex_number(rng: Random) -> complex:
    return complex(rng.randint(-5, 9), rng.randint(-5, 9))


def fraction_class(_: Random) -> type:
    return Fraction


def same_spread(rng: Random) -> list[int]:
    """Numbers whose deviations are whole: a middle with as much on both sides."""
    middle, width = rng.randint(3, 40), rng.randint(0, 3)
    return [middle - width, middle + width] * rng.randint(1, 3)


def even_spread(rng: Random) -> list[int]:
    """Numbers at equal distances."""
    start, step = rng.randint(0, 20), rng.randint(1, 5)
    return [start + step * place for place in range(rng.randint(3, 8))]


def ordinal(rng: Random) -> int:
    return rng.randint(730_000, 740_000)


def day_time(rng: Random) -> time:
    return time(rng.randint(0, 23), rng.choice((0, 15, 30, 45, rng.randint(0, 59))))


def hour(rng: Random) -> int:
    return rng.randint(0, 23)


def hour_span(rng: Random) -> timedelta:
    return timedelta(minutes=rng.choice((1, 15, 30, 60, 60, 90, 1440)))


def small_fraction(rng: Random) -> Fraction:
    return Fraction(rng.randint(1, 9), rng.randint(1, 12))


def span_parts(rng: Random) -> dict[str, object]:
    """What a span of time is made of, by name."""
    names = rng.sample(("hours", "minutes", "days", "seconds", "weeks"), rng.choice((1, 2, 2, 3)))
    whole: dict[str, object] = {name: rng.choice((1, 2, 30, rng.randint(0, 59))) for name in names}
    return whole if rng.random() < 0.85 else {name: rng.choice((1.5, 0.5, 2)) for name in names}


def even_span(rng: Random) -> timedelta:
    """Hours and minutes, seldom days and seconds."""
    found = timedelta(hours=rng.randint(0, 30), minutes=rng.choice((0, 15, 30, rng.randint(0, 59))))
    return found + rng.choice(
        (timedelta(), timedelta(), timedelta(rng.randint(1, 6)), timedelta(0, rng.randint(1, 59)))
    )


def part_span(rng: Random) -> timedelta:
    """What a span of time is divided by."""
    return timedelta(minutes=rng.choice((1, 5, 15, 20, 30, 45, 60, 60, 90, 120, 480, 1440)))


def long_fraction(rng: Random) -> Fraction:
    """A fraction that a smaller one comes near."""
    if rng.random() < 0.3:
        return Fraction(str(round(rng.uniform(0, 4), rng.randint(1, 4))))
    return Fraction(rng.randint(1, 400), rng.randint(2, 400))


def denominator_limit(rng: Random) -> int:
    return rng.choice((2, 3, 5, 7, 8, 10, 12, 16, 20, 50, 100, rng.randint(2, 60)))


def coordinates(rng: Random) -> tuple[object, ...]:
    """Two or three numbers, often sides of a right triangle or of a box."""
    whole = ((3, 4), (5, 12), (8, 15), (6, 8), (1, 2, 2), (2, 3, 6), (1, 4, 8), (1, 1), (0, 5), (7, 24), (4, 4, 7))
    found = rng.choice((rng.choice(whole), tuple(rng.randint(-9, 9) for _ in range(rng.choice((2, 2, 3))))))
    return tuple(part * rng.choice((1, 1, -1)) for part in found)


def readings(rng: Random) -> list[object]:
    """Three to six short floats."""
    step = rng.choice((2, 2, 4, 1, 10))
    middle = rng.choice((0, 20, rng.randint(1, 90)))
    found = [rng.randint(middle * step, (middle + rng.choice((4, 9))) * step) / step for _ in range(rng.randint(3, 6))]
    return list(found)


def amounts_read(rng: Random) -> list[object]:
    """Whole numbers, fractions or decimals to be averaged."""
    item = rng.choice((small_fraction, library_values.decimal, lambda rng: rng.randint(0, 20)))
    return [item(rng) for _ in range(rng.randint(3, 5))]

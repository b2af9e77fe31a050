"""Numbers that take several steps of arithmetic: spreads, products, powers, other bases, halves, quotients, forms.

Each recipe is `(rng, *values drawn before) -> number, text or list`; knows nothing of the lines that use them.
"""

import math
from decimal import Decimal
from fractions import Fraction
from random import Random


def few_scores(rng: Random) -> list[object]:
    """Two to six whole numbers, often with a whole mean."""
    most = rng.choice((9, 9, 20, 20, 60, 100))
    found = [rng.randint(0, most) for _ in range(rng.choice((2, 3, 4, 4, 5, 5, 6)))]
    if rng.random() < 0.4:
        found[-1] += -sum(found) % len(found)
    return list(found)


def rooted_scores(rng: Random) -> list[object]:
    """The same, mostly with a standard deviation that is a short number."""
    found = few_scores(rng)
    for _ in range(60):
        if _has_root(found, 0) or _has_root(found, 1):
            return found
        found = few_scores(rng)
    return found


def _has_root(scores: list[object], less: int) -> bool:
    """Whether the variance, over the count or one less, is the square of a number with one place behind the point."""
    numbers = [each for each in scores if isinstance(each, int)]
    count = len(numbers)
    spread = count * sum(each * each for each in numbers) - sum(numbers) ** 2
    scaled, over = divmod(100 * spread, count * (count - less))
    return not over and math.isqrt(scaled) ** 2 == scaled


def few_halves(rng: Random) -> list[object]:
    """Two to five floats in halves, quarters or tenths."""
    step = rng.choice((2, 2, 4, 10))
    return [rng.randint(0, 12 * step) / step for _ in range(rng.randint(2, 5))]


def long_factor(rng: Random) -> int:
    """A whole number of six to eight digits, seldom of ten, seldom below zero."""
    found = rng.randint(10**5, 10 ** rng.choice((6, 7, 7, 8, 8, 8, 10)))
    return -found if rng.random() < 0.1 else found


def mid_factor(rng: Random) -> int:
    """A whole number of four to six digits."""
    return rng.randint(10**3, 10 ** rng.choice((4, 5, 6)))


def power_base(rng: Random) -> int:
    found = rng.choice((2, 2, 3, 3, 5, 6, 7, 11, 12, rng.randint(13, 99), rng.randint(100, 2000)))
    return -found if rng.random() < 0.1 else found


def power_exponent(rng: Random, base: object) -> int:
    """An exponent whose power has two to twelve digits, of two up to 20, seldom more."""
    size = abs(base) if isinstance(base, int) and abs(base) > 1 else 2
    digits = rng.choice((8, 10, 12, 20) if size == 2 or rng.random() < 0.15 else (6, 8, 10, 12))
    return rng.randint(2, max(2, int(digits / math.log10(size))))


def below_zero(rng: Random) -> int:
    """Below zero three times of four."""
    found = rng.randint(1, rng.choice((20, 100, 1000, 10**5)))
    return found if rng.random() < 0.25 else -found


def signed_divisor(rng: Random) -> int:
    """Below zero half of the time."""
    return rng.choice((-1, 1)) * rng.choice((2, 3, 4, 5, 7, 10, 12, rng.randint(2, 60)))


def binary_number(rng: Random) -> int:
    """A whole number of 9 to 33 bits, often with long runs of equal ones."""
    found = rng.getrandbits(rng.choice((9, 10, 12, 14, 16, 16, 20, 24, 31, 32))) | 1 << 8
    if rng.random() < 0.2:
        found = (1 << rng.randint(9, 32)) + rng.choice((-1, 0, 1))
    return -found if rng.random() < 0.08 else found


def binary_text(rng: Random) -> str:
    return rng.choice(("", "", "", "0b")) + f"{abs(binary_number(rng)):b}"


def octal_text(rng: Random) -> str:
    return rng.choice(("", "", "", "0o")) + f"{abs(binary_number(rng)):o}"


def hexadecimal_text(rng: Random) -> str:
    return rng.choice(("", "", "", "0x")) + f"{abs(binary_number(rng)):{rng.choice('xxX')}}"


def base_text(rng: Random, base: object) -> str:
    """Digits that fit a base, in capitals or not."""
    top = base if isinstance(base, int) and 2 <= base <= 36 else 10
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:top]
    text = "".join(rng.choices(digits, k=rng.randint(2, 5)))
    return text.upper() if rng.random() < 0.3 else text


def other_base(rng: Random) -> int:
    return rng.choice((3, 4, 5, 6, 7, 9, 12, 20, 32, 36, 36))


def halfway_number(rng: Random) -> float:
    """Halfway between two whole numbers, sometimes close to it."""
    part = rng.choice((0.5, 0.5, 0.5, 0.25, 0.75))
    return rng.choice((-1, 1, 1)) * (rng.randint(0, rng.choice((9, 60, 2000))) + part)


def half_decimal(rng: Random) -> float:
    """A float that ends in a five, one to three places behind the point."""
    return (rng.randint(0, rng.choice((50, 500))) * 10 + 5) / rng.choice((100, 100, 1000))


def half_ten(rng: Random) -> int:
    """A whole number that ends in 5, 50 or 500, or near it."""
    unit = rng.choice((10, 10, 100, 1000))
    found = rng.randint(0, 60) * unit + unit // 2 + rng.choice((0, 0, 0, 1, -1))
    return -found if rng.random() < 0.15 else found


def rounding_place(rng: Random) -> int:
    return rng.choice((-1, -1, -2, -3))


def half_amount(rng: Random) -> Decimal:
    """A decimal that ends in a five behind the point."""
    return Decimal(rng.randint(0, 400) * 10 + 5).scaleb(-rng.choice((1, 2, 3)))


def plane_number(rng: Random) -> complex:
    """A complex number with small whole parts, seldom with halves."""
    unit = rng.choice((1, 1, 1, 1, 2))
    return complex(rng.randint(-9, 9) / unit, rng.randint(-9, 9) / unit)


def plane_divisor(rng: Random) -> complex:
    """A complex number whose square of length ends quotients soon, mostly."""
    ends = ((1, 1), (1, -1), (0, 2), (2, 0), (3, 4), (4, -3), (1, 2), (2, 1), (-1, 2), (2, 2), (1, 3), (3, -1))
    return complex(*rng.choice(ends)) if rng.random() < 0.8 else complex(rng.randint(1, 6), rng.randint(-6, 6))


def amount_divisor(rng: Random) -> Decimal:
    """A decimal that leaves most quotients without an end."""
    whole = Decimal(rng.choice((3, 6, 7, 9, 11, 12, 13, 17, 21, 30)))
    return whole if rng.random() < 0.5 else Decimal(rng.randint(2, 99)).scaleb(-1)


def amount_divided(rng: Random) -> Decimal:
    return Decimal(rng.randint(1, rng.choice((20, 100, 10000)))).scaleb(-rng.choice((0, 0, 1, 2)))


def reckoned_fraction(rng: Random) -> Fraction:
    top = rng.choice((1, 1, 1, -1)) * rng.randint(1, rng.choice((9, 30, 200)))
    return Fraction(top, rng.randint(2, rng.choice((9, 16, 40, 120))))


def even_exponent(rng: Random) -> int:
    return rng.choice((2, 2, 3, -1, 4))


def long_floats(rng: Random) -> list[object]:
    """Three to five floats of one to seventeen digits."""
    return [
        rng.choice((round(rng.uniform(0, 50), rng.randint(1, 3)), rng.randint(1, 90) / rng.choice((3, 6, 7, 9, 11))))
        for _ in range(rng.randint(3, 5))
    ]


def short_floats(rng: Random) -> list[object]:
    """Three to six decimals of one or two places."""
    places = rng.choice((1, 1, 2))
    return [round(rng.uniform(0, rng.choice((1, 10, 100))), places) for _ in range(rng.randint(3, 6))]


def long_quotient_top(rng: Random) -> float:
    """What is divided by another float: short, or of many digits."""
    return rng.choice(
        (
            round(rng.uniform(0, 100), rng.randint(1, 4)),
            math.sqrt(rng.randint(2, 200)),
            rng.randint(1, 400) / rng.choice((3, 7, 9, 11, 13)),
            float(rng.randint(1, 999)),
        )
    )


def long_quotient_below(rng: Random) -> float:
    """A short float, seldom one of many digits, by which nothing can be divided in steps."""
    if rng.random() < 0.1:
        return math.sqrt(rng.randint(2, 90))
    return rng.choice((round(rng.uniform(0.1, 20), rng.randint(1, 3)), float(rng.randint(2, 99))))


def shown_number(rng: Random) -> object:
    """A whole number or a float of any size, to be formatted."""
    return rng.choice(
        (
            rng.randint(-1000, 10**7),
            rng.randint(0, 10**10),
            round(rng.uniform(-5000, 10**6), rng.randint(0, 4)),
            round(rng.uniform(0, 2), rng.randint(1, 6)),
            rng.uniform(0, 1) * 10.0 ** rng.randint(-9, 12),
            float(rng.randint(0, 9)) * 10.0 ** rng.randint(-6, 17),
        )
    )


def share_number(rng: Random) -> float:
    """A share to be shown in percent."""
    part = rng.randint(1, 60) / rng.randint(1, 60)
    return rng.choice((rng.randint(0, 1000) / 1000, part, round(rng.uniform(-1, 2), 5)))


def number_form(rng: Random) -> str:
    """A specification with a sign, a width, groups and a kind."""
    side, sign = rng.choice(("", "", "0", ">", "<", "^", "*>", "=")), rng.choice(("", "", "+", " "))
    width = str(rng.randint(6, 16)) if side or rng.random() < 0.5 else ""
    kind = rng.choice((".2f", ".1f", ".0f", ".3f", "g", ".3g", ".6g", ".4g", ".2e", ".3e", ""))
    group = rng.choice(("", ",", ",", "_")) if kind[-1:] in ("f", "") else ""
    return f"{sign}0{width}{group}{kind}" if side == "0" else f"{side}{sign}{width}{group}{kind}"


def percent_form(rng: Random) -> str:
    return rng.choice((".0%", ".1%", ".1%", ".2%", "%", ">8.1%", "+.1%", "7.2%", "06.1%"))

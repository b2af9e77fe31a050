"""Operands of float arithmetic as programs meet it: counts and totals, spans, bisection, Newton's method, areas.

Each recipe is `(rng, *values) -> object` over operands drawn before it; knows nothing of the lines that use them.
"""

import math
from random import Random

_FACTORS = (2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 27, 30, 36, 48, 64, 100)


def tally(rng: Random) -> int:
    """A count or a total from 1 to 5000, sometimes round."""
    found = rng.randint(1, rng.choices((12, 100, 1000, 5000), (30, 40, 20, 10))[0])
    return found * rng.choice((5, 10, 10, 100)) if rng.random() < 0.12 else found


def hundredfold(rng: Random) -> int:
    """A hundred times a count, as in a percentage."""
    return 100 * rng.randint(1, rng.choice((10, 30, 100)))


def whole_of(rng: Random, part: object) -> int:
    """A number to divide a count by, which often has a factor in common with it."""
    chance = rng.random()
    if chance < 0.45 and isinstance(part, int):
        common = math.gcd(part, math.prod(rng.choices(_FACTORS, k=2)))
        return max(common * rng.choice((2, 3, 3, 5, 6, 7, 9, 11, 12, rng.randint(1, 60))), 2)
    if chance < 0.7:
        return rng.randint(2, 20)
    return rng.randint(13, 99) if chance < 0.85 else rng.randint(100, 999)


def few_tallies(rng: Random) -> list[object]:
    most = rng.choice((10, 10, 100, 500))
    return [rng.randint(0, most) for _ in range(rng.choice((3, 3, 6, 6, 7, 9, 2, 4, 5)))]


def items_count(rng: Random) -> int:
    """How many items a sum is divided by."""
    return rng.choice((3, 3, 3, 6, 6, 7, 7, 9, 9, 11, 12, 5, rng.randint(3, 30)))


def scale_span(rng: Random) -> float:
    """The difference of two short decimals, as a scale has it."""
    low, size = rng.choice((0, 0.5, 1.2, rng.uniform(-5, 9))), rng.choice((1, 10, 10, 50))
    return (round(low + rng.uniform(0.1, size), 1) - round(low, 1)) or 1.5


def within(rng: Random, whole: object) -> float:
    """The distance from the lower end of a span to a short decimal in it."""
    end = whole if isinstance(whole, float) and whole > 0 else 8.5
    low = round(rng.uniform(-2, 9), 1)
    return round(low + rng.uniform(0, end), 1) - low


def fraction_owner(rng: Random) -> float:
    """A decimal with one to three digits behind the point."""
    return round(rng.uniform(0, rng.choice((10, 100, 500))), rng.choice((1, 2, 2, 3)))


def binade_rival(rng: Random, other: object) -> float:
    """A short decimal that differs from another by a power of two, so that the result is next to that."""
    held = other if isinstance(other, float) and math.isfinite(other) else 1.3
    return round(held + rng.choice((-4, -2, -1, -0.5, 0.25, 0.5, 1, 2, 4, 8)), 3)


def bisected(rng: Random) -> float:
    """An end of the interval of a bisection: few powers of two, all of its digits shown."""
    low, high = rng.choice(((0, 1), (1, 2), (0, 10), (-1, 1), (0, 2), (2, 3), (-2, 0), (0, 100), (1, 4)))
    found, width = float(low), float(high - low)
    for _ in range(rng.randint(2, 13)):
        width /= 2
        found += width * rng.randint(0, 1)
    return found


def other_end(rng: Random, end: object) -> float:
    """The other end of the interval."""
    held = end if isinstance(end, float) and math.isfinite(end) else 0.375
    return held + rng.choice((-1, 1)) * 0.5 ** rng.randint(1, 13)


def short_dyadic(rng: Random) -> float:
    """A number of quarters to thirty-seconds."""
    return rng.randint(-40, 120) / rng.choice((4, 8, 8, 16, 32))


def iterate(rng: Random) -> float:
    """A value on the way to a root by Newton's method."""
    number = rng.choice((2, 3, 5, 7, 10, 2.5, rng.randint(2, 150)))
    found = rng.choice((number, number / 2, 1.0, 10.0))
    for _ in range(rng.randint(1, 5)):
        found = (found + number / found) / 2
    return found


def opposite_iterate(rng: Random, other: object) -> float:
    """What a number divided by such a value leaves, near the value itself."""
    held = other if isinstance(other, float) and 0 < other < math.inf else 1.5
    return round(held * held + rng.choice((0, 0, 1, -1, 5))) / held or held


def measured(rng: Random) -> float:
    """A float of 15 to 17 digits as means, roots, shares and sums are."""
    chance = rng.random()
    if chance < 0.35:
        return rng.randint(1, 400) / rng.choice((3, 6, 7, 9, 11, 12, 13, 27))
    if chance < 0.6:
        return math.sqrt(rng.randint(2, 300))
    if chance < 0.8:
        return rng.choice((-1, 1)) * rng.uniform(0, rng.choice((1, 10, 100)))
    return rng.choice((math.pi, math.e, math.tau, math.sqrt(2), 1 / 3, 2 / 3, 1.1 / 3, 0.1 / 7, 1 / 7))


def short_reading(rng: Random) -> float:
    return round(rng.uniform(0, rng.choice((1, 10, 100))), rng.choice((0, 1, 1, 2)))


def radius_square(rng: Random) -> int:
    return rng.choice((rng.randint(2, 9) ** 2, rng.randint(2, 30), rng.randint(2, 9)))


def circle_number(_: Random) -> float:
    return math.pi


def long_pair(rng: Random) -> list[object]:
    """Two floats of many digits, or two to four dyadic ones."""
    if rng.random() < 0.5:
        return [measured(rng), measured(rng)]
    return [short_dyadic(rng) for _ in range(rng.randint(2, 4))]


def growth_factor(rng: Random) -> float:
    """A factor by which amounts grow or shrink."""
    return round(1 + rng.choice((0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.19, rng.uniform(-0.5, 1))), rng.choice((2, 3, 4)))


def small_tolerance(rng: Random) -> float:
    """A number so small that a difference below it counts as none."""
    return rng.choice((1e-6, 1e-6, 1e-9, 1e-9, 1e-10, 1e-12, 1e-8, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1e-15, 5e-7))


def residual(rng: Random) -> float:
    """How far a step of an iteration is from what it looks for, of any size."""
    chance = rng.random()
    if chance < 0.1:
        return rng.choice((0.0, small_tolerance(rng)))
    if chance < 0.3:
        return abs(near_square(rng) - rng.randint(2, 150))
    return rng.choice((1, 1, 1, -1)) * rng.uniform(1, 10) * 10.0 ** -rng.randint(0, 14)


def near_square(rng: Random) -> float:
    """The square of a value on the way to a root."""
    found = iterate(rng)
    return found * found

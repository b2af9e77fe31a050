"""Random numbers, booleans and None as programs hold them, and the number of items of a container.

Each recipe is `(rng) -> object`; knows nothing of the lines that use the values.
"""

import math
from collections.abc import Callable
from random import Random

from cwm_agent.training.values import texts

Recipe = Callable[[Random], object]


def integer(rng: Random) -> int:
    """Mostly below 100; some negative, some large."""
    chance = rng.random()
    if chance < 0.4:
        return rng.randint(0, 10)
    if chance < 0.68:
        return rng.randint(0, 99)
    if chance < 0.8:
        return -rng.randint(1, 20 if chance < 0.76 else 150)
    if chance < 0.93:
        return rng.randint(100, 999)
    return rng.randint(1000, 99_999) if chance < 0.98 else rng.randint(-(10**6), 10**9)


def small(rng: Random) -> int:
    return rng.randint(0, 10) if rng.random() < 0.93 else rng.randint(-3, 25)


def natural(rng: Random) -> int:
    return rng.randint(0, 12) if rng.random() < 0.5 else rng.randint(0, 200)


def positive(rng: Random) -> int:
    return rng.randint(1, 12) if rng.random() < 0.6 else rng.randint(1, 300)


def negative(rng: Random) -> int:
    return -rng.choice((1, 1, 2, 2, 3, 5, 10, rng.randint(1, 99)))


def carrying(rng: Random) -> int:
    """Numbers with many nines and zeros, with long carries and borrows."""
    ends = rng.choice(("9", "99", "0", "00", "999", "000", "5", "01", "98"))
    return int(f"{rng.randint(1, 999)}{ends}") * (1 if rng.random() < 0.8 else -1)


def large(rng: Random) -> int:
    return rng.randint(0, 10 ** rng.randint(3, 7)) * (1 if rng.random() < 0.9 else -1)


def long_number(rng: Random) -> int:
    """A number of 4 to 15 digits."""
    return rng.randrange(10**3, 10 ** rng.randint(4, 15))


def divisor(rng: Random) -> int:
    chance = rng.random()
    if chance < 0.75:
        return rng.choice((2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 100))
    if chance < 0.97:
        return rng.randint(1, 60) * (1 if rng.random() < 0.88 else -1)
    return 0 if chance < 0.99 else rng.choice((1000, 256, 365, 60, 128))


def bit_width(rng: Random) -> int:
    return rng.randint(0, 8)


def real(rng: Random) -> float:
    """Short floats, as in source code."""
    chance = rng.random()
    if chance < 0.55:
        return round(rng.uniform(-10, 100), rng.choice((1, 1, 2)))
    if chance < 0.8:
        return float(rng.randint(-5, 100))
    if chance < 0.97:
        return rng.choice((0.5, 0.1, 1.5, 2.5, 0.25, 0.0, 1.0, 3.14, -1.0, 99.99, 1e-05, 1e10))
    return rng.choice((math.inf, -math.inf, 0.1 + 0.2, 1 / 3, 2 / 3))


def tenths(rng: Random) -> float:
    """Decimals whose sums show rounding errors."""
    return round(rng.uniform(0, 5), 1)


def whole(rng: Random) -> float:
    return float(rng.randint(-3, 30))


def ratio(rng: Random) -> float:
    """A float with many digits."""
    return rng.randint(-20, 200) / rng.choice((3, 3, 6, 7, 7, 8, 9, 11, 16))


def boolean(rng: Random) -> bool:
    return rng.random() < 0.5


def number(rng: Random) -> object:
    chance = rng.random()
    return integer(rng) if chance < 0.75 else real(rng) if chance < 0.95 else boolean(rng)


def nothing(_: Random) -> None:
    return None


def scalar(rng: Random) -> object:
    return rng.choice((integer, integer, integer, texts.word, texts.word, texts.text, real, boolean, nothing))(rng)


def narrow(rng: Random) -> Recipe:
    """A recipe for integers from a narrow range, so that equal and similar values occur."""
    low = rng.choice((0, 0, 0, 1, 1, -5, 10))
    high = low + rng.choice((2, 4, 9, 9))
    return lambda rng: rng.randint(low, high)


def size(rng: Random) -> int:
    """A number of items: mostly up to 6, sometimes up to 20."""
    chance = rng.random()
    if chance < 0.06:
        return 0
    if chance < 0.14:
        return 1
    if chance < 0.8:
        return rng.randint(2, 6)
    return rng.randint(6, 12) if chance < 0.96 else rng.randint(12, 20)

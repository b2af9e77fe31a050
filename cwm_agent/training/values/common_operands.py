"""Operands of the simplest lines: short numbers, numbers near round ones, texts of two or three different characters.

A long run has thousands of such lines, so one error in a thousand ends it; other recipes draw mostly numbers below ten.
Each recipe is `(rng, *values) -> object` over operands drawn before it; knows nothing of the lines that use them.
"""

import math
import operator
from collections.abc import Callable, Sequence
from random import Random

from cwm_agent.training.values import scalars, texts

_ALPHABETS = ("ab", "01", "abc", "xy", "aeiou", "()", "()[]", "rv", "-_", " x", "AB", "aA", "/.", "LR", "#.", "qe")


def short_number(rng: Random) -> int:
    """One to three digits, each length equally likely; sometimes negative."""
    found = rng.randrange(10 ** rng.randint(1, 3))
    return found if rng.random() < 0.93 else -found


def beside_round(rng: Random) -> int:
    """A number equal or close to a round one, so that carries and borrows occur."""
    found = rng.randint(1, 12) * rng.choice((10, 10, 100, 100, 50, 1000)) + rng.randint(-3, 3)
    return found if rng.random() < 0.93 else -found


def tens(rng: Random) -> int:
    """Two digits, sometimes with a zero at the end."""
    return rng.randint(10, 99) if rng.random() < 0.8 else rng.randint(1, 20) * 10


def counterpart(rng: Random, other: object) -> object:
    """A number whose sum or difference with another is round, almost round, or small."""
    if not isinstance(other, int) or isinstance(other, bool):
        return short_number(rng)
    unit = rng.choice((10, 10, 100, 100, 1000)) if abs(other) < 10_000 else 1000
    chance = rng.random()
    if chance < 0.4:
        found = other % unit + rng.choice((0, 0, 0, 1, -1, 2))
    elif chance < 0.7:
        found = unit - other % unit + rng.choice((0, 0, 0, 1, -1, 2))
    else:
        found = other + rng.randint(-12, 12)
    return found if rng.random() < 0.95 else -found


def beside_divisor(rng: Random, other: object) -> int:
    """A divisor near a number, near half or a third of it, or a factor of it."""
    if not isinstance(other, int) or isinstance(other, bool) or abs(other) < 4:
        return rng.randint(1, 60)
    share = abs(other) // rng.choice((1, 1, 2, 3, 4, 5, 10))
    return max(1, share + rng.choice((0, 0, 1, -1, 2, -2, rng.randint(-9, 9))))


def table_divisor(rng: Random) -> int:
    """A divisor from the multiplication table."""
    return rng.randint(2, 12)


def many_digits(rng: Random) -> int:
    """A number of 16 to 30 digits, powers of two among them."""
    if rng.random() < 0.3:
        return 1 << rng.randint(55, 100)
    return rng.randrange(10**15, 10 ** rng.randint(17, 30))


def endless(rng: Random) -> float:
    """An infinite float, the usual start value of a search for a minimum or maximum."""
    return rng.choice((math.inf, -math.inf, math.inf, -math.inf, math.nan))


def computed(rng: Random) -> float:
    """A float with many digits, as sums and products of short floats have."""
    left, right = (round(rng.uniform(0, rng.choice((1, 10, 100))), rng.choice((1, 2, 2, 3))) for _ in range(2))
    return rng.choice((left + right, left - right, left % 1, left * right, right * 3, left - int(left), right * 1.1))


def few_letters(rng: Random) -> str:
    """A short text of two or three different characters, repeated."""
    alphabet = rng.choice(_ALPHABETS) if rng.random() < 0.5 else texts.word(rng)[:3] or "a"
    return "".join(rng.choices(alphabet, k=rng.randint(1, 14)))


def letter_of(rng: Random, text: str) -> str:
    """One or two characters of the text that mostly occur more than once."""
    if not text or rng.random() < 0.08:
        return texts.char(rng)
    start = rng.randrange(len(text))
    return text[start : start + rng.choice((1, 1, 1, 1, 2, 2, 3))]


def spread_letters(rng: Random) -> str:
    """Letters with blanks between and around them."""
    found = rng.choice((" ", " ", "  ", "")).join(texts.word(rng))
    for _ in range(rng.randint(0, 2)):
        at = rng.randint(0, len(found))
        found = found[:at] + " " * rng.randint(1, 4) + found[at:]
    return found[:40]


def far_range(rng: Random) -> range:
    """A range with any start, in either direction, half of the time with step one."""
    start = rng.randint(0, 12) if rng.random() < 0.4 else short_number(rng)
    step = 1 if rng.random() < 0.45 else rng.choice((rng.randint(2, 12), rng.randint(2, 60), rng.choice((10, 20, 50))))
    reach = rng.randint(0, 60) if rng.random() < 0.5 else rng.randint(0, 180)
    if rng.random() < 0.5:
        reach = reach // step * step + rng.choice((0, 0, 1, -1))
    return range(start, start + reach, step) if rng.random() < 0.75 else range(start, start - reach, -step)


def near_place(rng: Random, holder: Sequence[object]) -> int:
    """Any index of a sequence, from either end; sometimes just out of range."""
    length = len(holder)
    found = rng.randint(0, length) if rng.random() < 0.08 or not length else rng.randrange(length)
    return found if rng.random() < 0.7 else found - length - (rng.random() < 0.06)


def late_words(rng: Random) -> list[object]:
    """Words of equal length from few digits or letters: they differ late."""
    length, alphabet = rng.randint(1, 4), rng.choice(("01", "01", "ab", "012", "xyz"))
    return ["".join(rng.choices(alphabet, k=length)) for _ in range(rng.randint(2, 9))]


def grid_rows(rng: Random) -> list[object]:
    """Lists of small numbers, compared as a whole."""
    width, item = rng.randint(1, 4), scalars.narrow(rng)
    return [[item(rng) for _ in range(width)] for _ in range(rng.randint(2, 5))]


def one_over(rng: Random) -> list[object]:
    """One item repeated, few or many times."""
    item = rng.choice((0, 1, -1, False, True, None, "", "#", "."))
    return [item] * (rng.randint(2, 12) if rng.random() < 0.4 else rng.randint(12, 130))


def past_zero(rng: Random) -> int:
    """A negative number of one to three digits, sometimes round."""
    return -rng.choice((rng.randint(1, 12), rng.randint(1, 150), 10 ** rng.randint(0, 3)))


def round_number(rng: Random) -> int:
    """One or two digits followed by zeros."""
    return rng.randint(1, 99 if rng.random() < 0.5 else 9) * rng.choice((10, 100, 1000, 10_000))


def few_items(rng: Random) -> list[object]:
    """Two to four items of one type, easy to sort."""
    item = rng.choice((short_number, texts.word, texts.char, texts.digits, scalars.integer, scalars.small))
    return [item(rng) for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4)))]


def padded_number(rng: Random) -> str:
    """A number with blanks around it."""
    blank = rng.choice((" ", " ", "  ", "\n", "\t"))
    return rng.choice(("", blank)) + str(short_number(rng)) + rng.choice(("", blank))


def padded_words(rng: Random) -> list[object]:
    """Words padded with blanks to one width; some are blank."""
    width, side = rng.randint(2, 8), rng.choice((str.ljust, str.rjust, str.center))
    return [side(texts.word(rng)[:width] if rng.random() < 0.85 else "", width) for _ in range(rng.randint(1, 5))]


def periodic(rng: Random) -> str:
    """A text that repeats the same part many times."""
    unit = "".join(rng.choices(texts.LOWER, k=rng.randint(1, 5))) if rng.random() < 0.6 else texts.word(rng)
    found = unit * rng.randint(2, 7) + unit[: rng.randint(0, len(unit))]
    return (texts.word(rng) if rng.random() < 0.5 else "") + found[:36]


def blanked(rng: Random) -> str:
    """Short pieces with several blanks between, before and behind them."""
    piece = texts.char(rng) if rng.random() < 0.5 else texts.word(rng)[:3]
    found = "".join(" " * rng.randint(0, 4) + (piece if rng.random() < 0.8 else "") for _ in range(rng.randint(1, 9)))
    return found + " " * rng.randint(0, 5)


def unlike(rng: Random) -> list[object]:
    """Items of types that cannot be compared; the first pair decides the error message."""
    found: list[object] = [scalars.small(rng) for _ in range(rng.randint(1, 4))]
    strange = (dict, list, tuple, set, lambda: None, lambda: texts.word(rng), lambda: scalars.real(rng), lambda: [1])
    for _ in range(rng.randint(1, 3)):
        found.insert(rng.randint(0, len(found)), rng.choice(strange)())
    return found


def wide_step(rng: Random) -> int:
    """The step of a slice."""
    return rng.choice((2, 2, 2, 3, 3, 4, 5, -1, -2, -2, -3, 7))


def few(rng: Random) -> int:
    return rng.randint(1, 5)


def mask(rng: Random) -> int:
    """A number that picks bits."""
    return rng.choice((1, 3, 7, 15, 16, 31, 32, 63, 64, 127, 128, 255, 255, 256, 511, 1023, 4095, 65535, 6, 10, 170))


def two_numbers(rng: Random) -> tuple[int, ...]:
    return tuple(rng.randint(1, 12) for _ in range(2 if rng.random() < 0.92 else 3))


def two_numbers_function(rng: Random) -> Callable[..., object]:
    return rng.choice((max, min, divmod, divmod, operator.add, operator.mul, operator.sub, math.gcd))


def list_function(rng: Random) -> Callable[..., object]:
    return rng.choice((sum, max, min, len, sorted, list, tuple, set, any, all, math.prod))


def bit_edge(rng: Random) -> int:
    """A power of two or the number before or behind it, of which all bits are alike."""
    found = (1 << rng.randint(3, 16)) + rng.choice((-1, -1, -1, 0, 0, 1))
    return found if rng.random() < 0.9 else -found


def bit_opposite(rng: Random, other: object) -> object:
    """The negative of a number, its complement, a mask beside it or another edge."""
    if not isinstance(other, int) or rng.random() < 0.3:
        return bit_edge(rng)
    return rng.choice((-other, ~other, other, other + 1, -other - 1, 255, 127, 1, other >> 1))


def exact_multiple(rng: Random, divisor: object) -> object:
    """A multiple of a small number, mostly its square or one nearby; else the number beside it."""
    if not isinstance(divisor, int) or not divisor:
        return short_number(rng)
    times = rng.choice((divisor, divisor - 1, divisor + 1, rng.randint(0, 12), rng.randint(0, 150)))
    return divisor * times + rng.choice((0, 0, 0, 0, 1, -1))

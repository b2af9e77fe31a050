"""Operands whose answers must be exact: many digits, whole floats, ties in sorts, texts at their edges.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import math
from collections.abc import Sized
from random import Random

from cwm_agent.training.values import texts


def digits_of(rng: Random, least: int, most: int) -> int:
    """An integer with `least` to `most` digits, every length equally often."""
    size = rng.randint(least, most)
    return rng.randint(10 ** (size - 1), 10**size - 1)


def mid_number(rng: Random) -> int:
    """Three to six digits, sometimes with runs of 0 or 9 that carry."""
    made = digits_of(rng, 3, 6)
    if rng.random() < 0.3:
        made = int(str(made)[:2] + rng.choice("09") * (len(str(made)) - 2))
    return -made if rng.random() < 0.12 else made


def wide_number(rng: Random) -> int:
    """Seven to fourteen digits."""
    return -digits_of(rng, 7, 14) if rng.random() < 0.1 else digits_of(rng, 7, 14)


def near_number(rng: Random, other: object) -> int:
    """A number of the same length, or one that differs in one digit or by little."""
    held = other if isinstance(other, int) else 1000
    if rng.random() < 0.4:
        return held + rng.choice((-11, -2, -1, 0, 1, 2, 9, 10, 100))
    size = len(str(abs(held)))
    return digits_of(rng, max(1, size - 1), size)


def long_float(rng: Random) -> float:
    """A float as computations leave it, with 15 to 17 digits."""
    kind = rng.random()
    if kind < 0.35:
        return rng.randint(1, 99) / rng.choice((3, 6, 7, 9, 11, 12, 13))
    if kind < 0.6:
        return sum(rng.choice((0.1, 0.2, 0.3, 0.7, 1.1)) for _ in range(rng.randint(2, 6)))
    if kind < 0.8:
        return math.sqrt(rng.randint(1, 500))
    return round(rng.uniform(0, 100), rng.randint(5, 12))


def short_float(rng: Random) -> float:
    return round(rng.uniform(-20, 200), rng.choice((1, 1, 2, 2, 3)))


def tied_words(rng: Random) -> list[str]:
    """Words that agree in their first letters or in their length, case mixed."""
    stem = texts.syllables(rng)[: rng.randint(1, 4)]
    found = [stem + rng.choice(("", "a", "b", "A", "1", "_", "ab", "ba", "z")) for _ in range(rng.randint(3, 9))]
    return [word.capitalize() if rng.random() < 0.15 else word for word in found]


def tied_pairs(rng: Random) -> list[tuple[object, object]]:
    """Pairs of a small number and a word in either order, with equal first parts."""
    turned = rng.random() < 0.5
    pairs = [(rng.randint(0, 3), rng.choice("abcd") * rng.randint(1, 2)) for _ in range(rng.randint(2, 8))]
    return [(word, number) for number, word in pairs] if turned else list(pairs)


def tied_triples(rng: Random) -> list[tuple[int, int, int]]:
    return [(rng.randint(0, 2), rng.randint(-2, 2), rng.randint(0, 20)) for _ in range(rng.randint(2, 6))]


def long_range(rng: Random) -> range:
    """A range of up to a few hundred items, upwards or downwards."""
    start, step = rng.randint(-50, 400), rng.choice((1, 1, 1, 2, 3, 7, 10, -1, -1, -3))
    return range(start, start + step * rng.randint(0, 300) + rng.randint(0, abs(step)) * (1 if step > 0 else -1), step)


def range_item(rng: Random, held: object) -> int:
    """A number inside, beside or just outside of a range."""
    if not isinstance(held, range) or not held or rng.random() < 0.3:
        return rng.randint(-60, 700)
    return rng.choice(
        (held[0], held[-1], held[len(held) // 2], rng.choice(held) + rng.choice((0, 0, 1, -1)), held.stop)
    )


def bounded_text(rng: Random) -> str:
    """A text of separators and few letters: runs, ends and empty parts."""
    return "".join(rng.choices(rng.choice(("a,", "ab ", "x-y", "aab", "ab,,", "  a")), k=rng.randint(0, 14)))


def edge_part(rng: Random, held: object) -> str:
    """A part at the start or the end of a text, the whole, one more than it, or nothing."""
    text = held if isinstance(held, str) else "ab"
    size = rng.randint(1, 3)
    return rng.choice(
        (text[:size], text[-size:], text, text + "a", "", text[1:3], rng.choice(("a", ",", " ", "ab", "aa")))
    )


def edge_place(rng: Random, held: object) -> int:
    """A place around the ends of a text, list or deque, negative ones too."""
    size = len(held) if isinstance(held, Sized) else 3
    return rng.choice((0, 1, -1, size, size - 1, size + 1, -size, -size - 1, -size + 1, size // 2))

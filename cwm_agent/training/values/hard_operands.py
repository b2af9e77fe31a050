"""Operands that make a line hard: numbers of many digits, prices, records with ties, wide steps, texts at their edges.

Each recipe is `(rng, *values) -> object` over operands drawn before it; knows nothing of the lines that use them.
"""

import math
from collections.abc import Callable, Collection, Sized
from itertools import pairwise
from random import Random

from cwm_agent.training.values import scalars, texts

_PLAIN = 12
"""Most characters of a float that is a short decimal."""


def figure(rng: Random) -> int:
    """A number of two to eight digits, sometimes round, sometimes negative."""
    found = rng.randrange(10, 10 ** rng.choices((3, 4, 5, 6, 8), (15, 40, 25, 12, 8))[0])
    if rng.random() < 0.2:
        unit = rng.choice((10, 50, 100, 100, 500, 1000))
        found = max(found // unit, 1) * unit
    return found if rng.random() < 0.88 else -found


def whole_figure(rng: Random) -> float:
    return float(figure(rng))


def rival(rng: Random, other: int) -> int:
    """A number to add to or subtract from another: as long, close to it, or shorter."""
    if not isinstance(other, int) or isinstance(other, bool) or rng.random() < 0.5:
        return figure(rng)
    if rng.random() < 0.5:
        return other + rng.choice((-1, 1)) * rng.randrange(0, 10 ** rng.randint(1, 3))
    return rng.randrange(10, max(abs(other), 11))


def factor(rng: Random) -> int:
    """A number of two to four digits."""
    return rng.randrange(11, 10 ** rng.choices((2, 3, 4), (45, 40, 15))[0])


def long_divisor(rng: Random) -> int:
    """A divisor outside the multiplication table."""
    chance = rng.random()
    if chance < 0.35:
        return rng.choice(
            (13, 15, 16, 24, 25, 26, 30, 31, 32, 36, 48, 52, 60, 64, 75, 97, 101, 128, 256, 360, 365, 400)
        )
    return rng.randint(13, 99) if chance < 0.75 else rng.randint(100, 1500)


def figures(rng: Random) -> list[object]:
    """Numbers to be summed."""
    item = rng.choice((figure, factor, scalars.integer))
    return [item(rng) for _ in range(rng.randint(2, 9))]


def price(rng: Random) -> float:
    """A short decimal, like a price, a mark or a measure."""
    chance = rng.random()
    if chance < 0.15:
        return rng.randint(0, 40) / rng.choice((2, 4, 5, 8, 10))
    return round(rng.uniform(0, 10 ** rng.randint(0, 4)), rng.choice((1, 2, 2, 3))) * (1 if chance < 0.93 else -1)


def prices(rng: Random) -> list[object]:
    item = price if rng.random() < 0.7 else scalars.tenths
    return [item(rng) if rng.random() < 0.9 else scalars.small(rng) for _ in range(rng.randint(1, 7))]


def sum_of_prices(rng: Random) -> float:
    """A float that is the sum of several prices."""
    return price(rng) * rng.choice((0.1, 0.15, 1.1, 3, 7)) / rng.choice((1, 1, 3, 7))


def _field(rng: Random) -> Callable[[Random], object]:
    return rng.choice(
        (scalars.small, scalars.narrow(rng), scalars.integer, scalars.integer, texts.char, texts.word, texts.word)
    )


def records(rng: Random) -> list[object]:
    """Tuples with equal types at equal positions and ties in front; sometimes one type differs."""
    fields = [_field(rng) for _ in range(rng.choice((2, 2, 3, 3, 4)))]
    found = [[field(rng) for field in fields] for _ in range(rng.choice((1, 2, 2, 3, 4, 5, 6, 8)))]
    for earlier, row in pairwise(found):
        if rng.random() < 0.35:
            tied = rng.randint(1, len(row) - 1)
            row[:tied] = earlier[:tied]
    if rng.random() < 0.06:
        rng.choice(found)[rng.randrange(len(fields))] = rng.choice((None, "x", 3))
    return list(map(tuple, found))


def record(rng: Random) -> tuple[object, ...]:
    """One tuple of two to four plain values."""
    return tuple(_field(rng)(rng) for _ in range(rng.choice((2, 3, 3, 4))))


def triple(rng: Random) -> tuple[object, ...]:
    return tuple(_field(rng)(rng) for _ in range(3 if rng.random() < 0.97 else rng.choice((2, 4))))


def nested_pair(rng: Random) -> tuple[object, ...]:
    """A value and a pair, the pair first or last."""
    inner = (_field(rng)(rng), _field(rng)(rng))
    return (_field(rng)(rng), inner) if rng.random() < 0.97 else (inner, 1, 2)


def stepped(rng: Random) -> range:
    """A range with wide steps, possibly empty, like the inner loop of a sieve."""
    chance = rng.random()
    if chance < 0.45:
        step = rng.randint(2, 90)
        return range(step * rng.choice((1, 2, step, step)), rng.randint(2, 300), step)
    start = rng.randint(0, 30) if chance < 0.8 else rng.randint(-60, 400)
    step = rng.choice((2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 25, -1, -2, -3, -5))
    return range(start, start + rng.randint(-40 if rng.random() < 0.3 else 0, 160) * (1 if step > 0 else -1), step)


def tallies(rng: Random) -> Collection[object]:
    """The values or keys of a dict of counts."""
    if rng.random() < 0.2:
        return {rng.randint(0, 60): scalars.small(rng) for _ in range(rng.randint(1, 8))}.keys()
    item = rng.choice((scalars.small, scalars.integer, figure, price))
    key = rng.choice((texts.char, texts.word, scalars.integer))
    return {key(rng): item(rng) for _ in range(rng.randint(1, 9))}.values()


def clock(rng: Random) -> int:
    """An hour, a minute or a day: 0 often, below 10 half of the time."""
    chance = rng.random()
    if chance < 0.2:
        return 0
    return rng.randint(0, 9) if chance < 0.5 else rng.randint(10, 59) if chance < 0.95 else rng.randint(60, 700)


def quoted(rng: Random) -> str:
    """A text that contains quotes, so that its repr uses the other quotes."""
    found = list(texts.text(rng)[:20])
    for _ in range(rng.randint(1, 2)):
        found.insert(rng.randint(0, len(found)), "'" if rng.random() < 0.85 else '"')
    return "".join(found)


def kin_word(rng: Random, word: str) -> str:
    """A word with the same beginning as another one."""
    kept = word[: rng.randint(1, max(len(word), 1))]
    return kept + (texts.word(rng)[: rng.randint(0, 4)] if rng.random() < 0.85 else "")


def kin_words(rng: Random) -> list[str]:
    """Words, several of which have the same beginning."""
    first = texts.word(rng)
    return [kin_word(rng, first) if rng.random() < 0.5 else texts.word(rng) for _ in range(rng.randint(2, 10))]


def short_text(rng: Random) -> str:
    """A text of 3 to 24 characters, for sorting or building a set."""
    return (texts.text(rng) + texts.word(rng))[: rng.randint(3, 24)]


def figures_by_key(rng: Random) -> dict[object, object]:
    """A dict of amounts."""
    item = rng.choice((figure, price, factor))
    return {texts.word(rng): item(rng) for _ in range(rng.randint(1, 5))}


def scores(rng: Random) -> dict[object, object]:
    """A dict of numbers to sort by, with ties."""
    key, item = rng.choice((texts.word, texts.char)), rng.choice((scalars.small, scalars.integer, scalars.narrow(rng)))
    return {key(rng): item(rng) for _ in range(rng.randint(2, 9))}


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


def unclean_float(rng: Random) -> float:
    """A float next to a short decimal, as sums and products of short decimals leave it: 0.30000000000000004."""
    found = 0.0
    for _ in range(8):
        found = _tenths_or_cents(rng)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            other = _tenths_or_cents(rng)
            found = rng.choice((found + other, found - other, found * rng.randint(2, 12), found + other))
        if len(repr(found)) > _PLAIN:
            return found
    return found


def _tenths_or_cents(rng: Random) -> float:
    return round(rng.uniform(0, rng.choice((1, 10, 10, 100))), rng.choice((1, 1, 1, 2)))


def few_decimals(rng: Random) -> list[object]:
    """Two to five short decimals, now and then a whole number among them."""
    return [_tenths_or_cents(rng) if rng.random() < 0.9 else rng.randint(0, 9) for _ in range(rng.randint(2, 5))]


def decimal_number(rng: Random) -> float:
    """A decimal with one or two digits behind the point, seldom negative or unclean."""
    chance = rng.random()
    if chance < 0.15:
        return unclean_float(rng)
    return _tenths_or_cents(rng) * (1 if chance < 0.92 else -1)


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

"""Operands that make a line hard: numbers of several digits, prices, records with ties, ranges with wide steps.

Each recipe is `(rng, *values) -> object` over operands drawn before it; knows nothing of the lines that use them.
"""

from collections.abc import Callable, Collection
from itertools import pairwise
from random import Random

from cwm_agent.training.values import scalars, texts


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

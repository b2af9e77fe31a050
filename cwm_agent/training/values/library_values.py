"""Random values of the standard library: fractions, decimals, dates, matches, heaps, counters, lazy iterators.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import heapq
import itertools
import operator
import string
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random

from cwm_agent.training.values import scalars, texts


def _size(rng: Random, most: int = 6) -> int:
    return rng.randint(0, most) if rng.random() < 0.15 else rng.randint(1, most)


def fraction(rng: Random) -> Fraction:
    top = rng.choice((12, 12, 40, 200))
    return Fraction(rng.randint(-top // 3, top), rng.randint(1, rng.choice((6, 12, 12, 60))))


def fraction_text(rng: Random) -> str:
    return rng.choice((f"{rng.randint(-9, 30)}/{rng.randint(1, 20)}", str(rng.randint(-20, 99)), "0.25", "1.5", "3/0x"))


def cents(rng: Random) -> str:
    """An amount as text, as prices are written."""
    return f"{rng.choice(('', '', '', '-'))}{rng.randint(0, rng.choice((9, 99, 999)))}.{rng.randint(0, 99):02d}"


def decimal(rng: Random) -> Decimal:
    return Decimal(
        rng.choice((cents(rng), cents(rng), cents(rng), str(rng.randint(0, 50)), f"0.{rng.randint(1, 999)}"))
    )


def unit(rng: Random) -> Decimal:
    """What an amount is rounded to."""
    return Decimal(rng.choice(("0.01", "0.01", "0.1", "1", "0.001")))


def day(rng: Random) -> date:
    month = rng.randint(1, 12)
    last = 31 if month in (1, 3, 5, 7, 8, 10, 12) else 28 if month == 2 else 30
    number = rng.choice((1, last, rng.randint(1, last), rng.randint(1, last)))
    return date(rng.choice((2023, 2024, rng.randint(1990, 2035))), month, number)


def year(rng: Random) -> int:
    return rng.randint(1990, 2035)


def month(rng: Random) -> int:
    return rng.randint(1, 12) if rng.random() < 0.95 else 13


def far_day(rng: Random, other: object) -> object:
    """A day up to sixty years from another, often at the same time of the year."""
    found = day(rng)
    if isinstance(other, date) and rng.random() < 0.6:
        near = other + timedelta(rng.choice((-1, 0, 1, rng.randint(-40, 40))))
        return near.replace(year=other.year + rng.randint(-60, 60), day=min(near.day, 28))
    return found


def near_day(rng: Random, other: object) -> object:
    """A day not far from another, before or after it."""
    return other + timedelta(rng.randint(-400, 400)) if isinstance(other, date) else day(rng)


def day_text(rng: Random) -> str:
    return day(rng).isoformat()


def timespan(rng: Random) -> timedelta:
    if rng.random() < 0.6:
        return timedelta(rng.randint(-40, 40) if rng.random() < 0.3 else rng.randint(0, 60))
    return timedelta(rng.randint(0, 5), rng.randint(0, 86399) // rng.choice((1, 60, 3600)) * 60)


def moment(rng: Random) -> datetime:
    found = day(rng)
    return datetime(found.year, found.month, found.day, rng.randint(0, 23), rng.choice((0, 15, 30, rng.randint(0, 59))))


def held_item(rng: Random, held: object) -> object:
    """Mostly an item of the deque, list or string."""
    items = list(held) if isinstance(held, deque | list | str) else []
    return rng.choice(items) if items and rng.random() < 0.8 else scalars.integer(rng)


def int_deque(rng: Random) -> deque[int]:
    return deque(scalars.integer(rng) for _ in range(_size(rng)))


def word_deque(rng: Random) -> deque[str]:
    return deque(texts.word(rng) for _ in range(_size(rng, 4)))


def bounded_deque(rng: Random) -> deque[object]:
    items = [scalars.scalar(rng) for _ in range(_size(rng, 4))]
    return deque(items, maxlen=rng.randint(max(1, len(items)), 5))


def pair_deque(rng: Random) -> deque[tuple[object, ...]]:
    return deque((texts.char(rng), scalars.small(rng)) for _ in range(_size(rng, 4)))


def heap(rng: Random) -> list[int]:
    """A heap of integers with repeated ones."""
    found = [rng.randint(0, rng.choice((9, 30, 99))) for _ in range(_size(rng, 9))]
    heapq.heapify(found)
    return found


def pair_heap(rng: Random) -> list[tuple[int, str]]:
    found = [(rng.randint(0, rng.choice((5, 30))), texts.word(rng)) for _ in range(_size(rng, 6))]
    heapq.heapify(found)
    return found


def priority_pair(rng: Random) -> tuple[int, str]:
    return rng.randint(0, 12), texts.word(rng)


def letter_counter(rng: Random) -> Counter[str]:
    return Counter(rng.choices("abcdest", k=_size(rng, 9)))


def int_counter(rng: Random) -> Counter[int]:
    return Counter({rng.randint(0, 9): rng.randint(-1, 6) for _ in range(_size(rng, 5))})


def int_default(rng: Random) -> defaultdict[str, int]:
    return defaultdict(int, {texts.word(rng): rng.randint(0, 20) for _ in range(_size(rng, 4))})


def list_default(rng: Random) -> defaultdict[object, list[int]]:
    return defaultdict(list, {rng.randint(0, 5): [rng.randint(0, 9)] * rng.randint(0, 2) for _ in range(_size(rng, 4))})


def set_default(rng: Random) -> defaultdict[str, set[int]]:
    return defaultdict(set, {texts.char(rng): {rng.randint(0, 9)} for _ in range(_size(rng, 3))})


def word_order(rng: Random) -> OrderedDict[str, int]:
    return OrderedDict((texts.word(rng), rng.randint(0, 20)) for _ in range(_size(rng, 5)))


def near_key(rng: Random, held: object) -> object:
    """Mostly a key of the mapping, else a new one of the same type."""
    keys = list(held) if isinstance(held, dict) else []
    if keys and rng.random() < 0.75:
        return rng.choice(keys)
    return rng.randint(0, 9) if keys and isinstance(keys[0], int) else texts.word(rng)


def _items(rng: Random) -> list[object]:
    maker = rng.choice((scalars.small, scalars.integer, texts.char, texts.word))
    return [maker(rng) for _ in range(_size(rng, 4))]


def _begun(rng: Random, found: Iterator[object]) -> Iterator[object]:
    """The iterator, sometimes after a few of its items."""
    for _ in range(rng.choice((0, 0, 0, 1, 2, 3))):
        next(found, None)
    return found


def products(rng: Random) -> Iterator[object]:
    return _begun(rng, itertools.product(_items(rng)[:3], _items(rng)[:3]))


def orders(rng: Random) -> Iterator[object]:
    items = _items(rng)
    return _begun(rng, itertools.permutations(items, rng.choice((2, 2, len(items[:3])))))


def choices(rng: Random) -> Iterator[object]:
    maker = rng.choice((itertools.combinations, itertools.combinations, itertools.combinations_with_replacement))
    return _begun(rng, maker([*_items(rng), rng.randint(0, 9)], rng.choice((1, 2, 2, 3))))


def lazy(rng: Random) -> Iterator[object]:
    """A lazy iterator of `itertools`, at its start or after a few items."""
    items = _items(rng)
    makers: tuple[Callable[[], Iterator[object]], ...] = (
        lambda: itertools.chain(items, _items(rng)),
        lambda: itertools.islice(items, rng.randint(0, 4)),
        lambda: itertools.repeat(scalars.scalar(rng), rng.randint(0, 4)),
        lambda: itertools.accumulate(rng.randint(0, 20) for _ in items),
        lambda: itertools.zip_longest(items, _items(rng)),
        lambda: itertools.chain.from_iterable([items, _items(rng)]),
        lambda: itertools.compress(items, [rng.randint(0, 1) for _ in items]),
    )
    return _begun(rng, rng.choice(makers)())


def without_end(rng: Random) -> Iterator[object]:
    """An iterator that never ends; for `next` and loop headers only."""
    made = itertools.count(rng.randint(0, 20), rng.choice((1, 1, 2, 5)))
    return _begun(rng, rng.choice((made, itertools.cycle(_items(rng) or [0]))))


def shifted_letters(rng: Random) -> dict[int, int]:
    """A table for `translate`: some letters to others."""
    letters = rng.sample(string.ascii_lowercase, rng.randint(1, 8))
    return {ord(letter): ord(rng.choice(string.ascii_lowercase)) for letter in letters}


def getter(rng: Random) -> object:
    return operator.itemgetter(1, 0) if rng.random() < 0.25 else operator.itemgetter(rng.choice((0, 1, -1)))


def days(rng: Random) -> list[date]:
    return [day(rng) for _ in range(_size(rng, 4))]


def fractions_list(rng: Random) -> list[Fraction]:
    return [fraction(rng) for _ in range(_size(rng, 4))]


def decimals(rng: Random) -> list[Decimal]:
    return [decimal(rng) for _ in range(_size(rng, 4))]


def sorted_words(rng: Random) -> list[str]:
    return sorted(texts.word(rng) for _ in range(_size(rng, 7)))


def alphabet(rng: Random) -> str:
    """The letters or digits of `string`, whole or from a letter on."""
    found = rng.choice((string.ascii_lowercase, string.ascii_uppercase, string.digits, string.ascii_letters))
    start = rng.choice((0, 0, 0, rng.randint(1, 9)))
    return found[start:] + found[:start]


def _counted(rng: Random) -> dict[str, int]:
    """A counter, a defaultdict or an ordered dict of numbers."""
    recipes: tuple[Callable[[Random], dict[str, int]], ...] = (letter_counter, int_default, word_order)
    return rng.choice(recipes)(rng)


def library_values_view(rng: Random) -> object:
    return _counted(rng).values()


def library_items_view(rng: Random) -> object:
    return _counted(rng).items()

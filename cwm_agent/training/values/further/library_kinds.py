"""Values of every builtin and library kind side by side, so that what works for one is learnt for all.

Sets hold numbers only: the order of texts in a set follows from nothing that a line shows. Each recipe is
`(rng, *values drawn before) -> object`.
"""

import copy
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, library_values, scalars, texts
from cwm_agent.training.values.further import exact_numbers


def _small_numbers(rng: Random) -> list[int]:
    return [rng.randint(0, rng.choice((9, 9, 60))) for _ in range(rng.choice((0, 1, 2, 3, 3, 4, 5)))]


def _counts(rng: Random) -> dict[str, int]:
    key = rng.choice((texts.word, texts.char))
    return {key(rng): rng.randint(0, 9) for _ in range(rng.choice((0, 1, 2, 2, 3)))}


_NUMBERED: tuple[Callable[[list[int]], object], ...] = (
    *(frozenset, set, deque, tuple, list, bytes, bytearray, lambda items: dict.fromkeys(items, 1)),
    *(Counter, lambda items: OrderedDict.fromkeys(items, 0), lambda items: defaultdict(int, dict.fromkeys(items, 2))),
    *(lambda items: deque(items, 6), lambda items: range(sum(items) % 12), frozenset, deque),
)
_MAPPINGS: tuple[Callable[[dict[str, int]], Any], ...] = (
    *(Counter, OrderedDict, lambda counts: defaultdict(int, counts), ChainMap, dict),
    *(lambda counts: ChainMap(counts, {"size": 3}), lambda counts: defaultdict(list, {key: [] for key in counts})),
)


def number_container(rng: Random) -> object:
    """Small numbers in a container of any kind."""
    return rng.choice(_NUMBERED)(_small_numbers(rng))


def any_mapping(rng: Random) -> Any:
    """Numbers by words or letters in a dict of any kind."""
    return rng.choice(_MAPPINGS)(_counts(rng))


def other_mapping(rng: Random, held: object) -> Any:
    """A dict of any kind that has some of the keys."""
    found = any_mapping(rng)
    keys = list(held) if isinstance(held, dict | ChainMap) else []
    if keys and rng.random() < 0.6:
        found[rng.choice(keys)] = rng.randint(0, 9)
    return found


def mapping_key(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict | ChainMap) else []
    return rng.choice(keys) if keys and rng.random() < 0.7 else texts.word(rng)


def any_container(rng: Random) -> object:
    return rng.choice((number_container, number_container, any_mapping))(rng)


def container_twin(rng: Random, held: object) -> object:
    """An equal one, often with one item more or less, seldom of another kind."""
    found: Any = copy.copy(held)
    chance = rng.random()
    if chance < 0.45:
        return found
    if isinstance(found, dict | ChainMap):
        found[texts.char(rng)] = 1
    elif isinstance(found, deque | list):
        found.append(rng.randint(0, 9))
    elif isinstance(found, set | frozenset):
        found = found | {rng.randint(0, 9)} if chance < 0.8 else set(found)
    elif isinstance(found, tuple | bytes):
        found = found[:-1]
    return found if chance < 0.9 else number_container(rng)


def container_item(rng: Random, held: object) -> object:
    items = sorted(held) if isinstance(held, set | frozenset) else list(held) if hasattr(held, "__iter__") else []
    return rng.choice(items) if items and rng.random() < 0.6 else rng.randint(0, 9)


_AMOUNTS: tuple[Callable[[Random], Any], ...] = (
    *(library_values.decimal, exact_numbers.proper_fraction, library_values.timespan, library_values.day),
    *(library_values.moment, exact_numbers.day_time, library_values.decimal, exact_numbers.proper_fraction),
)


def any_amount(rng: Random) -> Any:
    """A decimal, a fraction, a day, a moment, a time of day or a span."""
    return rng.choice(_AMOUNTS)(rng)


def amount_twin(rng: Random, other: object) -> Any:
    """One of the same kind, often equal or close."""
    if rng.random() < 0.35:
        return other
    if isinstance(other, date):
        return other + timedelta(days=rng.choice((-1, 1, 30, 365)))
    if isinstance(other, timedelta):
        return other + timedelta(hours=rng.choice((-1, 1, 24)))
    if isinstance(other, Decimal):
        return rng.choice((other + Decimal("0.01"), -other, other * 10, library_values.decimal(rng)))
    if isinstance(other, Fraction):
        return rng.choice((other + Fraction(1, 12), 1 - other, exact_numbers.proper_fraction(rng)))
    return exact_numbers.day_time(rng) if isinstance(other, time) else any_amount(rng)


def amounts(rng: Random) -> list[object]:
    """Several of one kind."""
    first = any_amount(rng)
    return [first, *(amount_twin(rng, first) for _ in range(rng.randint(0, 3)))]


def listed_amount(rng: Random, held: object) -> Any:
    items = held if isinstance(held, list) and held else [any_amount(rng)]
    return amount_twin(rng, rng.choice(items))


def exact_amount(rng: Random) -> Any:
    return rng.choice((library_values.decimal, exact_numbers.proper_fraction, scalars.boolean))(rng)


def whole_amount(rng: Random) -> object:
    """A small whole number, seldom a truth value."""
    return rng.choice((rng.randint(1, 12), rng.randint(1, 12), rng.randint(-5, 30), True))


def clock_moment(rng: Random) -> datetime:
    return library_values.moment(rng).replace(second=rng.choice((0, rng.randint(0, 59))))


def byte_text(rng: Random) -> bytes:
    """A word, a phrase or a row of fields as bytes."""
    return rng.choice((texts.word, texts.word, everyday_texts.phrase, everyday_texts.field_line, texts.spaced))(
        rng
    ).encode()[:60]


def byte_buffer(rng: Random) -> bytearray:
    return bytearray(byte_text(rng))


def byte_piece(rng: Random, held: object) -> bytes:
    """A part of the bytes, or another piece."""
    text = bytes(held) if isinstance(held, bytes | bytearray) else b"ab"
    start = rng.choice((0, 0, rng.randint(0, len(text)), max(0, len(text) - 2)))
    return (
        text[start : start + rng.randint(1, 3)] or b"x"
        if rng.random() < 0.75
        else rng.choice((b",", b" ", b"x", b"ab"))
    )


def byte_number(rng: Random) -> int:
    return rng.choice((rng.randint(0, 255), rng.randint(97, 122), rng.randint(97, 122), 32, 0, rng.randint(250, 256)))


def rare_float(rng: Random) -> float:
    return rng.choice((float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 1e308, rng.randint(-9, 9) / 2))


def stepped_range(rng: Random) -> range:
    return range(rng.randint(-5, 9), rng.randint(5, 40), rng.choice((1, 1, 2, 3, 5)))


def hour_text(rng: Random) -> str:
    """A time of day as `isoformat` writes it."""
    return exact_numbers.day_time(rng).isoformat(rng.choice(("minutes", "auto")))

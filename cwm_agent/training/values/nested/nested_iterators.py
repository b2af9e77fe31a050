"""Iterators over iterators, over tables with tuples as keys and over rows, at any place.

Each recipe is `(rng) -> object`.
"""

import operator
import string
from collections.abc import Callable, Iterator
from itertools import accumulate, chain, islice
from random import Random
from typing import Any

from cwm_agent.training.values import texts
from cwm_agent.training.values.nested.kindred_keys import stem, tuple_table
from cwm_agent.training.values.nested.nested_tuples import logged_row, row_of_three, row_of_two


def _begun(rng: Random, found: Iterator[object], most: int) -> Iterator[object]:
    """The iterator, sometimes after some of its items."""
    for _ in range(rng.randint(0, max(most, 0)) if rng.random() < 0.4 else 0):
        next(found, None)
    return found


def _digits(rng: Random) -> str:
    return "".join(rng.choices(string.digits, k=rng.randint(1, 8)))


def padded_lines(rng: Random) -> list[str]:
    """Lines with blanks around them, some empty."""
    edge = ("", "", " ", "  ", "\n", "\t")
    lines = [rng.choice((stem, texts.word, lambda _: ""))(rng) for _ in range(rng.randint(1, 6))]
    return [rng.choice(edge) + line + rng.choice(edge) for line in lines]


def text_stream(rng: Random) -> Iterator[object]:
    """Texts that come through one to three iterators, at any place."""
    lines = padded_lines(rng)
    words = [line.strip() for line in lines]
    made: tuple[Callable[[], Iterator[object]], ...] = (
        lambda: filter(None, map(str.strip, iter(lines))),
        lambda: map(rng.choice((str.strip, str.rstrip, str.upper)), iter(lines)),
        lambda: filter(None, iter(words)),
        lambda: map(str.upper, filter(None, map(str.strip, lines))),
        lambda: filter(str.isalpha, map(str.lower, iter(stem(rng).title() + _digits(rng)[:3]))),
        lambda: map(str, iter(range(rng.randint(0, 4), rng.randint(5, 12)))),
        lambda: map(str, map(int, iter(_digits(rng)))),
        lambda: reversed(words),
        lambda: chain(iter(words), iter(stem(rng))),
        lambda: islice(map(str.title, iter(words)), rng.randint(1, 4)),
    )
    return _begun(rng, rng.choice(made)(), len(lines) - 2)


def _countdown(rng: Random) -> range:
    top = rng.randint(3, 12)
    return rng.choice((range(top, rng.randint(0, 2), -1), range(top), range(1, 2 * top, rng.randint(1, 3))))


def _factors(rng: Random) -> Iterator[Any]:
    """Pairs of a weight and a digit."""
    return zip(iter(_countdown(rng)), map(int, iter(_digits(rng))), strict=False)


def number_stream(rng: Random) -> Iterator[object]:
    """Whole numbers that come through one to three iterators, at any place."""
    numbers = [rng.randint(-9, 30) for _ in range(rng.randint(1, 6))]
    word = "".join(stem(rng) for _ in range(rng.randint(1, 2)))
    made: tuple[Callable[[], Iterator[object]], ...] = (
        lambda: map(int, iter(_digits(rng))),
        lambda: map(word.count, iter(rng.choice(("aeiou", "abc", "et", word)))),
        lambda: map(int, filter(str.isdigit, iter(f"{word[:4]}{_digits(rng)[:3]}-{_digits(rng)[:3]}"))),
        lambda: map(len, map(str.strip, iter(padded_lines(rng)))),
        lambda: map(operator.mul, iter(_countdown(rng)), map(int, iter(_digits(rng)))),
        lambda: map(ord, iter(word[:5])),
        lambda: map(abs, iter(numbers)),
        lambda: accumulate(map(int, iter(_digits(rng)))),
        lambda: filter(None, map(int, iter(_digits(rng)))),
        lambda: map(max, zip(iter(numbers), _countdown(rng), strict=False)),
        lambda: chain(iter(numbers), _countdown(rng)),
    )
    return _begun(rng, rng.choice(made)(), 2)


def pair_stream(rng: Random) -> Iterator[object]:
    """Pairs: numbered items, or items side by side, of other iterators."""
    made: tuple[Callable[[], Iterator[object]], ...] = (
        lambda: _factors(rng),
        lambda: enumerate(map(int, iter(_digits(rng))), rng.choice((0, 0, 1))),
        lambda: enumerate(text_stream(rng), rng.choice((0, 1, 1))),
        lambda: enumerate(number_stream(rng)),
        lambda: zip(text_stream(rng), iter(_countdown(rng)), strict=False),
        lambda: zip(iter(stem(rng)), map(ord, iter(stem(rng))), strict=False),
        lambda: enumerate(zip(stem(rng), _digits(rng), strict=False)),
        lambda: zip(reversed(_digits(rng)), iter(_countdown(rng)), strict=False),
    )
    return _begun(rng, rng.choice(made)(), 2)


def any_stream(rng: Random) -> Iterator[object]:
    return rng.choice((text_stream, number_stream, pair_stream))(rng)


def vowels(rng: Random) -> str:
    return rng.choice(("aeiou", "aeiou", "abc", "et", "01", "xyz", "lr", "nsa"))


def stem_phrase(rng: Random) -> str:
    return rng.choice(("", " ", "-")).join(stem(rng) for _ in range(rng.randint(1, 3)))


def tuple_turns(rng: Random) -> Iterator[object]:
    """An iterator over the items, keys or values of a table with tuples as keys, at any place."""
    held = tuple_table(rng)
    found: Iterator[object] = iter(rng.choice((held.items(), held.items(), held, held.values())))
    return _begun(rng, found, len(held) - 1)


def rows_in_turn(rng: Random) -> Iterator[object]:
    """An `enumerate` over two or three rows, or their plain iterator, at any place."""
    make = rng.choice((logged_row, row_of_three, row_of_two))
    rows = [make(rng) for _ in range(rng.randint(2, 3))]
    found: Iterator[object] = enumerate(rows, rng.choice((0, 0, 1))) if rng.random() < 0.7 else iter(rows)
    return _begun(rng, found, len(rows) - 1)

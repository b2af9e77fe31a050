"""Random iterators of every kind, often partly consumed, and everything else that a loop can iterate over.

Each recipe is `(rng) -> object`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import (
    accumulate,
    chain,
    combinations,
    count,
    cycle,
    islice,
    permutations,
    product,
    zip_longest,
)
from operator import mul
from random import Random

from cwm_agent.training.values import containers, scalars, texts


def iterator(rng: Random) -> Iterator[object]:
    """An iterator of any kind with at least one item left."""
    make = rng.choices(
        (plain_iterator, enumerated, zipped, backwards, mapped, plain_iterator),
        (76, 9, 6, 3, 3, 3),
    )[0]
    return make(rng)


def _source(rng: Random) -> Collection[object]:
    source: Collection[object] = rng.choices(
        (
            texts.text,
            containers.array,
            containers.group,
            containers.mapping,
            containers.span,
            containers.view,
            containers.int_set,
        ),
        (30, 36, 6, 5, 14, 10, 2),
    )[0](rng)
    return source if len(source) else [scalars.integer(rng)]


def _advanced(rng: Random, made: Iterator[object], length: int) -> Iterator[object]:
    """The iterator at a position before its last item; often at its start."""
    if rng.random() < 0.65 and length > 1:
        next(islice(made, rng.randint(0, length - 2), None))
    return made


def plain_iterator(rng: Random) -> Iterator[object]:
    source = _source(rng)
    return _advanced(rng, iter(source), len(source))


def late_iterator(rng: Random) -> Iterator[object]:
    """An iterator with a single item left."""
    source = _source(rng)
    made = iter(source)
    for _ in range(len(source) - 1):
        next(made)
    return made


def mapped_ints(rng: Random) -> Iterator[object]:
    function, source = rng.choice(_TO_INTS)
    return map(function, source(rng))


def mapped_digits(rng: Random) -> Iterator[object]:
    """Parts of a clock, a date or a row of numbers, as integers or floats."""
    parts = [f"{rng.randint(0, rng.choice((9, 60, 2024))):0{rng.randint(1, 3)}d}" for _ in range(rng.choice((2, 2, 3)))]
    return map(rng.choice((int, int, int, float)), parts)


def enumerated(rng: Random) -> Iterator[object]:
    source = _source(rng)
    start = 0 if rng.random() < 0.75 else rng.randint(-1, 10)
    return _advanced(rng, enumerate(source, start), len(source))


def zipped(rng: Random) -> Iterator[object]:
    sources = [_source(rng) for _ in range(2 if rng.random() < 0.9 else 3)]
    length = min(len(source) for source in sources)
    return _advanced(rng, zip(*sources, strict=False), length)


def backwards(rng: Random) -> Iterator[object]:
    source: Sequence[object] = rng.choice(_REVERSIBLE)(rng)
    source = source or [scalars.integer(rng)]
    return _advanced(rng, reversed(source), len(source))


def mapped(rng: Random) -> Iterator[object]:
    function, source = rng.choice(MAPPABLE)
    made: Sequence[object] = source(rng) or ["7"]
    return _advanced(rng, map(function, made), len(made))


def numerals(rng: Random) -> list[str]:
    return [str(scalars.integer(rng)) for _ in range(scalars.size(rng))]


MAPPABLE: tuple[tuple[Callable[..., object], Callable[[Random], Sequence[object]]], ...] = (
    (str, containers.ints),
    (str, containers.ints),
    (int, numerals),
    (int, texts.digits),
    (len, containers.words),
    (ord, texts.word),
    (float, numerals),
    (abs, containers.ints),
    (str.upper, containers.words),
    (str.lstrip, containers.strings),
    (str.capitalize, containers.words),
    (sum, containers.int_rows),
    (set, containers.words),
    (str.lower, containers.words),
    (str.strip, containers.words),
    (bool, containers.booleans),
    (list, containers.words),
    (tuple, containers.pairs),
    (chr, lambda rng: [rng.randint(97, 122) for _ in range(scalars.size(rng))]),
)


_TO_INTS: tuple[tuple[Callable[..., object], Callable[[Random], Sequence[object]]], ...] = (
    (int, texts.digits),
    (len, containers.words),
    (int, numerals),
    (ord, texts.word),
    (abs, containers.ints),
    (sum, containers.int_rows),
)
_REVERSIBLE: tuple[Callable[[Random], Sequence[object]], ...] = (
    *(texts.text, containers.array, containers.array, containers.span, containers.group),
)
_FILTERS: tuple[tuple[Callable[..., object] | None, Callable[[Random], Sequence[object]]], ...] = (
    (str.isdigit, texts.coded),
    (str.isalpha, texts.text),
    (None, containers.booleans),
    (str.isupper, texts.text),
    (bool, containers.booleans),
)


def filtered(rng: Random) -> Iterator[object]:
    """A filter, at its start or later; it may be exhausted."""
    function, source = rng.choice(_FILTERS)
    made: Iterator[object] = filter(function, source(rng))
    if rng.random() < 0.4:
        next(made, None)
    return made


def walkable(rng: Random) -> object:
    """Any iterable whose order the frame shows."""
    recipe = rng.choices(
        (
            texts.text,
            containers.array,
            containers.group,
            containers.mapping,
            containers.int_set,
            containers.span,
            containers.view,
            containers.deque_of,
            iterator,
        ),
        (28, 36, 7, 6, 1.5, 10, 10, 0.5, 2),
    )[0]
    return recipe(rng)


def zipped_pairs(rng: Random) -> Iterator[object]:
    """Keys zipped with values."""
    key, item = containers._key(rng), containers._item(rng)
    count = scalars.size(rng)
    return zip([key(rng) for _ in range(count)], [item(rng) for _ in range(count)], strict=False)


def begun_iterator(rng: Random) -> Iterator[object]:
    """An iterator over a list or a text at any place, sometimes at its end."""
    items = containers.flat(rng) if rng.random() < 0.8 else list(texts.word(rng))
    made = iter(items)
    for _ in range(rng.choice((0, 0, 0, 1, 2, 3, len(items)))):
        next(made, None)
    return made


def sliced(rng: Random) -> Iterator[object]:
    """An `islice` over an iterator, or over one without end."""
    if rng.random() < 0.35:
        words = [texts.word(rng) for _ in range(rng.randint(1, 3))]
        return islice(
            rng.choice((cycle(words), count(rng.randint(0, 20), rng.choice((1, 1, 2, 5))))), rng.randint(0, 7)
        )
    return islice(begun_iterator(rng), rng.randint(0, 6))


def sliced_numbers(rng: Random) -> Iterator[object]:
    return islice(iter([rng.randint(0, 99) for _ in range(rng.randint(1, 8))]), rng.randint(1, 6))


def longest(rng: Random) -> Iterator[object]:
    """Two or three lists of different lengths side by side, often with a filling."""
    sources = [containers.flat(rng)[:6] for _ in range(rng.choice((2, 2, 2, 3)))]
    fill = rng.choice((None, None, 0, "-", "", "?", texts.char(rng)))
    return zip_longest(*sources, fillvalue=fill) if fill is not None else zip_longest(*sources)


def flattened(rng: Random) -> Iterator[object]:
    """The items of rows in a row."""
    width = rng.randint(1, 3)
    item = rng.choice((scalars.small, scalars.integer, texts.char, texts.word))
    rows = [[item(rng) for _ in range(width)] for _ in range(rng.randint(1, 5))]
    return chain.from_iterable(rows if rng.random() < 0.6 else [tuple(row) for row in rows])


def flattened_numbers(rng: Random) -> Iterator[object]:
    return chain.from_iterable(
        [[scalars.small(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(1, 4))]
    )


def running(rng: Random) -> Iterator[object]:
    """Running sums, products or maxima of numbers."""
    numbers = [rng.randint(1, rng.choice((9, 9, 60, 400))) for _ in range(rng.randint(1, 7))]
    chance = rng.random()
    if chance < 0.15:
        return accumulate(numbers, max)
    if chance < 0.3:
        return accumulate([number % 9 + 1 for number in numbers], mul)
    return accumulate(numbers)


def small_factors(rng: Random) -> list[int]:
    return [rng.randint(1, 12) for _ in range(rng.randint(1, 6))]


def int_choices(rng: Random) -> Iterator[object]:
    """Pairs or triples of three to five numbers."""
    numbers = [scalars.integer(rng) for _ in range(rng.randint(3, 5))]
    return rng.choice((combinations, combinations, permutations))(
        numbers, 2 if len(numbers) > 3 else rng.choice((2, 3))
    )


def word_products(rng: Random) -> Iterator[object]:
    return product(texts.word(rng)[:3], rng.choice(("01", "123", [1, 2], texts.word(rng)[:2])))


def number_source(rng: Random) -> Iterator[object]:
    """An iterator over five to eighteen numbers or letters, at any place: others read from it too."""
    size = rng.randint(5, 18)
    start = rng.randint(0, 20)
    items = rng.choice(
        (list(range(start, start + size)), [scalars.small(rng) for _ in range(size)], texts.longer(rng)[:size])
    )
    made = iter(items)
    for _ in range(rng.choice((0, 0, 0, 1, 2, size // 2, size - 2, size))):
        next(made, None)
    return made


def window_on(rng: Random, source: Iterator[object]) -> Iterator[object]:
    """The next few items of an iterator."""
    few = rng.randint(0, 6)
    return rng.choice((islice(source, few), islice(source, few), islice(source, rng.randint(0, 2), few + 2)))


def numbered_on(rng: Random, source: Iterator[object]) -> Iterator[object]:
    return enumerate(source, rng.choice((0, 1, 1, 10)))


def beside_on(rng: Random, source: Iterator[object]) -> Iterator[object]:
    """An iterator zipped with itself, with a list before or behind it, or with a shorter range."""
    other = [texts.char(rng) for _ in range(rng.randint(0, 4))]
    return rng.choice(
        (zip(source, source, strict=False), zip(source, other, strict=False), zip(other, source, strict=False))
    )


def summed_rows(rng: Random) -> Iterator[object]:
    """Sums of numbers that stand side by side."""
    size = rng.randint(1, 4)
    rows = [tuple(rng.randint(-9, 9) for _ in range(size)) for _ in range(rng.choice((2, 2, 3)))]
    return map(rng.choice((sum, sum, max, list)), zip(*map(iter, rows), strict=False))

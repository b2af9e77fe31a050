"""Containers as ordinary programs hold them: of dates, records, enums and objects, with tuples as keys, within others.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import heapq
import json
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from datetime import date, datetime
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, library_values, scalars, texts
from cwm_agent.training.values.own import own_kinds

Recipe = Callable[[Random], object]


def short_price(rng: Random) -> float:
    """A price, a quarter or a whole number as float."""
    return rng.choice((round(rng.uniform(0, 100), 2), rng.randint(0, 400) / 4, float(rng.randint(0, 999))))


def spot(rng: Random) -> tuple[int, int]:
    """A place in a grid, sometimes beside it."""
    return rng.randint(-1, 4), rng.randint(-1, 4)


def few_frozen(rng: Random) -> frozenset[object]:
    item = rng.choice((texts.word, texts.char, scalars.small))
    return frozenset(item(rng) for _ in range(rng.randint(0, 4)))


def _quoting(rng: Random) -> str:
    """The text of an error or a call, with quotes in it."""
    return rng.choice(
        (repr(everyday_texts.real_error(rng)), str(everyday_texts.real_error(rng)), f"{texts.word(rng)!r}")
    )


_RICH: tuple[tuple[Recipe, float], ...] = (
    (library_values.day, 4),
    (library_values.moment, 4),
    (library_values.timespan, 3),
    (library_values.decimal, 4),
    (library_values.fraction, 2),
    (own_kinds.enum_member, 3),
    (own_kinds.named_record, 4),
    (own_kinds.data_object, 5),
    (few_frozen, 1.5),
    (spot, 4),
    (short_price, 4),
    (everyday_texts.phrase, 3),
    (everyday_texts.field_line, 2),
    (everyday_texts.real_error, 1),
    (_quoting, 1.5),
    (scalars.integer, 3),
    (texts.word, 3),
    (scalars.nothing, 1),
    (scalars.boolean, 1),
)
_RECIPES = [recipe for recipe, _ in _RICH]
_WEIGHTS = [weight for _, weight in _RICH]


def _kind(rng: Random) -> Recipe:
    return rng.choices(_RECIPES, _WEIGHTS)[0]


def rich(rng: Random) -> object:
    """Any value of those that containers of ordinary programs hold."""
    return _kind(rng)(rng)


def rich_list(rng: Random) -> list[object]:
    """One kind of value, sometimes several, sometimes tuples of them."""
    count = rng.choice((0, 1, 2, 2, 3, 3, 4, 5))
    chance = rng.random()
    if chance < 0.55:
        item = _kind(rng)
        return [item(rng) for _ in range(count)]
    return [rich_tuple(rng) if chance < 0.85 else rich(rng) for _ in range(min(count, 4))]


def rich_tuple(rng: Random) -> tuple[object, ...]:
    return tuple(rich(rng) for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4))))


def wide_tuple(rng: Random) -> tuple[object, ...]:
    """Four to eight parts, as groups of a match or fields of a row are."""
    item = rng.choice((texts.word, texts.digits, scalars.integer, rich, scalars.scalar))
    return tuple(item(rng) for _ in range(rng.randint(4, 8)))


def wide_list(rng: Random) -> list[object]:
    return list(wide_tuple(rng))


def rich_item(rng: Random, held: object) -> object:
    """Mostly an item of the list or tuple, or a value equal to one; else another value."""
    items = list(held) if isinstance(held, list | tuple | deque) else []
    return rng.choice(items) if items and rng.random() < 0.7 else rich(rng)


def rich_dict(rng: Random) -> dict[object, object]:
    """Words, dates or records by words, numbers or places."""
    key = rng.choice((texts.word, texts.word, spot, library_values.day, scalars.integer, everyday_texts.full_name))
    item = rng.choice((_kind(rng), _kind(rng), rich_tuple))
    return {key(rng): item(rng) for _ in range(rng.choice((0, 1, 2, 2, 3, 3, 4)))}


def spot_counts(rng: Random) -> dict[object, object]:
    """Numbers by places in a grid, as searches and games keep them."""
    recipes: tuple[Recipe, ...] = (scalars.small, scalars.small, spot, scalars.boolean, texts.char)
    item = rng.choice(recipes)
    found: dict[object, object] = {spot(rng): item(rng) for _ in range(rng.randint(1, 7))}
    return defaultdict[object, object](int, found) if item is scalars.small and rng.random() < 0.15 else found


def rich_key(rng: Random, held: object) -> object:
    """Mostly a key of the dict, else a new one like it."""
    keys = list(held) if isinstance(held, dict | ChainMap) else []
    if keys and rng.random() < 0.7:
        return rng.choice(keys)
    if keys and isinstance(keys[0], tuple):
        return spot(rng)
    return rng.randint(0, 30) if keys and isinstance(keys[0], int) else texts.word(rng)


def nested_dict(rng: Random) -> dict[object, object]:
    """Dicts within dicts: a prefix tree, or settings in sections."""
    return _nested(rng, rng.randint(1, 3), rng.choice((texts.char, texts.char, texts.word)))


def _nested(rng: Random, depth: int, key: Recipe) -> dict[object, object]:
    if not depth:
        return {"$": True} if rng.random() < 0.4 else {key(rng): scalars.scalar(rng) for _ in range(rng.randint(0, 2))}
    return {key(rng): _nested(rng, rng.randint(0, depth - 1), key) for _ in range(rng.randint(1, 3))}


def rows_of_dicts(rng: Random) -> list[dict[str, object]]:
    """Rows with the same keys, as a reader of a file gives them."""
    keys = rng.sample(("name", "age", "city", "price", "qty", "tags", "id", "score", "dept"), rng.randint(2, 3))
    recipes: list[Recipe] = [
        rng.choice((texts.word, scalars.integer, short_price, everyday_texts.full_name)) for _ in keys
    ]
    return [
        {key: recipe(rng) for key, recipe in zip(keys, recipes, strict=True)}
        for _ in range(rng.choice((1, 2, 2, 3, 3)))
    ]


def chained(rng: Random) -> ChainMap[str, object]:
    """Settings over defaults."""
    keys = rng.sample(("color", "size", "user", "host", "port", "debug", "lang", "mode", "level", "theme"), 4)
    maps: list[dict[str, object]] = [
        {key: rng.choice((texts.word(rng), scalars.small(rng))) for key in keys if rng.random() < 0.5} for _ in "abc"
    ]
    return ChainMap(*maps[: rng.choice((2, 2, 3))])


def word_counts(rng: Random) -> Counter[str]:
    """Counts of words or letters, with ties, seldom zero or below."""
    item = rng.choice((texts.char, texts.word, everyday_texts.first_name))
    low = rng.choice((1, 1, 1, 0, -1))
    return Counter({item(rng): rng.randint(low, rng.choice((3, 9, 40))) for _ in range(rng.randint(1, 8))})


def no_counts(_: Random) -> Counter[str]:
    return Counter()


def item_getters(rng: Random) -> Iterator[object]:
    """An iterator over rich values, at any place."""
    items = rich_list(rng) or [rich(rng)]
    found = iter(items)
    for _ in range(rng.randrange(len(items))):
        next(found)
    return found


def spot_items(rng: Random) -> Iterator[object]:
    """An iterator over the items, keys or values of a dict with tuples as keys."""
    held = spot_counts(rng)
    found = iter(rng.choice((held.items(), held.items(), held.keys(), held.values())))
    for _ in range(rng.randrange(len(held))):
        next(found)
    return found


def rich_deque(rng: Random) -> deque[object]:
    return deque(rich_list(rng), rng.choice((None, None, None, rng.randint(5, 8))))


def shared_rows(rng: Random) -> list[object]:
    """Rows of which some are the same list."""
    row: list[object] = [rng.randint(0, 9) for _ in range(rng.randint(1, 4))]
    return [row if rng.random() < 0.6 else list(row) for _ in range(rng.randint(2, 4))]


def no_entries(_: Random) -> dict[object, object]:
    return {}


def long_counts(rng: Random) -> dict[object, object]:
    """A dict with ten to thirty entries."""
    key = rng.choice((texts.word, scalars.integer, texts.syllables))
    return {key(rng): rng.randint(0, 99) for _ in range(rng.randint(8, 32))}


def many_words(rng: Random) -> set[str]:
    """Words of which several differ in one letter."""
    first = texts.word(rng)
    return {_other_letter(rng, first) if rng.random() < 0.4 else texts.word(rng) for _ in range(rng.randint(2, 14))}


def _other_letter(rng: Random, word: str) -> str:
    place = rng.randrange(len(word) or 1)
    return word[:place] + rng.choice("abcdeorst") + word[place + 1 :]


def repeated_or_kin(rng: Random, held: object) -> str:
    """A word of the collection, or one that differs from it in one letter."""
    words = sorted(map(str, held)) if isinstance(held, set | list) else []
    if not words:
        return texts.word(rng)
    found = rng.choice(words)
    return found if rng.random() < 0.5 else _other_letter(rng, found) if rng.random() < 0.7 else texts.word(rng)


def spot_set(rng: Random) -> set[tuple[int, int]]:
    return {spot(rng) for _ in range(rng.randint(1, 6))}


def spot_numbers(rng: Random) -> dict[object, object]:
    return {spot(rng): scalars.small(rng) for _ in range(rng.randint(2, 6))}


def spot_view(rng: Random) -> object:
    held = spot_counts(rng)
    return rng.choice((held.items(), held.keys(), held.values()))


def spot_values(rng: Random) -> object:
    return spot_numbers(rng).values()


def rich_nested(rng: Random) -> tuple[object, ...]:
    """A value beside a pair."""
    pair = (rich(rng), rich(rng))
    return (rich(rng), pair) if rng.random() < 0.5 else (pair, rich(rng))


def phrase_keys(rng: Random) -> dict[str, int]:
    return {everyday_texts.phrase(rng): scalars.small(rng) for _ in range(rng.randint(1, 5))}


def quarters(rng: Random) -> list[float]:
    """Floats whose sums are exact."""
    return [rng.randint(0, 400) / 4 for _ in range(rng.randint(2, 8))]


def rate(rng: Random) -> float:
    return rng.choice((0.5, 0.1, 0.19, 0.07, 0.2, 0.25, 1.1, 0.9, 1.05, 0.05, 0.75, 1.5))


def fellow_of(rng: Random, held: object) -> object:
    """Mostly an object equal to one of the list."""
    one = rng.choice(held) if isinstance(held, list) and held else own_kinds.data_object(rng)
    return own_kinds.fellow_object(rng, one)


def rich_zip(rng: Random) -> Iterator[object]:
    """Words or names zipped with values."""
    key = rng.choice((texts.word, everyday_texts.first_name, scalars.integer, spot))
    item, size = _kind(rng), rng.randint(1, 4)
    return zip([key(rng) for _ in range(size)], [item(rng) for _ in range(size)], strict=False)


def rich_enumerated(rng: Random) -> Iterator[object]:
    return enumerate(rich_list(rng) or [rich(rng)], rng.choice((0, 1, 1)))


def count_values(rng: Random) -> object:
    return word_counts(rng).values()


def count_items(rng: Random) -> object:
    return word_counts(rng).items()


def task(rng: Random) -> tuple[object, ...]:
    """A priority with what is to be done, sometimes with a number that breaks ties."""
    first = rng.choice((scalars.small(rng), scalars.small(rng), short_price(rng)))
    return (first, texts.word(rng)) if rng.random() < 0.6 else (first, rng.randint(0, 9), texts.word(rng))


def task_heap(rng: Random) -> list[object]:
    """A heap of tasks of one shape."""
    wide = rng.random() < 0.4
    found: list[Any] = [
        (scalars.small(rng), rng.randint(0, 9), texts.word(rng)) if wide else (scalars.small(rng), texts.word(rng))
        for _ in range(rng.randint(1, 6))
    ]
    heapq.heapify(found)
    return list(found)


def word_pairs(rng: Random) -> list[tuple[str, int]]:
    return [(texts.word(rng), rng.randint(0, rng.choice((5, 60)))) for _ in range(rng.randint(1, 6))]


def dated_rows(rng: Random) -> list[tuple[object, str]]:
    return [(library_values.day(rng), texts.word(rng)) for _ in range(rng.randint(1, 4))]


def plain_data(rng: Random) -> object:
    """Dicts and lists as they are written to a file."""
    return rng.choice((rows_of_dicts, nested_dict, _row, _row, word_pairs))(rng)


def _row(rng: Random) -> dict[str, object]:
    found = rows_of_dicts(rng)[0]
    found[rng.choice(("tags", "items"))] = [
        rng.choice((texts.word(rng), rng.randint(0, 9))) for _ in range(rng.randint(0, 3))
    ]
    found["ok"] = rng.choice((True, False, None))
    return found


def data_text(rng: Random) -> str:
    """What is read from such a file, seldom with a mistake."""
    found = json.dumps(plain_data(rng))
    return found if rng.random() < 0.97 else found[:-1]


def no_members(_: Random) -> set[object]:
    return set()


def no_order(_: Random) -> OrderedDict[object, object]:
    return OrderedDict()


def strptime_function(_: Random) -> Callable[..., object]:
    return datetime.strptime


def iso_function(_: Random) -> Callable[..., object]:
    return date.fromisoformat

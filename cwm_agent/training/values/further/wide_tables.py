"""Longer tables as programs keep them: rows of pairs, dicts with many keys, sieves, lists within lists that are equal.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

Recipe = Callable[[Random], object]


def _entry(rng: Random) -> Recipe:
    words = rng.sample(("UP", "DOWN", "LEFT", "RIGHT", "buy", "sell", "in", "out", "a", "b"), rng.randint(2, 4))
    recipes: tuple[Recipe, ...] = (
        lambda rng: (rng.choice(words), rng.randint(0, 9)),
        lambda rng: (rng.randint(0, 20), rng.choice(words)),
        lambda rng: (rng.randint(0, 9), rng.randint(0, 9)),
        lambda rng: (texts.word(rng), round(rng.uniform(0, 50), 1)),
        lambda rng: (rng.choice(words), rng.choice(words), rng.randint(0, 5)),
    )
    return rng.choice(recipes)


def pair_rows(rng: Random) -> list[object]:
    """Five to eleven tuples of one shape, several of them alike."""
    item = _entry(rng)
    return [item(rng) for _ in range(rng.randint(4, 11))]


def end_count(rng: Random) -> int:
    return rng.choice((-1, -2, -2, -3, -3, -4, 1, 2, 3))


def numbered_titles(rng: Random) -> list[object]:
    """Titles with their numbers, which are tuples of several lengths."""
    found: list[object] = []
    for _ in range(rng.randint(2, 6)):
        number = tuple(rng.randint(1, 3) for _ in range(rng.choice((1, 1, 2, 2, 3))))
        found.append((number, "  " * (len(number) - 1) + texts.word(rng).title()))
    return found


def many_keys(rng: Random) -> dict[object, object]:
    """A dict with nine to twenty-two keys: tuples, words or numbers."""
    recipes: tuple[Recipe, ...] = (
        *(lambda rng: (rng.randint(0, 9), rng.randint(0, 9)), lambda rng: (rng.randint(0, 5), texts.char(rng))),
        *(texts.word, scalars.integer, lambda rng: tuple(rng.randint(0, 5) for _ in range(rng.randint(1, 3)))),
    )
    key, item = rng.choice(recipes), rng.choice((scalars.small, scalars.small, texts.char, scalars.boolean))
    return {key(rng): item(rng) for _ in range(rng.randint(9, 22))}


def key_among(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict) else []
    return rng.choice(keys) if keys else texts.word(rng)


def few_keys(rng: Random) -> dict[object, object]:
    """A dict with one to six keys, whose values are often alike."""
    recipes: tuple[Recipe, ...] = (texts.char, lambda rng: texts.char(rng).upper(), texts.word, scalars.small)
    key = rng.choice(recipes)
    values: list[object] = [rng.choice((key, scalars.small, texts.word, scalars.nothing))(rng) for _ in range(2)]
    return {key(rng): rng.choice(values) for _ in range(rng.randint(1, 6))}


def value_beside(rng: Random, held: object) -> object:
    """A value that the dict has already, a key of it, or another."""
    known = [*held.values(), *held] if isinstance(held, dict) else []
    return rng.choice(known) if known and rng.random() < 0.7 else rng.choice((scalars.small, texts.word))(rng)


def code_table(rng: Random) -> dict[str, str]:
    """Signs for letters, which are easily mistaken for each other."""
    marks = rng.choice((".-", "01", "ab"))
    size = rng.randint(3, 9)
    keys = {"".join(rng.choice(marks) for _ in range(rng.randint(1, 5))): None for _ in range(size)}
    return {key: texts.char(rng) for key in keys}


def code_of(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict) else []
    if keys and rng.random() < 0.85:
        return rng.choice(keys)
    return rng.choice(keys)[:-1] if keys else "."


def sieve(rng: Random) -> list[bool]:
    """Marks by numbers, as a sieve has them after some of its steps."""
    size = rng.choice((10, 12, 16, 20, 21, 26, 30, 31, 40, 50, 51))
    found = [False, False, *([True] * (size - 2))]
    for step in (2, 3, 5)[: rng.randint(0, 3)]:
        found[step * step :: step] = [False] * len(found[step * step :: step])
    return found


def sieve_step(rng: Random) -> int:
    return rng.choice((2, 2, 3, 3, 5, 7))


def square_of(rng: Random, step: object) -> int:
    return step * step if isinstance(step, int) and rng.random() < 0.8 else rng.randint(0, 30)


def gaps_for(rng: Random, held: object, start: object, step: object) -> list[bool]:
    """As many marks as the slice has places."""
    if isinstance(held, list) and isinstance(start, int) and isinstance(step, int) and step:
        return [False] * len(held[start::step])
    return [False]


def sieve_place(rng: Random, held: object) -> int:
    return rng.randrange(len(held)) if isinstance(held, list) and held else 0


def list_of_lists(rng: Random) -> list[object]:
    """Numbers, words or pairs in lists within a list."""
    recipes: tuple[Recipe, ...] = (
        scalars.small,
        scalars.small,
        texts.word,
        texts.char,
        scalars.tenths,
        scalars.boolean,
    )
    item = rng.choice(recipes)
    deep = rng.random() < 0.2
    rows: list[object] = [[item(rng) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(1, 4))]
    return [[row] for row in rows] if deep else rows


def dict_of_lists(rng: Random) -> dict[object, object]:
    return {texts.word(rng): row for row in list_of_lists(rng)[:3]}


def nested_data(rng: Random) -> object:
    """Lists in lists, dicts of lists, tuples of lists."""
    found = rng.choice((list_of_lists, list_of_lists, dict_of_lists))(rng)
    return tuple(found) if isinstance(found, list) and rng.random() < 0.15 else found


def nested_twin(rng: Random, other: object) -> object:
    """An equal one that is another object, half of the time with one item changed."""
    found: Any = copy.deepcopy(other)
    if rng.random() < 0.5 or not isinstance(found, list | dict) or not found:
        return found
    inner = rng.choice(list(found.values()) if isinstance(found, dict) else found)
    if isinstance(inner, list):
        if inner and rng.random() < 0.7:
            place = rng.randrange(len(inner))
            inner[place] = inner[place] + 1 if isinstance(inner[place], int) else texts.word(rng)
        else:
            inner.append(rng.randint(0, 9))
    twin: object = found
    return twin


def nothing_first(rng: Random) -> Iterator[object]:
    """An iterator whose next item is nothing, or a truth or zero: it still gives it."""
    items = [rng.choice((None, None, None, False, 0, "", ())) for _ in range(rng.randint(1, 2))]
    return iter([*items, *(scalars.scalar(rng) for _ in range(rng.randint(0, 3)))])


def numbered_pairs(rng: Random) -> Iterator[object]:
    """Places with pairs of two sequences, some of them begun."""
    first: Any = rng.choice((texts.word(rng), [rng.randint(0, 9) for _ in range(4)]))
    second: Any = rng.choice((texts.word(rng), [texts.char(rng) for _ in range(4)], first, first[::-1]))
    found = enumerate(zip(first, second, strict=False), rng.choice((0, 0, 0, 1)))
    for _ in range(rng.choice((0, 0, 1, 2))):
        next(found, None)
    return found


def turned_table(rng: Random) -> object:
    """Rows that are about to be turned into columns."""
    rows = [(everyday_texts.first_name(rng)[:3], round(rng.uniform(0, 30), 1)) for _ in range(rng.randint(2, 4))]
    wide = rng.random() < 0.3
    return zip(*[(*row, rng.randint(0, 9)) if wide else row for row in rows], strict=False)


def summed_lists(rng: Random) -> object:
    """Lists whose sums, lengths or largest items are taken one by one."""
    kind: Any = rng.choice((sum, sum, len, max, min, sorted, tuple))
    rows = [[rng.randint(0, 12) for _ in range(rng.randint(1, 5))] for _ in range(rng.randint(1, 4))]
    return map(kind, rows)


def mixed_set(rng: Random) -> set[object]:
    """Words or numbers of which some are in the other set."""
    words = "jacket pants shirt shoes tie hat coat belt socks scarf gloves".split()
    pool: list[Any] = rng.choice((words, list(range(12)), [chr(97 + place) for place in range(9)], list("ABCDEFG")))
    return set(rng.sample(pool, rng.randint(1, 6)))


def other_set(rng: Random, held: object) -> set[object]:
    items = sorted(held, key=str) if isinstance(held, set) else []
    kept = {each for each in items if rng.random() < 0.5}
    more = mixed_set(rng) if rng.random() < 0.6 else set()
    return kept | {each for each in sorted(more, key=str) if items and type(each) is type(items[0])}


def number_set(rng: Random) -> object:
    """Small whole numbers, whose order in a set follows from themselves."""
    items = {rng.randint(0, rng.choice((7, 31, 60))) for _ in range(rng.randint(1, 5))}
    return frozenset(items) if rng.random() < 0.5 else items


def number_frozen(rng: Random) -> frozenset[int]:
    return frozenset(rng.randint(0, 12) for _ in range(rng.randint(0, 5)))


def version(rng: Random) -> tuple[object, ...]:
    """Numbers of a version, or a number with a name; many begin alike."""
    first = rng.randint(-3, 3)
    if rng.random() < 0.5:
        return (first, rng.choice(("Ann", "Bob", "Bo", "Cy", "Anna", texts.word(rng))))
    return (abs(first), *(rng.randint(0, 12) for _ in range(rng.randint(1, 3))))


def row_twin(rng: Random, held: object) -> object:
    """A row equal to one of the list, or nearly so."""
    rows = [row for row in held if isinstance(row, list)] if isinstance(held, list) else []
    if not rows:
        return [rng.randint(0, 9)]
    found: list[object] = list(rng.choice(rows))
    return found if rng.random() < 0.7 else [*found, rng.randint(0, 9)]


def pair_table(rng: Random) -> dict[object, object]:
    """Pairs of numbers, or numbers of which some are equal, by numbers or words."""
    key = rng.choice((scalars.small, texts.word))
    wide = rng.random() < 0.6
    return {
        key(rng): (rng.randint(0, 20), rng.randint(0, 3)) if wide else rng.randint(0, 4)
        for _ in range(rng.randint(1, 6))
    }


def items_of(rng: Random, held: object) -> list[object]:
    """Some items of the list in another order."""
    items = list(dict.fromkeys(held)) if isinstance(held, list) else []
    return rng.sample(items, rng.randint(1, len(items))) if items else []


def table_keys(rng: Random, held: object) -> list[object]:
    return items_of(rng, list(held)) if isinstance(held, dict) else []


def itself(_: Random, held: object) -> object:
    """The same object under another name."""
    return held

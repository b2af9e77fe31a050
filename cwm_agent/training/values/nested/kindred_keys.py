"""Keys that are almost alike: tuples and words that differ in one part, and the tables and sets that hold them.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import string
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, library_values, scalars, texts
from cwm_agent.training.values.further import exact_numbers

Recipe = Callable[[Random], object]
Key = tuple[object, ...]

_STEMS = (
    *("tile", "cold", "hit", "lead", "stone", "cat", "bread", "grape", "sail", "mend", "table", "horse", "kitten"),
    *("sitting", "sunday", "intention", "flaw", "lawn", "pig", "moss", "banana", "ab", "abc", "aab", "level", "race"),
)
_SOURCES = ("mail", "auth", "api", "db", "cache", "net", "cron", "worker")


# -- words


def stem(rng: Random) -> str:
    return rng.choice((rng.choice(_STEMS), rng.choice(_STEMS), texts.word(rng)))[:7]


def kin_list(rng: Random) -> list[str]:
    """Eight to fourteen words, each once, most of which differ from another in one letter."""
    found = {stem(rng): None}
    for _ in range(rng.randint(8, 18)):
        found[_other_letter(rng, rng.choice(list(found))) if rng.random() < 0.85 else stem(rng)] = None
    return list(found)[:14]


def kin_repeats(rng: Random) -> list[str]:
    """Words almost alike, some of them more than once."""
    words = kin_list(rng)[: rng.randint(2, 9)]
    return rng.choices(words, k=rng.randint(4, 14))


def kin_set(rng: Random) -> set[str]:
    return set(kin_list(rng))


def kin_frozen(rng: Random) -> frozenset[str]:
    return frozenset(kin_list(rng))


def kin_table(rng: Random) -> dict[str, object]:
    """The word that each word was reached from; None for the first."""
    words = kin_list(rng)[: rng.randint(3, 14)]
    return {word: words[rng.randrange(number)] if number else None for number, word in enumerate(words)}


def kin_other(rng: Random, held: object) -> object:
    """Another set of the same type that has some of the words, and some that differ from them in one letter."""
    words = sorted(map(str, held)) if isinstance(held, set | frozenset | list) else kin_list(rng)
    found = [word if rng.random() < 0.5 else _other_letter(rng, word) for word in words if rng.random() < 0.7]
    return frozenset(found) if isinstance(held, frozenset) else set(found)


def kin_counter(rng: Random) -> Counter[str]:
    """Words almost alike, counted, with ties."""
    return Counter({word: rng.randint(1, rng.choice((3, 5, 12))) for word in kin_list(rng)[: rng.randint(2, 9)]})


def five_words(rng: Random) -> list[str]:
    item = rng.choice((texts.word, stem, everyday_texts.first_name))
    return [item(rng) for _ in range(rng.choice((5, 5, 3, 4, 6, 7)))]


# -- tuples


def _ends(rng: Random) -> list[Key]:
    """Pairs of ends or beginnings of two words, as a table of distances has them."""
    first, second = stem(rng)[:5], stem(rng)[:5]
    if rng.random() < 0.7:
        found = [(first[i:], second[j:]) for i in range(len(first) + 1) for j in range(len(second) + 1)]
    else:
        found = [(first[:i], second[:j]) for i in range(len(first) + 1) for j in range(len(second) + 1)]
    return list(dict.fromkeys(found[:: rng.choice((1, -1))]))


def _grid(rng: Random) -> list[Key]:
    low = rng.choice((0, 0, 0, 1, -2, rng.randint(2, 90)))
    return list(product(range(low, low + rng.randint(3, 7)), range(rng.choice((low, 0)), low + rng.randint(3, 7))))


def _numbered_texts(rng: Random) -> list[Key]:
    """Numbers with ends of a word or with letters, either first."""
    word = stem(rng)
    parts = rng.choice(([word[i:] for i in range(len(word) + 1)], rng.sample(string.ascii_letters, 4), kin_list(rng)))
    numbers = range(rng.choice((0, 0, 1, 5)), rng.randint(6, 9))
    pairs = product(numbers, parts[:5]) if rng.random() < 0.6 else product(parts[:5], numbers)
    return list(dict.fromkeys(pairs))


def _triples(rng: Random) -> list[Key]:
    top = rng.randint(2, 4)
    last: tuple[object, ...] = rng.choice(((True, False), (0, 1, 2), ("a", "b"), (None, 1), ("N", "E", "S", "W")))
    return list(product(range(top), range(rng.choice((0, -1)), 3), last))


def _coordinates(rng: Random) -> list[Key]:
    wide = rng.choice((3, 12, 60))
    return list({(rng.randint(-wide, wide), rng.randint(-wide, wide)): None for _ in range(24)})


def _word_pairs(rng: Random) -> list[Key]:
    words = rng.choice((kin_list(rng)[:6], [everyday_texts.first_name(rng) for _ in range(5)], list("ABCDEF")))
    return [pair for pair in product(words, words) if pair[0] != pair[1]]


def _tuples(rng: Random) -> list[Key]:
    """Three to 28 tuples of one kind, each once, in the order of a loop or in any."""
    found = rng.choice((_ends, _ends, _grid, _grid, _numbered_texts, _triples, _coordinates, _word_pairs))(rng)
    size = min(len(found), rng.choice((rng.randint(3, 8), rng.randint(3, 16), rng.randint(12, 28))))
    if rng.random() < 0.5:
        start = rng.randint(0, len(found) - size)
        return found[start : start + size]
    return rng.sample(found, size)


def _content(rng: Random) -> Recipe:
    """What all entries of a table hold."""
    recipes: tuple[Recipe, ...] = (
        *(lambda rng: rng.randint(0, 9), lambda rng: rng.randint(0, 9), scalars.integer, scalars.boolean),
        *(texts.char, lambda rng: rng.choice((None, rng.randint(0, 5))), lambda rng: rng.randint(0, 40) / 4),
        lambda rng: (rng.randint(0, 4), rng.randint(0, 4)),
        lambda rng: [rng.randint(0, 9) for _ in range(rng.randint(0, 2))],
        stem,
    )
    return rng.choice(recipes)


def tuple_table(rng: Random) -> dict[Key, object]:
    """A dict with tuples as keys, as functions keep what they have computed."""
    item = _content(rng)
    return {key: item(rng) for key in _tuples(rng)}


def tuple_set(rng: Random) -> set[Key]:
    return set(_tuples(rng))


def key_beside(rng: Random, held: object) -> object:
    """A key of the table half of the time, else one that differs from a key in one part."""
    keys = list(held) if isinstance(held, dict | set | frozenset | list) else []
    if not keys:
        return rng.choice((stem(rng), (rng.randint(0, 3), rng.randint(0, 3))))
    keys = sorted(keys, key=repr) if isinstance(held, set | frozenset) else keys
    found = rng.choice(keys)
    if rng.random() < 0.5:
        return found
    for _ in range(8):
        other = _changed(rng, found, rng.choice(keys))
        if other not in keys:
            return other
    return other


def _changed(rng: Random, key: Any, other: Any) -> object:
    """The key with one part of another key, or with a part changed a little."""
    if isinstance(key, str):
        return _other_letter(rng, key)
    if not isinstance(key, tuple) or not key:
        return key
    place = rng.randrange(len(key))
    if isinstance(other, tuple) and len(other) == len(key) and rng.random() < 0.6:
        part = other[place]
    else:
        part = _changed_part(rng, key[place])
    turned = (*key[:place], part, *key[place + 1 :])
    return turned[::-1] if rng.random() < 0.12 else turned


def _changed_part(rng: Random, part: object) -> object:
    if isinstance(part, str):
        return rng.choice((part[1:], part[:-1], part + rng.choice("aehnt"), _other_letter(rng, part)))
    return part + rng.choice((-1, 1, 1, 2)) if isinstance(part, int) else 0


def _other_letter(rng: Random, word: str) -> str:
    place = rng.randrange(len(word) or 1)
    return word[:place] + rng.choice("abcdelmnorstw") + word[place + 1 :]


def key_first(rng: Random, held: object) -> object:
    """The first part of a key that is a pair."""
    keys = [key for key in held if isinstance(key, tuple)] if isinstance(held, dict) else []
    return rng.choice(keys)[0] if keys else rng.randint(0, 5)


def key_second(rng: Random, held: object, first: object) -> object:
    """The second part of a key; half of the time of one with this first part."""
    keys = [key for key in held if isinstance(key, tuple)] if isinstance(held, dict) else []
    fitting = [key for key in keys if key[0] == first]
    kept = fitting if fitting and rng.random() < 0.5 else keys
    return rng.choice(kept)[1] if kept else rng.randint(0, 5)


def entry_like(rng: Random, held: object) -> object:
    """A value like those of the table."""
    found = list(held.values()) if isinstance(held, dict) else []
    kept = rng.choice(found) if found else 0
    if isinstance(kept, int) and not isinstance(kept, bool) and rng.random() < 0.8:
        return kept + rng.randint(-2, 3)
    return kept if rng.random() < 0.6 else _content(rng)(rng)


def tuple_item(rng: Random) -> Key:
    """A key that is a pair, with its value."""
    keys = [key for key in _tuples(rng) if len(key) == 2] or [(rng.randint(0, 5), rng.randint(0, 5))]
    return (rng.choice(keys), _content(rng)(rng))


# -- tables whose views are read


def word_lists_by_name(rng: Random) -> dict[str, list[object]]:
    """Lists of different lengths by names, with ties."""
    item = rng.choice((stem, scalars.small, everyday_texts.first_name))
    return {stem(rng): [item(rng) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(1, 5))}


def exact_table(rng: Random) -> dict[str, object]:
    """Fractions or decimals by names."""
    fraction, decimal = exact_numbers.small_fraction, library_values.decimal
    item = rng.choice((fraction, fraction, decimal, decimal, library_values.fraction))
    return {stem(rng): item(rng) for _ in range(rng.randint(1, 4))}


def held_view(rng: Random, held: object) -> object:
    """The values of a table, seldom its keys."""
    if not isinstance(held, dict):
        return held
    return held.values() if rng.random() < 0.9 else held.keys()


def plain_table(rng: Random) -> dict[str, int]:
    """Numbers by names or letters, with ties."""
    names = rng.choice((kin_list(rng)[:6], rng.sample("abcdefgh", 6), rng.sample(_SOURCES, 6)))
    return {name: rng.randint(0, rng.choice((4, 20))) for name in names[: rng.randint(1, 6)]}


def table_beside(rng: Random, held: object) -> dict[object, object]:
    """A table that shares some keys with another."""
    keys = list(held) if isinstance(held, dict) else []
    shared = [key if rng.random() < 0.6 else _changed(rng, key, key) for key in keys if rng.random() < 0.8]
    return {key: rng.randint(0, 9) for key in [*shared, *(stem(rng) for _ in range(rng.choice((0, 0, 1))))]}


def tables_alike(rng: Random) -> list[object]:
    """Two or three dicts that share keys."""
    first = plain_table(rng)
    return [first, *(table_beside(rng, first) for _ in range(rng.randint(1, 2)))]


def zero_of(_: Random, held: object) -> object:
    """Where a sum of the table starts."""
    first = next(iter(held.values()), 0) if isinstance(held, dict) else 0
    return type(first)(0) if isinstance(first, Decimal | Fraction) else 0

"""Values within values: tuples as keys of long tables, trees of tuples in heaps, iterators over iterators, rows that
hold moments and functions, and words that are almost alike.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import heapq
import operator
import string
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, chain, islice, product
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, library_values, scalars, texts
from cwm_agent.training.values.further import closure_values

Recipe = Callable[[Random], object]
Key = tuple[object, ...]

_STEMS = (
    *("tile", "cold", "hit", "lead", "stone", "cat", "bread", "grape", "sail", "mend", "table", "horse", "kitten"),
    *("sitting", "sunday", "intention", "flaw", "lawn", "pig", "moss", "banana", "ab", "abc", "aab", "level", "race"),
)
_LEVELS = ("INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL")
_SOURCES = ("mail", "auth", "api", "db", "cache", "net", "cron", "worker")
_REMARKS = ("{}% full", "login ok", "timeout", "retry 3", "slow query", "started", "down", "cache miss", "")


# -- tuples as keys


def _stem(rng: Random) -> str:
    return rng.choice((rng.choice(_STEMS), rng.choice(_STEMS), texts.word(rng)))[:7]


def _ends(rng: Random) -> list[Key]:
    """Pairs of ends or beginnings of two words, as a table of distances has them."""
    first, second = _stem(rng)[:5], _stem(rng)[:5]
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
    word = _stem(rng)
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
        _stem,
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
        return rng.choice((_stem(rng), (rng.randint(0, 3), rng.randint(0, 3))))
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


def tuple_turns(rng: Random) -> Iterator[object]:
    """An iterator over the items, keys or values of a table with tuples as keys, at any place."""
    held = tuple_table(rng)
    found: Iterator[object] = iter(rng.choice((held.items(), held.items(), held, held.values())))
    return _begun(rng, found, len(held) - 1)


# -- words that are almost alike


def kin_list(rng: Random) -> list[str]:
    """Eight to fourteen words, each once, most of which differ from another in one letter."""
    found = {_stem(rng): None}
    for _ in range(rng.randint(8, 18)):
        found[_other_letter(rng, rng.choice(list(found))) if rng.random() < 0.85 else _stem(rng)] = None
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
    item = rng.choice((texts.word, _stem, everyday_texts.first_name))
    return [item(rng) for _ in range(rng.choice((5, 5, 3, 4, 6, 7)))]


# -- trees of tuples


def _leaf(rng: Random) -> str:
    return rng.choice(rng.choice((" etaoinshrdlu", string.ascii_lowercase, string.ascii_letters + " .,!-")))


def _grown(rng: Random, leaves: list[object]) -> object:
    """The leaves in pairs of pairs, joined in any order."""
    nodes = list(leaves)
    while len(nodes) > 1:
        place = rng.randrange(len(nodes) - 1)
        nodes[place : place + 2] = [(nodes[place], nodes[place + 1])]
    return nodes[0]


def letter_tree(rng: Random) -> object:
    """Two to nine letters in pairs of pairs, as a tree of codes."""
    size = rng.choice((2, 3, 3, 4, 5, 6, 7, 9))
    if rng.random() < 0.15:
        return _grown(rng, [rng.randint(0, 20) for _ in range(size)])
    return _grown(rng, [_leaf(rng) for _ in range(size)])


def leaf_or_tree(rng: Random) -> object:
    return _leaf(rng) if rng.random() < 0.35 else letter_tree(rng)


def weighed_tree(rng: Random) -> Key:
    """A weight, what breaks ties, and a letter or a tree; or a weight and a tree."""
    tree, weight = leaf_or_tree(rng), rng.randint(1, rng.choice((5, 12, 60)))
    return (weight, _first_leaf(tree) if rng.random() < 0.6 else rng.randint(0, 20), tree)


def _first_leaf(tree: object) -> object:
    while isinstance(tree, tuple) and tree:
        tree = tree[0]
    return tree


def tree_triples(rng: Random) -> list[Key]:
    """Two to seven weighed trees, whose second parts tell all of them apart."""
    numbered = rng.random() < 0.5
    top = rng.choice((4, 9, 40))
    letters = rng.sample(" abcdefghiklmnoprstuvw", rng.randint(2, 7))
    found: list[Key] = []
    for number, letter in enumerate(letters):
        tree: object = letter
        if rng.random() < 0.5:
            tree = _grown(rng, [letter, *(_leaf(rng) for _ in range(rng.randint(1, 4)))])
        found.append((rng.randint(1, top), number if numbered else letter, tree))
    return found


def tree_heap(rng: Random) -> list[Key]:
    found = tree_triples(rng)
    heapq.heapify(found)
    return found


def next_tree(rng: Random, held: object) -> object:
    """A weighed tree that fits a heap of such."""
    kept = held[0] if isinstance(held, list) and held else (1, 0, "a")
    found = weighed_tree(rng)
    weight = rng.choice((kept[0], found[0], found[0]))
    return (weight, next_tie(rng, held), found[-1])


def next_tie(rng: Random, held: object) -> object:
    """A number or a letter that no tree of the heap has as its second part."""
    kept = held[0] if isinstance(held, list) and held else (1, 0, "a")
    return rng.randint(8, 30) if isinstance(kept[1], int) else rng.choice("jqxyzBC.")


def tree_near(rng: Random, tree: object) -> object:
    """An equal tree, or one in which a leaf or a branch is another."""
    if rng.random() < 0.4 or not isinstance(tree, tuple) or not tree:
        return tree
    return _altered(rng, tree)


def _altered(rng: Random, tree: object) -> object:
    if not isinstance(tree, tuple) or not tree:
        return rng.choice((tree + 1, tree - 1)) if isinstance(tree, int) else _leaf(rng)
    place = rng.randrange(len(tree))
    return (*tree[:place], _altered(rng, tree[place]), *tree[place + 1 :])


def tree_list(rng: Random) -> list[object]:
    return [letter_tree(rng) for _ in range(rng.randint(1, 4))]


def tree_table(rng: Random) -> dict[str, object]:
    return {rng.choice((_leaf, texts.word))(rng): leaf_or_tree(rng) for _ in range(rng.randint(2, 5))}


def code_node(rng: Random) -> list[object]:
    """A weight before letters with their codes, as lists."""
    weight = rng.choice((rng.randint(1, 20), rng.randint(1, 20), rng.randint(1, 9) / 10))
    return [weight, *([_leaf(rng), "".join(rng.choices("01", k=rng.randint(0, 3)))] for _ in range(rng.randint(1, 4)))]


def code_heap(rng: Random) -> list[list[object]]:
    """A heap of one to five such lists, of which no two have the same first letter."""
    nodes = [code_node(rng) for _ in range(rng.randint(1, 5))]
    found: list[Any] = [
        [rng.randint(1, 20), [letter, ""], *node[2:]]
        for node, letter in zip(nodes, rng.sample("abcdehinorst", len(nodes)), strict=True)
    ]
    heapq.heapify(found)
    return found


# -- rows that hold moments, amounts and functions


def _cell(rng: Random) -> object:
    recipes: tuple[Recipe, ...] = (
        *(library_values.moment, library_values.moment, library_values.day, library_values.decimal, texts.word),
        *(scalars.small, closure_values.callable_value, library_values.timespan, library_values.fraction, _stem),
        *(lambda rng: (rng.randint(0, 9), texts.char(rng)), scalars.nothing, everyday_texts.full_name),
    )
    return rng.choice(recipes)(rng)


def logged_row(rng: Random) -> Key:
    """Four cells: those of a log, or any."""
    if rng.random() < 0.5:
        return (
            library_values.moment(rng),
            rng.choice(_LEVELS),
            rng.choice(_SOURCES),
            rng.choice(_REMARKS).format(rng.randint(1, 99)),
        )
    return tuple(_cell(rng) for _ in range(4))


def row_of_three(rng: Random) -> Key:
    return tuple(_cell(rng) for _ in range(3))


def row_of_two(rng: Random) -> Key:
    return tuple(_cell(rng) for _ in range(2))


def any_row(rng: Random) -> Key:
    return rng.choice((logged_row, row_of_three, row_of_two))(rng)


def numbered_row(rng: Random) -> Key:
    """A row with its number before it, as `enumerate` gives it."""
    return (rng.randint(0, 12), any_row(rng))


def numbered_three(rng: Random) -> Key:
    """A number before a row of three cells, seldom of two or four."""
    return (rng.randint(0, 12), row_of_three(rng) if rng.random() < 0.9 else any_row(rng))


def rows_in_turn(rng: Random) -> Iterator[object]:
    """An `enumerate` over two or three rows, or their plain iterator, at any place."""
    make = rng.choice((logged_row, row_of_three, row_of_two))
    rows = [make(rng) for _ in range(rng.randint(2, 3))]
    found: Iterator[object] = enumerate(rows, rng.choice((0, 0, 1))) if rng.random() < 0.7 else iter(rows)
    return _begun(rng, found, len(rows) - 1)


def keyed_function(rng: Random) -> Key:
    """A number or a word with a function."""
    found = (rng.choice((rng.randint(0, 9), texts.word(rng), None)), closure_values.callable_value(rng))
    return found if rng.random() < 0.7 else found[::-1]


def keyed_functions(rng: Random) -> list[Key]:
    """Numbers or words with functions of the module or of Python."""
    make = rng.choice((closure_values.module_function, closure_values.operator_function))
    keys = rng.choice((range(4), range(1, 5), [texts.word(rng) for _ in range(4)]))
    return [(key, make(rng)) for key in keys[: rng.randint(1, 4)]]


# -- iterators over iterators


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
    lines = [rng.choice((_stem, texts.word, lambda _: ""))(rng) for _ in range(rng.randint(1, 6))]
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
        lambda: filter(str.isalpha, map(str.lower, iter(_stem(rng).title() + _digits(rng)[:3]))),
        lambda: map(str, iter(range(rng.randint(0, 4), rng.randint(5, 12)))),
        lambda: map(str, map(int, iter(_digits(rng)))),
        lambda: reversed(words),
        lambda: chain(iter(words), iter(_stem(rng))),
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
    word = "".join(_stem(rng) for _ in range(rng.randint(1, 2)))
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
        lambda: zip(iter(_stem(rng)), map(ord, iter(_stem(rng))), strict=False),
        lambda: enumerate(zip(_stem(rng), _digits(rng), strict=False)),
        lambda: zip(reversed(_digits(rng)), iter(_countdown(rng)), strict=False),
    )
    return _begun(rng, rng.choice(made)(), 2)


def any_stream(rng: Random) -> Iterator[object]:
    return rng.choice((text_stream, number_stream, pair_stream))(rng)


def vowels(rng: Random) -> str:
    return rng.choice(("aeiou", "aeiou", "abc", "et", "01", "xyz", "lr", "nsa"))


def stem_phrase(rng: Random) -> str:
    return rng.choice(("", " ", "-")).join(_stem(rng) for _ in range(rng.randint(1, 3)))


# -- tables whose views are read


def word_lists_by_name(rng: Random) -> dict[str, list[object]]:
    """Lists of different lengths by names, with ties."""
    item = rng.choice((_stem, scalars.small, everyday_texts.first_name))
    return {_stem(rng): [item(rng) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(1, 5))}


def _exact(rng: Random) -> object:
    return Fraction(rng.randint(1, 9), rng.randint(1, 12))


def exact_table(rng: Random) -> dict[str, object]:
    """Fractions or decimals by names."""
    item = rng.choice((_exact, _exact, library_values.decimal, library_values.decimal, library_values.fraction))
    return {_stem(rng): item(rng) for _ in range(rng.randint(1, 4))}


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
    return {key: rng.randint(0, 9) for key in [*shared, *(_stem(rng) for _ in range(rng.choice((0, 0, 1))))]}


def tables_alike(rng: Random) -> list[object]:
    """Two or three dicts that share keys."""
    first = plain_table(rng)
    return [first, *(table_beside(rng, first) for _ in range(rng.randint(1, 2)))]


# -- functions by signs, spans of time, spread


_SIGNS: dict[str, Callable[..., object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<": operator.lt, ">": operator.gt, "==": operator.eq,
    "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "&": operator.and_, "|": operator.or_,
}  # fmt: skip


def sign_table(rng: Random) -> dict[str, object]:
    """The functions of operators by their signs, mostly those of sums and products."""
    signs = list(_SIGNS)[:5] if rng.random() < 0.6 else list(_SIGNS)
    kept = set(rng.sample(signs, rng.randint(2, min(len(signs), 6))))
    found: dict[str, object] = {sign: _SIGNS[sign] for sign in signs if sign in kept}
    if rng.random() < 0.15:
        found |= {"max": max, "min": min}
    return found


def sign_of(rng: Random, held: object) -> str:
    """Mostly a sign of the table, else another."""
    signs = [sign for sign in held if isinstance(sign, str)] if isinstance(held, dict) else []
    return rng.choice(signs) if signs and rng.random() < 0.75 else rng.choice((*_SIGNS, "^", "", "x"))


def operator_sign(rng: Random) -> str:
    return rng.choice("+-*+-*/")


def span_parts(rng: Random) -> dict[str, object]:
    """What a span of time is made of, by name."""
    names = rng.sample(("hours", "minutes", "days", "seconds", "weeks"), rng.choice((1, 2, 2, 3)))
    whole: dict[str, object] = {name: rng.choice((1, 2, 30, rng.randint(0, 59))) for name in names}
    return whole if rng.random() < 0.85 else {name: rng.choice((1.5, 0.5, 2)) for name in names}


def even_span(rng: Random) -> timedelta:
    """Hours and minutes, seldom days and seconds."""
    found = timedelta(hours=rng.randint(0, 30), minutes=rng.choice((0, 15, 30, rng.randint(0, 59))))
    return found + rng.choice(
        (timedelta(), timedelta(), timedelta(rng.randint(1, 6)), timedelta(0, rng.randint(1, 59)))
    )


def part_span(rng: Random) -> timedelta:
    """What a span of time is divided by."""
    return timedelta(minutes=rng.choice((1, 5, 15, 20, 30, 45, 60, 60, 90, 120, 480, 1440)))


def long_fraction(rng: Random) -> Fraction:
    """A fraction that a smaller one comes near."""
    if rng.random() < 0.3:
        return Fraction(str(round(rng.uniform(0, 4), rng.randint(1, 4))))
    return Fraction(rng.randint(1, 400), rng.randint(2, 400))


def denominator_limit(rng: Random) -> int:
    return rng.choice((2, 3, 5, 7, 8, 10, 12, 16, 20, 50, 100, rng.randint(2, 60)))


def coordinates(rng: Random) -> Key:
    """Two or three numbers, often sides of a right triangle or of a box."""
    whole = ((3, 4), (5, 12), (8, 15), (6, 8), (1, 2, 2), (2, 3, 6), (1, 4, 8), (1, 1), (0, 5), (7, 24), (4, 4, 7))
    found = rng.choice((rng.choice(whole), tuple(rng.randint(-9, 9) for _ in range(rng.choice((2, 2, 3))))))
    return tuple(part * rng.choice((1, 1, -1)) for part in found)


def readings(rng: Random) -> list[object]:
    """Three to six short floats."""
    step = rng.choice((2, 2, 4, 1, 10))
    middle = rng.choice((0, 20, rng.randint(1, 90)))
    found = [rng.randint(middle * step, (middle + rng.choice((4, 9))) * step) / step for _ in range(rng.randint(3, 6))]
    return list(found)


def amounts_read(rng: Random) -> list[object]:
    """Whole numbers, fractions or decimals to be averaged."""
    item = rng.choice((_exact, library_values.decimal, lambda rng: rng.randint(0, 20)))
    return [item(rng) for _ in range(rng.randint(3, 5))]


def zero_of(_: Random, held: object) -> object:
    """Where a sum of the table starts."""
    first = next(iter(held.values()), 0) if isinstance(held, dict) else 0
    return type(first)(0) if isinstance(first, Decimal | Fraction) else 0

"""Random containers as programs hold them, up to 20 items mostly of one type, sometimes nested; and any value.

Each recipe is `(rng) -> object`; knows nothing of the lines that use the values. Sets that are iterated hold small
integers only, because the frame does not show the order of other items.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection
from random import Random

from cwm_agent.training.values import objects, scalars, texts
from cwm_agent.training.values.scalars import Recipe


def _item(rng: Random) -> Recipe:
    """A recipe for all items of a container."""
    chance = rng.random()
    if chance < 0.25:
        return scalars.integer
    if chance < 0.42:
        return scalars.narrow(rng)
    if chance < 0.68:
        return texts.word
    if chance < 0.8:
        return texts.char
    if chance < 0.86:
        return scalars.real
    return rng.choice((texts.text, scalars.boolean, scalars.scalar, scalars.scalar, texts.digits))


def ints(rng: Random) -> list[object]:
    item = scalars.narrow(rng) if rng.random() < 0.45 else scalars.integer
    return [item(rng) for _ in range(scalars.size(rng))]


def long_ints(rng: Random) -> list[object]:
    """From 8 to 24 integers."""
    item = scalars.narrow(rng) if rng.random() < 0.5 else scalars.integer
    return [item(rng) for _ in range(rng.randint(8, 24))]


def long_words(rng: Random) -> list[str]:
    return [texts.word(rng) for _ in range(rng.randint(7, 16))]


def flags(rng: Random) -> list[object]:
    """A long list of small values, like a sieve or a table of results."""
    low = rng.choice((False, False, 0, 0, True, 1, -1, None))
    high = {False: True, True: False}.get(low, 1) if isinstance(low, bool) else rng.choice((1, 1, 2, 9))
    count = rng.randint(12, 50) if rng.random() < 0.7 else rng.randint(40, 90)
    share = rng.choice((0.0, 0.05, 0.3, 0.5))
    return [high if rng.random() < share else low for _ in range(count)]


def same_chars(rng: Random) -> list[str]:
    """Repeated characters, like a text that was split into characters."""
    return [letter for _ in range(rng.randint(1, 4)) for letter in [texts.char(rng)] * rng.choice((1, 1, 2, 4, 8, 12))]


def int_rows(rng: Random) -> list[object]:
    return [[scalars.small(rng) for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(1, 5))]


def words(rng: Random) -> list[str]:
    return [texts.word(rng) if rng.random() < 0.93 else "" for _ in range(scalars.size(rng))]


def strings(rng: Random) -> list[str]:
    recipe = rng.choice((texts.word, texts.word, texts.char, texts.char, texts.digits, texts.text, texts.coded))
    return [recipe(rng) for _ in range(scalars.size(rng))]


def chars(rng: Random) -> list[str]:
    return list(texts.text(rng)[:20])


def reals(rng: Random) -> list[object]:
    recipe = scalars.real if rng.random() < 0.7 else scalars.number
    return [recipe(rng) for _ in range(scalars.size(rng))]


def booleans(rng: Random) -> list[object]:
    recipe = scalars.boolean if rng.random() < 0.6 else scalars.scalar
    fixed = rng.random()
    return [recipe(rng) if fixed < 0.6 else fixed < 0.8 for _ in range(scalars.size(rng))]


def flat(rng: Random) -> list[object]:
    """A list of plain items of one type."""
    item = _item(rng)
    return [item(rng) for _ in range(scalars.size(rng))]


def pair(rng: Random) -> tuple[object, object]:
    return (_item(rng)(rng), _item(rng)(rng))


def pairs(rng: Random) -> list[object]:
    first, second = _item(rng), _item(rng)
    make: Callable[[tuple[object, object]], object] = list if rng.random() < 0.15 else tuple
    return [make((first(rng), second(rng))) for _ in range(min(scalars.size(rng), 8))]


def rows(rng: Random) -> list[object]:
    """A list of lists, sometimes a grid."""
    item, width = _item(rng), rng.randint(0, 4)
    ragged = rng.random() < 0.5
    return [[item(rng) for _ in range(rng.randint(0, 4) if ragged else width)] for _ in range(rng.randint(1, 5))]


def deep(rng: Random) -> object:
    """Lists, tuples and dicts within each other, up to three levels."""
    return _nest(rng, 3)


def _nest(rng: Random, depth: int) -> object:
    if depth == 0 or rng.random() < 0.3:
        return scalars.scalar(rng)
    parts = [_nest(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    chance = rng.random()
    if chance < 0.55:
        return parts
    return tuple(parts) if chance < 0.75 else {texts.word(rng): part for part in parts}


def array(rng: Random) -> list[object]:
    """Any list."""
    chance = rng.random()
    if chance < 0.8:
        return flat(rng)
    if chance < 0.88:
        return pairs(rng)
    if chance < 0.96:
        return rows(rng)
    return [deep(rng) for _ in range(rng.randint(1, 3))]


def no_items(_: Random) -> list[object]:
    return []


def filled(rng: Random) -> list[object]:
    """A list that is not empty."""
    return array(rng) or [scalars.integer(rng)]


def group(rng: Random) -> tuple[object, ...]:
    if rng.random() < 0.35:
        return pair(rng)
    return tuple(flat(rng)) if rng.random() < 0.85 else tuple(array(rng))


def numbers(rng: Random) -> object:
    """Integers in a list, tuple, set, range or the values of a dict."""
    chance = rng.random()
    if chance < 0.65:
        return ints(rng)
    if chance < 0.75:
        return tuple(ints(rng))
    return rng.choice((reals, span, int_set, lambda rng: counts(rng).values(), booleans))(rng)


def _key(rng: Random) -> Recipe:
    return rng.choice(
        (texts.word, texts.word, texts.word, texts.char, scalars.integer, scalars.narrow(rng), texts.text)
    )


def mapping(rng: Random) -> dict[object, object]:
    """A dict with one type of keys and one of values."""
    key, item = _key(rng), _item(rng)
    chance = rng.random()
    if chance < 0.1:
        item = rng.choice((ints, words))
    elif chance < 0.15:
        item = rng.choice((counts, pair))
    return {key(rng): item(rng) for _ in range(min(scalars.size(rng), 10 if chance > 0.15 else 4))}


def counts(rng: Random) -> dict[object, object]:
    """Keys with small integers."""
    key, item = _key(rng), rng.choice((scalars.small, scalars.integer))
    return {key(rng): item(rng) for _ in range(min(scalars.size(rng), 12))}


def lists_by_key(rng: Random) -> dict[object, object]:
    key, item = _key(rng), rng.choice((ints, words))
    return {key(rng): item(rng)[:4] for _ in range(rng.randint(0, 4))}


def keyed(rng: Random) -> dict[object, object]:
    """A dict that is not empty."""
    return mapping(rng) or {texts.word(rng): scalars.integer(rng)}


def named(rng: Random) -> dict[str, object]:
    """A dict whose keys are names."""
    return {texts.syllables(rng): scalars.scalar(rng) for _ in range(rng.randint(0, 4))}


def distinct(rng: Random) -> set[object]:
    """A set of items that can be compared; the error of mixed items would depend on their hidden order."""
    item = _item(rng)
    item = scalars.integer if item is scalars.scalar else item
    return {item(rng) for _ in range(min(scalars.size(rng), 12))}


def int_set(rng: Random) -> set[object]:
    """Small integers, whose order in a set is mostly the sorted one."""
    top = 7 if rng.random() < 0.9 else 40
    return {rng.randint(0, top) for _ in range(rng.randint(0, 4))}


def letters_set(rng: Random) -> set[str]:
    return set(texts.text(rng)[:14])


def span(rng: Random) -> range:
    chance = rng.random()
    if chance < 0.4:
        return range(rng.randint(0, 12))
    if chance < 0.7:
        start = rng.randint(-5, 10)
        return range(start, start + rng.randint(-1, 12))
    start, step = rng.randint(-10, 20), rng.choice((-1, -1, -2, -3, 2, 2, 3, 5, 10))
    return range(start, start + step * rng.randint(0, 8) + rng.choice((0, 0, 1, -1)), step)


def sequence(rng: Random) -> object:
    """Any ordered value with a length."""
    chance = rng.random()
    if chance < 0.4:
        return texts.text(rng)
    if chance < 0.82:
        return array(rng)
    return group(rng) if chance < 0.95 else span(rng)


def key_view(rng: Random) -> Collection[object]:
    return {rng.choice("abcdefg"): scalars.small(rng) for _ in range(rng.randint(0, 5))}.keys()


def view(rng: Random) -> Collection[object]:
    held = mapping(rng) if rng.random() < 0.6 else counts(rng)
    return rng.choice((held.keys(), held.values(), held.items(), held.items()))


def deque_of(rng: Random) -> deque[object]:
    return deque(flat(rng), None if rng.random() < 0.85 else rng.randint(1, 8))


def counter(rng: Random) -> Counter[object]:
    return Counter(texts.repetitive(rng)[:30] if rng.random() < 0.5 else flat(rng))


def default_dict(rng: Random) -> defaultdict[object, object]:
    factory = rng.choice((int, list, str, set))
    if factory is list:
        return defaultdict(list, lists_by_key(rng))
    if factory is int:
        return defaultdict(int, counts(rng))
    held: dict[object, object] = {} if factory is set else {texts.word(rng): texts.word(rng)}
    return defaultdict(factory, held)


def ordered(rng: Random) -> OrderedDict[object, object]:
    return OrderedDict(mapping(rng))


def container(rng: Random) -> object:
    """Any value with a length."""
    recipe = rng.choices(
        (texts.text, array, group, mapping, distinct, span, view, deque_of, counter, texts.empty),
        (30, 34, 8, 12, 6, 3, 3, 1, 1, 1),
    )[0]
    return recipe(rng)


def anything(rng: Random) -> object:
    """A value of any type, weighted by how often programs hold it."""
    recipe = rng.choices(
        (
            scalars.integer,
            texts.text,
            array,
            mapping,
            group,
            scalars.boolean,
            scalars.nothing,
            scalars.real,
            int_set,
            span,
            view,
            objects.error,
        ),
        (26, 26, 18, 8, 7, 5, 4, 4, 3, 1, 1, 0.5),
    )[0]
    return recipe(rng)


def mutable(rng: Random) -> object:
    return rng.choice((array, array, array, mapping, distinct))(rng)


def _several(count: int) -> Recipe:
    def recipe(rng: Random) -> object:
        items = [_item(rng)(rng) for _ in range(count)] if rng.random() < 0.6 else [_item(rng)] * count
        made = [item(rng) if callable(item) else item for item in items]
        chance = rng.random()
        if chance < 0.15:
            return "".join(texts.char(rng) for _ in range(count))
        return made if chance < 0.6 else tuple(made)

    return recipe


two_items, three_items, four_items = map(_several, (2, 3, 4))


def one_item(rng: Random) -> list[object]:
    return [rng.choice((0, 0, None, False, True, "", " ", 1, [], ()))] if rng.random() < 0.7 else [scalars.scalar(rng)]


def word_and_int(rng: Random) -> tuple[str, int]:
    return (texts.word(rng), scalars.integer(rng))

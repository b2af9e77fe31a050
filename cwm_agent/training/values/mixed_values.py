"""Values that mix kinds: keys of several types in one dict, `None` among numbers, lists of unequal length, long floats.

Each recipe is `(rng, *values drawn before) -> object`. Programs that are written to look odd hold such values in every
second line, while other recipes draw one kind at a time.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from cwm_agent.training.values import mixed_texts, scalars, texts


def odd_key(rng: Random) -> object:
    """A key of any type that a dict takes."""
    return rng.choice(
        (
            lambda: texts.word(rng),
            lambda: texts.word(rng),
            lambda: texts.char(rng),
            lambda: rng.randint(-3, 20),
            lambda: rng.randint(0, 2),
            lambda: None,
            lambda: rng.random() < 0.5,
            lambda: rng.choice((0.5, 1.0, 2.0, 2.5, -1.5)),
            lambda: (rng.randint(0, 3), texts.char(rng)),
            lambda: (rng.randint(0, 9),),
            lambda: (),
            lambda: "",
            lambda: mixed_texts.odd_phrase(rng)[:14],
            lambda: mixed_texts.accented(rng)[:8],
        )
    )()


def odd_value(rng: Random) -> object:
    """A value of any plain type, empty containers among them."""
    return rng.choice(
        (
            lambda: None,
            lambda: rng.random() < 0.5,
            lambda: rng.randint(-9, 99),
            lambda: texts.word(rng),
            lambda: "",
            lambda: scalars.tenths(rng),
            list,
            lambda: [rng.randint(0, 9) for _ in range(rng.randint(1, 3))],
            lambda: (rng.randint(0, 9), texts.char(rng)),
            dict,
            lambda: {texts.char(rng): rng.choice((None, 1, "x"))},
            lambda: mixed_texts.accented(rng)[:8],
        )
    )()


def plain_odd_value(rng: Random) -> object:
    return rng.choice((None, None, True, False, 0, 1, -1, "", " ", 0.0, 2.5, texts.word(rng), rng.randint(-20, 99)))


def odd_dict(rng: Random) -> dict[object, object]:
    """A dict whose keys and values have several types."""
    value = odd_value if rng.random() < 0.6 else plain_odd_value
    return {odd_key(rng): value(rng) for _ in range(rng.choice((0, 1, 2, 2, 3, 3, 4, 5, 6)))}


def wide_dict(rng: Random) -> dict[object, object]:
    """Seven to fifteen entries of plain values."""
    key = rng.choice((texts.word, texts.char, texts.word, scalars.integer, odd_key))
    value = rng.choice((scalars.small, scalars.integer, texts.word, plain_odd_value))
    return {key(rng): value(rng) for _ in range(rng.randint(7, 15))}


def twin_key(rng: Random, held: Mapping[object, object]) -> object:
    """Mostly a key of the dict, where possible written as another type that is equal: `True` for `1`, `2.0` for `2`."""
    keys = list(held)
    if not keys or rng.random() < 0.2:
        return odd_key(rng)
    key = rng.choice([key for key in keys if isinstance(key, int | float)] or keys)
    if not isinstance(key, int | float):
        return key
    alike = [float(key), int(key) if key == int(key) else key, bool(key) if key in (0, 1) else key]
    return rng.choice(alike)


def sparse_list(rng: Random) -> list[object]:
    """Numbers or words with `None`, booleans and empty texts among them."""
    item = rng.choice((scalars.integer, texts.word, plain_odd_value, odd_value))
    return [item(rng) if rng.random() < 0.65 else plain_odd_value(rng) for _ in range(rng.randint(1, 8))]


def sparse_item(rng: Random, held: Sequence[object]) -> object:
    """Mostly an item of the list; an equal one of another type, or a plain value that may be missing."""
    if not held or rng.random() < 0.35:
        return plain_odd_value(rng)
    found = rng.choice(list(held))
    if isinstance(found, int) and rng.random() < 0.2:
        return float(found)
    return found


def uneven_rows(rng: Random) -> list[object]:
    """Lists of different lengths, some equally long, some empty."""
    item = rng.choice((scalars.small, scalars.integer, texts.char))
    return [[item(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))] for _ in range(rng.randint(2, 5))]


def twelve_or_more(rng: Random) -> list[object]:
    """A list of 8 to 22 items."""
    item = rng.choice((scalars.small, scalars.integer, texts.char, texts.word))
    return [item(rng) for _ in range(rng.randint(8, 22))]


def back_place(rng: Random, held: Sequence[object]) -> int:
    """A place counted from the end."""
    return -rng.randint(1, len(held) + (rng.random() < 0.05)) if held else -1


def long_step(rng: Random) -> int:
    return rng.choice((-1, -2, -2, -3, -4, 2, 3, 4, 5, -5))


def type_choice(rng: Random) -> object:
    """One type, or a tuple of types as `isinstance` takes it."""
    found = rng.choices((int, str, list, tuple, dict, set, float, bool, bytes), k=rng.randint(2, 3))
    return tuple(found) if rng.random() < 0.7 else found[0]


def tied_tuple(rng: Random) -> tuple[object, ...]:
    return tuple(
        rng.choice((scalars.small, scalars.integer, texts.char, texts.word, scalars.tenths))(rng)
        for _ in range(rng.choice((2, 2, 3)))
    )


def tied_fellow(rng: Random, other: tuple[object, ...]) -> object:
    """A tuple that differs from another in its last item, or in length."""
    if not isinstance(other, tuple) or not other:
        return ()
    chance = rng.random()
    if chance < 0.12:
        return other[:-1] if chance < 0.06 else (*other, rng.randint(0, 3))
    at = -1 if chance < 0.75 else rng.randrange(len(other))
    kind = {int: scalars.small, str: texts.char, float: scalars.tenths}.get(type(other[at]), scalars.small)
    made = list(other)
    made[at] = kind(rng) if chance < 0.92 else None
    return tuple(made)


def mean_float(rng: Random) -> float:
    """The mean of a few short numbers: mostly 15 to 17 digits."""
    return sum(round(rng.uniform(-5, 60), rng.choice((0, 1, 1, 2))) for _ in range(3)) / rng.choice((3, 3, 6, 7, 9, 11))


def short_decimal(rng: Random) -> float:
    """One to three digits behind the point."""
    return round(rng.uniform(0, rng.choice((1, 10, 50, 100))), rng.choice((1, 1, 2, 2, 3)))


def fine_decimal(rng: Random) -> float:
    """Four to six digits behind the point."""
    return round(rng.uniform(-10, rng.choice((1, 10, 200))), rng.choice((4, 4, 5, 6)))


def bit_letter(rng: Random) -> int:
    """The number of a letter, for masks of bits."""
    return rng.choice((rng.randint(65, 122), rng.randint(0, 127), rng.randint(128, 255)))


def bit_mask(rng: Random) -> int:
    return rng.choice((1, 2, 4, 7, 8, 15, 16, 31, 32, 32, 32, 63, 64, 127, 128, 255, rng.randint(1, 99)))


def unlike_words(rng: Random) -> list[object]:
    """Words with a number, `None` or a list among them: `join` refuses them."""
    found: list[object] = [texts.word(rng) for _ in range(rng.randint(1, 5))]
    found[rng.randrange(len(found))] = rng.choice((None, rng.randint(0, 99), 1.5, [texts.char(rng)], ("a", 1), b"x"))
    return found


def sparse_keys(rng: Random) -> list[object]:
    return [odd_key(rng) for _ in range(rng.randint(0, 6))]


def odd_pairs(rng: Random) -> list[object]:
    """Pairs of a key and a value, as `dict` takes them; rarely one that is no pair."""
    found: list[object] = [(odd_key(rng), plain_odd_value(rng)) for _ in range(rng.randint(1, 5))]
    return found if rng.random() < 0.93 else [*found, (1, 2, 3)]


def short_list(rng: Random) -> list[object]:
    """No item, one or two."""
    return [plain_odd_value(rng) for _ in range(rng.choice((0, 0, 0, 1, 2)))]


def signed_tens(rng: Random) -> int:
    return rng.choice((1, 1, -1)) * rng.choice((rng.randint(2, 12), rng.randint(11, 50), rng.randint(50, 120)))


def bit_number(rng: Random) -> int:
    """A number beside a power of two, or any of two to four digits."""
    beside = (1 << rng.randint(3, 13)) + rng.choice((-2, -1, 0, 1, 2, 5, 7, 16))
    return rng.choice((beside, rng.randint(10, 999), rng.randint(1000, 9999)))


def square_or_near(rng: Random) -> int:
    root = rng.randint(1, 120)
    return root * root + rng.choice((0, 0, 0, 1, -1)) if rng.random() < 0.8 else rng.randint(2, 100)


def odd_view(rng: Random) -> object:
    """Keys, values or items of a dict whose keys and values have several types."""
    held = odd_dict(rng)
    return rng.choice((held.keys(), held.values(), held.values(), held.items(), held.items()))


def odd_iterator(rng: Random) -> Iterator[object]:
    """An iterator over such keys, values or items, or over a list of several types, begun or not."""
    held = odd_dict(rng)
    found = iter(rng.choice((held.values(), held.items(), held.items(), sparse_list(rng))))
    for _ in range(rng.choice((0, 0, 1, 2))):
        next(found, None)
    return found


def letter_counts(rng: Random) -> dict[str, int]:
    """Up to twelve letters of a text with small numbers."""
    return {letter: rng.randint(1, 20) for letter in mixed_texts.odd_phrase(rng)[:12]}


def three_plain(rng: Random) -> list[object]:
    """Three values to be formatted, one of them with quotes; rarely two."""
    found = [plain_odd_value(rng), mixed_texts.quoted_words(rng)[0], plain_odd_value(rng)]
    rng.shuffle(found)
    return found if rng.random() < 0.95 else found[:2]


_COLOURS = "red green blue pink gold teal black white gray cyan navy lime plum tan rose mint".split()


def short_names(rng: Random) -> set[str]:
    """Two to five of a few short words."""
    words = _COLOURS if rng.random() < 0.5 else [texts.word(rng) for _ in range(7)]
    return set(rng.sample(words, rng.randint(1, 5)))


def kin_names(rng: Random, other: object) -> object:
    """A set, frozen set or list with some words of another, and with others; sometimes all of them."""
    held = sorted(other) if isinstance(other, set) else []
    kept = held if rng.random() < 0.3 else [each for each in held if rng.random() < 0.6]
    more = rng.sample(_COLOURS, rng.choice((0, 0, 1, 2)))
    found = [*kept, *more]
    return rng.choice((set(found), set(found), frozenset(found)))


def kin_name_list(rng: Random, other: object) -> list[str]:
    found = sorted(kin_names(rng, other))  # type: ignore[call-overload]
    rng.shuffle(found)
    return list(found)


def cased_words(rng: Random) -> list[str]:
    """Words of both cases, some alike but for the case."""
    words = [
        rng.choice((str.lower, str.title, str.title, str.upper))(texts.word(rng)) for _ in range(rng.randint(2, 6))
    ]
    return [*words, words[0].swapcase()] if rng.random() < 0.3 else words


def deep_data(rng: Random) -> dict[str, object]:
    """Settings with dicts and lists within them, as they are written to a file."""
    keys = rng.sample(("name", "age", "tags", "address", "city", "zip", "items", "ok", "price", "id", "size"), 4)
    return {key: _datum(rng, 2) for key in keys[: rng.randint(1, 4)]}


def _datum(rng: Random, depth: int) -> object:
    chance = rng.random()
    if not depth or chance < 0.5:
        return rng.choice(
            (texts.word(rng), rng.randint(0, 99), None, True, False, rng.randint(0, 40) / 4, str(rng.randint(0, 9)) * 5)
        )
    size = rng.randint(0, 2)
    if chance < 0.75:
        return [_datum(rng, depth - 1) for _ in range(size)]
    return {texts.word(rng): _datum(rng, depth - 1) for _ in range(size)}


def sharing_pair(rng: Random) -> tuple[object, ...]:
    """A small number with a letter or a word, as rows are ordered."""
    return rng.randint(0, 5), rng.choice((texts.char, texts.char, texts.word))(rng)


def sharing_fellow(rng: Random, other: object) -> object:
    """A pair with the same number and another letter, often the one beside it; seldom the same."""
    if not isinstance(other, tuple) or len(other) < 2 or not isinstance(other[1], str) or not other[1]:
        return sharing_pair(rng)
    last = other[1][:-1] + chr(max(33, ord(other[1][-1]) + rng.choice((-2, -1, -1, 0, 1, 1, 2))))
    return (other[0], last) if rng.random() < 0.85 else (other[0] + rng.choice((-1, 1)), last)


def deep_text(rng: Random) -> str:
    return json.dumps(deep_data(rng))


def places_of(_: Random, held: Sequence[object]) -> range:
    """The places of all items of a list."""
    return range(len(held))


def letter_tally(rng: Random) -> Counter[str]:
    """How often each letter of one or two words occurs."""
    return Counter(texts.word(rng) + rng.choice(("", texts.word(rng))))


def letters_from(rng: Random, held: object) -> str:
    """A few letters, most of them counted already, some twice."""
    letters = [*held, "q"] if isinstance(held, Counter) else ["a"]
    return "".join(str(rng.choice(letters)) for _ in range(rng.randint(1, 6)))

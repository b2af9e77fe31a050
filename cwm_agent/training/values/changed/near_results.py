"""Operands whose result is almost the plain one: groups that did not match, pairs of an iterator, equal entries.

    re.match(r'(?:(\\w+):)?\\s*(\\w+)', 'mov a').groups()     C.update(itertools.combinations(['a', 'b'], 2))
    date(2024, 2, 29).replace(year=2023)                       D['e'] = 'd'  with D={'c': 'c', 'e': 'e', 'd': 'd'}

Each recipe is `(rng, *values drawn before) -> value`.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from cwm_agent.training.values import texts

_OPTIONAL = (
    r"(?:(\w+):)?\s*(\w+)?\s*(.*)",
    r"(?:(\w+)=)?(\w+)(?:,\s*(\w+))?",
    r"(\w+)(?:\s+(\d+))?",
    r"(?P<name>\w+)(?:\[(?P<place>\d+)\])?(?P<rest>.*)",
    r"(-)?(\d+)(?:\.(\d+))?",
    r"(\w+)\s*(?:->|=)\s*(\w+)?",
    r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?",
)


def optional_match(rng: Random) -> re.Match[str]:
    """A match of a pattern some of whose groups need not match."""
    while True:
        word, other, number = texts.word(rng), texts.word(rng), rng.randint(0, 99)
        text = rng.choice(
            (
                *(f"{word}: {other}", f"{word} {other}", f"{word}={other}, {word}", f"{other}", f"{word} {number}"),
                *(f"{word}[{number}] {other}", f"-{number}.{number}", f"{number}", f"{word} -> {other}", f"{word} ="),
                *(f"{number}h{number}m", f"{number}m", f"{number}s", f"{word} {other}, {number}"),
            )
        )
        found = re.match(rng.choice(_OPTIONAL), text)
        if found is not None:
            return found


def group_number(rng: Random) -> int:
    return rng.randint(0, 3)


def near_year(rng: Random) -> int:
    return rng.randint(2015, 2028)


def near_day_number(rng: Random) -> int:
    return rng.choice((1, 15, 28, 29, 30, 31, rng.randint(1, 31)))


def one_to_three(rng: Random) -> int:
    return rng.randint(1, 3)


def walked_pairs(rng: Random) -> Iterator[object]:
    """An iterator over pairs of a few items, or over the items."""
    make = texts.word if rng.random() < 0.8 else texts.char
    items: list[object] = [make(rng) for _ in range(rng.randint(0, 4))]
    kind = rng.randrange(5)
    if kind == 0:
        return itertools.pairwise(items)
    if kind == 1:
        return zip(items, items[1:] + items[:1], strict=False)
    return iter(items) if kind == 2 else itertools.combinations(items, 2)


def few_pairs_counted(rng: Random) -> Counter[object]:
    """Counts of pairs, often none."""
    return Counter((texts.word(rng), texts.word(rng)) for _ in range(rng.choice((0, 0, 1, 2))))


def kindred_dict(rng: Random) -> dict[object, object]:
    """A dict of names that are its values, too."""
    names = rng.sample("abcdefghxyz", rng.randint(2, 7)) if rng.random() < 0.6 else [texts.word(rng) for _ in range(4)]
    return {name: rng.choice((name, rng.choice(names))) for name in names}


def kindred_key(rng: Random, entries: dict[object, object]) -> object:
    return rng.choice(list(entries)) if rng.random() < 0.85 else texts.word(rng)


def kindred_value(rng: Random, entries: dict[object, object]) -> object:
    return rng.choice(list(entries.values()))


def joining(rng: Random) -> str:
    return rng.choice(("  ", " + ", " | ", ", ", "   ", " - ", "\n", " "))


def padded_cells(rng: Random) -> list[str]:
    """Words with spaces behind them, as the cells of a text table, some of them only spaces."""
    width = rng.randint(2, 7)
    return [texts.word(rng)[:6].ljust(width) if rng.random() < 0.85 else " " * width for _ in range(rng.randint(1, 6))]


def reversed_words(rng: Random) -> Iterator[str]:
    return reversed(
        [texts.word(rng) if rng.random() < 0.6 else f"{rng.randint(-9, 9)}x" for _ in range(rng.randint(1, 6))]
    )


def called_text_function(rng: Random) -> Callable[[str], object]:
    """A function or a method of a class that a text is given to."""
    return rng.choice(
        (str.split, str.strip, str.title, str.upper, str.lower, str.swapcase, str.splitlines, len, sorted)
    )


def nested_row(rng: Random) -> list[object]:
    """Numbers and lists, some of them with lists in them."""
    return [_nested(rng, 2) if rng.random() < 0.5 else rng.randint(0, 9) for _ in range(rng.randint(1, 5))]


def _nested(rng: Random, depth: int) -> list[object]:
    return [
        _nested(rng, depth - 1) if depth and rng.random() < 0.4 else rng.randint(0, 9) for _ in range(rng.randint(0, 3))
    ]


def counted_letters(rng: Random) -> list[tuple[int, int, str]]:
    """Counts of letters with their places, in the order of the letters."""
    letters = sorted(rng.sample("abcdefghinorstuw ", rng.randint(3, 9)))
    return [(rng.choice((1, 1, 1, 2, 2, 3, 4, 7)), place, letter) for place, letter in enumerate(letters)]

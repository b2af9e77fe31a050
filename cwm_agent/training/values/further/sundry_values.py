"""Values of lines that fresh programs showed to be rare in the tables: seats, memos, named patterns, money.

Each recipe is `(rng, *values drawn before) -> object`.
"""

from collections import Counter, defaultdict, deque
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from operator import itemgetter
from random import Random
from types import MappingProxyType

from cwm_agent.training.values import everyday_texts, rich_values, scalars, texts

_WORDS = ("name", "day", "seat", "order", "total", "user", "city", "title", "item", "count", "price", "room")


def seat_table(rng: Random) -> dict[str, object]:
    """A dict with many keys that are almost alike, and one value or a few."""
    rows, letters = rng.randint(1, 7), "ABCDEF"[: rng.randint(2, 6)]
    keys = [f"{row}{letter}" for row in range(1, rows + 1) for letter in letters][: rng.randint(1, 22)]
    if rng.random() < 0.3:
        keys = [f"{rng.choice('RSTK')}{number}" for number in range(1, rng.randint(2, 16))]
    kind = rng.random()
    if kind < 0.55:
        return dict.fromkeys(keys)
    if kind < 0.7:
        return {key: everyday_texts.first_name(rng) if rng.random() < 0.3 else None for key in keys}
    return dict.fromkeys(keys, rng.choice((0, False, True, "free", "", 1)))


def seat(rng: Random, table: dict[str, object]) -> str:
    """A key of such a table, or one that is almost one."""
    keys = list(table)
    if rng.random() < 0.45:
        return str(rng.choice(keys))
    number, letter = rng.randint(1, 12), rng.choice("ABCDEF")
    return f"{number}{letter}" if rng.random() < 0.8 else str(rng.choice(keys))[::-1]


Arguments = tuple[int, tuple[int, ...]]


def memo_table(rng: Random) -> dict[Arguments, int]:
    """Results by arguments, which are tuples of numbers and of shorter tuples."""
    parts = tuple(rng.sample((1, 2, 5, 10, 20, 25, 50), rng.randint(1, 4)))
    return {_arguments(rng, parts): rng.randint(0, 9) for _ in range(rng.randint(1, 14))}


def _arguments(rng: Random, parts: tuple[int, ...]) -> Arguments:
    number = rng.choice((rng.randint(-20, 40), 5 * rng.randint(-4, 8)))
    return (number, parts[rng.randint(0, len(parts)) :])


def memo_key(rng: Random, table: dict[Arguments, int]) -> Arguments:
    """A key of such a table, or one with another number or another tuple."""
    number, rest = own = rng.choice(list(table))
    if rng.random() < 0.4:
        return own
    other = rng.choice(list(table))[1]
    return rng.choice(((number + 5, rest), (number - 5, rest), (number, other), (number, ()), (number, rest[1:])))


def mapping_view(rng: Random) -> object:
    """A dict that may only be read."""
    held: dict[object, object] = {"tea": 2.0, **rich_values.rich_dict(rng)} if rng.random() < 0.3 else {}
    return MappingProxyType(held or rich_values.rich_dict(rng))


def view_key(rng: Random, view: dict[object, object]) -> object:
    return rng.choice(list(view)) if rng.random() < 0.7 and view else texts.word(rng)


def braced_text(rng: Random) -> str:
    """A text with one name in braces, `{seat} is taken`."""
    name = rng.choice(_WORDS[:3])
    return rng.choice((f"{{{name}}} is {texts.word(rng)}", f"{texts.word(rng)}: {{{name}}}", f"no {{{name}}} here"))


def deque_default(rng: Random) -> object:
    """A defaultdict of deques, Counters, tuples or texts."""
    kind = rng.choice((deque, Counter, str, tuple, float, bool))
    names = rng.sample(("ann", "bob", "carol", "dan", "eve"), rng.randint(0, 3))
    return defaultdict(kind, {name: kind() for name in names})


def group_source(rng: Random) -> str:
    """The text of a regular expression, as lexers write it."""
    return rng.choice((
        r"\d+", r"\s+", r"[A-Za-z_]\w*", r"[+\-*/]", r"//.*", r"\b(?:let|if|print)\b", r"[=+();]", r"\w+", r"[0-9.]+",
        r"==|!=|<=|>=", r"\(", r"\)", r'"[^"]*"', r"[^\s]+", r"#\w+",
    ))  # fmt: skip


def group_title(rng: Random) -> str:
    return rng.choice(("NUMBER", "NAME", "SPACE", "OP", "SYMBOL", "COMMENT", "KEYWORD", "STRING", "id", "uid", "word"))


def year_number(rng: Random) -> int:
    return rng.choice((rng.randint(1990, 2030), rng.randint(1890, 2110), 100 * rng.randint(16, 24)))


def whole_factor(rng: Random) -> int:
    return rng.choice((-2, -1, 1, 1, 2, 3, 4, 5, 7, 10, 12))


def clock_length(rng: Random) -> timedelta:
    """A length of time of whole minutes, as offsets and meetings have it."""
    return timedelta(minutes=rng.choice((1, 5, 10, 15, 20, 30, 45, 60, 90, 120, 300, 330, 570, 720)))


def mixed_fraction(rng: Random) -> Fraction:
    return Fraction(rng.randint(-20, 60), rng.choice((2, 3, 4, 5, 6, 8, 10, 12, 16)))


def whole_pair(rng: Random) -> object:
    """A few numbers as a tuple or a list, to take the mean of."""
    numbers = [rng.randint(0, 100) for _ in range(rng.choice((2, 2, 2, 3, 4, 5)))]
    return tuple(numbers) if rng.random() < 0.5 else numbers


def money(rng: Random) -> Decimal:
    return Decimal(rng.randint(1, 5_000_000)).scaleb(-rng.choice((0, 1, 2, 2, 2, 2)))


def money_rate(rng: Random) -> Decimal:
    return Decimal(rng.choice((45, 5, 75, 19, 7, 125, 25, 15, 8, 35, 20, 10))).scaleb(-rng.choice((1, 2, 2, 3, 3, 4)))


def noon(rng: Random) -> datetime:
    """A moment of whole minutes."""
    return datetime(
        rng.randint(2019, 2027), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    )


def one_entry(rng: Random) -> object:
    """A list or a tuple of one item."""
    item = rng.choice((scalars.small, texts.word, rich_values.rich))(rng)
    pair = (texts.word(rng), rng.randint(1, 9))
    return rng.choice(([item], (item,), [pair], (pair,)))


def word_lists(rng: Random) -> dict[str, list[str]]:
    """Names by group, some of them in several groups."""
    names = rng.sample(("Ann", "Raj", "Li", "Tom", "Eve", "Zoe", "Sam"), 5)
    groups = rng.sample(("math", "art", "chess", "music", "golf"), rng.randint(2, 4))
    return {group: rng.sample(names, rng.randint(1, 4)) for group in groups}


def small_rows(rng: Random) -> list[list[int]]:
    width = rng.randint(1, 4)
    return [[rng.randint(0, 9) for _ in range(width)] for _ in range(rng.randint(1, 4))]


def labelled_parts(rng: Random) -> list[str]:
    """Texts that are almost alike and hold numbers, `p1[0-10]`."""
    found, now = [], 0
    for _ in range(rng.randint(2, 9)):
        later = now + rng.randint(1, 12)
        found.append(
            f"{rng.choice('pqrab')}{rng.randint(1, 3)}" + rng.choice((f"[{now}-{later}]", f":{now}", f"={later};"))
        )
        now = later
    return found


def getter_of_two(rng: Random) -> object:
    """An `itemgetter` of two keys or places."""
    names = rng.sample(("cpu", "mem", "host", "name", "age", "city"), 2)
    return itemgetter(*names) if rng.random() < 0.7 else itemgetter(*rng.sample(range(3), 2))


def machine_row(rng: Random, getter: object) -> object:
    """What such a getter is asked of: a dict of a machine or a person, or a tuple."""
    if "'" in repr(getter):
        return {
            "host": f"host{rng.randint(1, 9)}",
            "cpu": rng.randint(0, 99),
            "mem": rng.randint(0, 99),
            "name": everyday_texts.first_name(rng),
            "age": rng.randint(1, 90),
            "city": texts.word(rng),
        }
    return (texts.word(rng), rng.randint(0, 99), everyday_texts.first_name(rng))


def counted_word(rng: Random) -> object:
    """A count below zero with a word, as sorting by count and then by name has it."""
    return (-rng.randint(1, 3), rng.choice(_COMMON) if rng.random() < 0.8 else (rng.choice(_COMMON), texts.word(rng)))


_COMMON = (
    "the",
    "that",
    "or",
    "not",
    "is",
    "question",
    "to",
    "be",
    "of",
    "a",
    "and",
    "in",
    "it",
    "moon",
    "sun",
    "orbits",
)


def text_parts(rng: Random) -> list[str]:
    """Short texts, many of them empty."""
    parts = ("M", "CM", "XC", "IV", "II", "D", "X", "ab", "q", "10", "110", "111", "000")
    return [rng.choice(parts) if rng.random() < 0.5 else "" for _ in range(rng.randint(3, 14))]


def number_text(rng: Random) -> str:
    """A text that `float` or `int` may read."""
    return rng.choice(
        (f"{rng.randint(0, 999) / 100}", str(rng.randint(-99, 999)), texts.word(rng), "yes", "0.75", " 3 ", "")
    )


def number_class(rng: Random) -> object:
    """A class that reads a number from a text."""
    return rng.choice((int, float, float, Decimal, str, len))


def time_fields(rng: Random) -> dict[str, int]:
    """Keywords of a timedelta."""
    names = rng.sample(("weeks", "days", "hours", "minutes", "seconds"), rng.randint(1, 3))
    return {name: rng.randint(1, 90 if name in ("minutes", "seconds") else 9) for name in names}


def clock_pair(rng: Random) -> tuple[int, int]:
    return rng.randint(0, 23), rng.choice((0, 5, 15, 30, 45, rng.randint(0, 59)))

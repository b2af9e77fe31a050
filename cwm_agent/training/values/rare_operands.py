"""Values of lines that programs have seldom: slices, iterators in lists, stamps, round floats, long choices.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import itertools
import string
from collections import Counter, deque
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from random import Random

from cwm_agent.training.values import library_values, scalars, texts


def bounds(rng: Random) -> tuple[int | None, ...]:
    found = [rng.choice((None, rng.randint(0, 12))) for _ in range(rng.randint(1, 3))]
    return (rng.randint(0, 12),) if len(found) == 1 else tuple(found)


def slice_value(rng: Random) -> slice:
    return slice(*bounds(rng))


def iterator_list(rng: Random) -> list[Iterator[object]]:
    """Iterators over lists, texts and tuples, each after some of its items."""
    found = []
    for _ in range(rng.randint(1, 4)):
        items = [scalars.small(rng) for _ in range(rng.randint(1, 4))]
        turns = iter(rng.choice((items, tuple(items), texts.word(rng))))
        for _ in range(rng.choice((0, 0, 1, 2))):
            next(turns, None)
        found.append(turns)
    return found


def stepped_slice(rng: Random) -> Iterator[object]:
    """An `islice` with a start and a step."""
    items = rng.choice((texts.word(rng) * 2, [scalars.small(rng) for _ in range(rng.randint(1, 9))]))
    source = iter(items) if rng.random() < 0.5 else items
    start, stop = rng.choice((None, 0, 1, 2)), rng.choice((None, rng.randint(0, 9), rng.randint(3, 9)))
    return itertools.islice(source, start, stop, rng.choice((None, 1, 2, 2, 3)))


def word_choices(rng: Random) -> Iterator[object]:
    """Choices or orders of two of a few longer words."""
    words = [
        rng.choice("+-_ ").join(texts.word(rng) for _ in range(rng.randint(1, 2))) for _ in range(rng.randint(2, 4))
    ]
    return rng.choice((itertools.combinations, itertools.combinations, itertools.permutations))(words, 2)


def repeated_words(rng: Random) -> list[str]:
    """A long list of few words."""
    words = [texts.word(rng) for _ in range(rng.randint(2, 4))]
    return [rng.choice(words) for _ in range(rng.randint(5, 14))]


def repeated_word(rng: Random, held: object) -> object:
    return rng.choice(held) if isinstance(held, list) and held and rng.random() < 0.9 else texts.word(rng)


def round_float(rng: Random) -> float:
    return float(rng.randint(1, rng.choice((9, 9, 99, 999))) * 10 ** rng.randint(1, 7))


def power_of_ten(rng: Random) -> int:
    return int(10 ** rng.randint(1, 6))


def held_value(rng: Random, held: object, key: object) -> object:
    """Mostly what the dict holds already."""
    value = held.get(key) if isinstance(held, dict) else None
    return value if isinstance(value, int) and rng.random() < 0.7 else rng.randint(0, 9)


_STAMPS = (
    "%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%d/%m/%Y", "%Y/%m/%d", "%H:%M",
    "%Y-%m-%dT%H:%M:%S", "%d %b %Y", "%d.%m.%Y %H:%M", "%Y%m%d", "%m/%d/%Y",
)  # fmt: skip


def stamp(rng: Random) -> str:
    """A format of a moment."""
    return rng.choice(_STAMPS)


def stamped(rng: Random, form: object) -> str:
    """A moment in a format, seldom in another."""
    moment = exact_moment(rng)
    form = form if isinstance(form, str) and "%" in form and rng.random() < 0.96 else stamp(rng)
    return moment.strftime(form)


def exact_moment(rng: Random) -> datetime:
    moment = library_values.moment(rng)
    return moment.replace(second=rng.choice((0, rng.randint(0, 9), rng.randint(0, 59))))


def later_moment(rng: Random, other: object) -> object:
    """A moment of the same day, or of a day nearby; sometimes some seconds apart."""
    moment = exact_moment(rng)
    if not isinstance(other, datetime):
        return moment
    near = library_values.near_day(rng, other) if rng.random() < 0.2 else other
    assert isinstance(near, datetime)
    if rng.random() < 0.25:
        return near + timedelta(seconds=rng.choice((rng.randint(-90, 90), rng.randint(0, 4000))))
    return near.replace(hour=moment.hour, minute=moment.minute, second=moment.second)


def rounding(rng: Random) -> str:
    return rng.choice(("ROUND_HALF_UP", "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_DOWN", "ROUND_UP"))


def long_decimal(rng: Random) -> Decimal:
    """A product of prices, with three or four places."""
    return Decimal(f"{rng.randint(0, 99)}.{rng.randint(0, 9999):04d}"[: rng.choice((6, 7, 7))])


def fraction_view(rng: Random) -> object:
    return {texts.word(rng): library_values.fraction(rng) for _ in range(rng.randint(1, 4))}.values()


def decimal_view(rng: Random) -> object:
    return {texts.word(rng): library_values.decimal(rng) for _ in range(rng.randint(1, 4))}.values()


def simple_fractions(rng: Random) -> list[Fraction]:
    return [Fraction(rng.randint(0, 9), rng.randint(1, 9)) for _ in range(rng.randint(2, 4))]


def letter_run(rng: Random) -> str:
    """Some letters in their order."""
    letters = rng.choice((string.ascii_lowercase, string.ascii_lowercase, string.ascii_uppercase, "aeiou"))
    start = rng.randint(0, len(letters) - 2)
    return letters[start : start + rng.randint(2, 13)]


def other_letters(rng: Random, letters: object) -> str:
    """As many letters in another order, or shifted; seldom one too few."""
    held = letters if isinstance(letters, str) else "abc"
    shift = rng.randint(1, 9)
    found = "".join(chr((ord(each) - 97 + shift) % 26 + 97) if each.islower() else each for each in held)
    return found[1:] if rng.random() < 0.04 else found


def letter_table(rng: Random) -> dict[int, int]:
    """A table for `translate` with many letters."""
    letters = letter_run(rng) + (letter_run(rng) if rng.random() < 0.4 else "")
    return str.maketrans(letters, other_letters(rng, letters).ljust(len(letters), "x")[: len(letters)])


def multiple_decimal(rng: Random, other: object) -> Decimal:
    """A decimal that another divides, as a share of a price is one."""
    factor = Decimal(rng.choice((1, 1, 2, 3, 10, "0.5", "1.5", "0.25")))
    return (other if isinstance(other, Decimal) else Decimal(1)) * factor


def tolerance(rng: Random) -> float:
    return rng.choice((1e-6, 1e-9, 0.01, 0.1, 1e-3))


def cipher_table(rng: Random) -> dict[int, int]:
    """A table for `translate` that turns both alphabets by some letters."""
    shift, letters = rng.randint(1, 25), string.ascii_lowercase
    turned = letters[shift:] + letters[:shift]
    return str.maketrans(letters + letters.upper(), turned + turned.upper())


def near_decimal(rng: Random, other: object) -> Decimal:
    """An amount so near to another that leading digits cancel or carry."""
    held = other if isinstance(other, Decimal) else Decimal("1.00")
    return abs(held + Decimal(rng.choice((1, -1)) * rng.choice((1, 1, 2, 5, 10, 99, 101))) / 100)


def round_decimal(rng: Random) -> Decimal:
    """A round amount, written with places."""
    return Decimal(
        f"{rng.choice((1, 2, 5, 10, 20, 50, 99, 100, 100, 250, 500, 1000))}.{rng.choice(('00', '00', '0', '50'))}"
    )


def kin_counts(rng: Random, held: object) -> dict[object, int]:
    """Small counts of mostly the same keys."""
    keys = [key for key in held if rng.random() < 0.8] if isinstance(held, dict) else []
    return dict.fromkeys(keys, 0) | {key: rng.randint(0, 4) for key in [*keys, *["kiwi"][: rng.random() < 0.2]]}


def word_counter(rng: Random) -> Counter[str]:
    return Counter({texts.word(rng): rng.randint(0, 12) for _ in range(rng.randint(1, 5))})


def close_float(rng: Random, other: object) -> float:
    """A float that differs from another by a small part of it, or a whole number near it."""
    held = float(other) if isinstance(other, int | float) else 1.0
    if rng.random() < 0.25:
        return float(round(held))
    return held * (1 + rng.choice((1, -1)) * rng.choice((0.0, 3e-2, 3e-3, 4e-4, 3e-6, 2e-7, 3e-8, 2e-10)))


_LEGS = ((3, 4), (5, 12), (8, 15), (7, 24), (20, 21), (9, 40), (12, 35), (6, 8), (9, 12), (10, 24), (0, 5), (15, 20))


def leg(rng: Random) -> int:
    return rng.choice(_LEGS)[rng.randint(0, 1)] * rng.choice((1, 1, 1, 2, 3, -1))


def other_leg(rng: Random, other: object) -> int:
    """Mostly the number that makes a whole hypotenuse with another."""
    fitting = [b * k for legs in _LEGS for a, b in (legs, legs[::-1]) for k in (1, 2, 3) if a * k == other]
    return rng.choice(fitting) if fitting else leg(rng)


_CLASSES = (
    r"\d",
    r"\d+",
    r"\w",
    r"\w+",
    r"\s",
    r"\s+",
    r"\D",
    r"\D+",
    r"\W",
    "[a-z]",
    "[A-Z]+",
    "[0-9]",
    "[aeiou]",
    r"\d\d",
    "[^a-z]",
)


def character_class(rng: Random) -> str:
    """An expression that is one class of characters."""
    return rng.choice(_CLASSES)


def clock_span(rng: Random) -> timedelta:
    """Hours and minutes, sometimes seconds or days too."""
    minutes = rng.choice((5, 15, 30, 45, 60, 90, 120, rng.randint(1, 1500)))
    return timedelta(rng.choice((0, 0, 0, 1, 2)), minutes * 60 + rng.choice((0, 0, 0, 30, rng.randint(1, 59))))


def spans(rng: Random) -> list[timedelta]:
    return [clock_span(rng) for _ in range(rng.randint(1, 4))]


def sixty(rng: Random) -> int:
    return rng.randint(0, 59) if rng.random() < 0.85 else -rng.randint(1, 59)


def moment_text(rng: Random) -> str:
    return exact_moment(rng).isoformat(sep=rng.choice("T "))


def long_stamp(rng: Random) -> str:
    """A format with seconds, or with the name of the month."""
    return rng.choice(
        (
            "%Y-%m-%d %H:%M:%S",
            "%Y-%m-%d %H:%M:%S",
            "%Y-%m-%dT%H:%M:%S",
            "%H:%M:%S",
            "%d/%m/%Y %H:%M",
            "%b %d %Y",
            "%d %B %Y",
            "%Y/%m/%d",
            "%H:%M",
        )
    )


def old_day(rng: Random) -> date:
    """A day of three centuries, often around the end of February."""
    year = rng.choice((1900, 2000, 2100, rng.randint(1850, 2100), rng.randint(1950, 2030)))
    start = date(year, 2, 26) if rng.random() < 0.4 else date(year, rng.randint(1, 12), rng.randint(1, 28))
    return start + timedelta(rng.randint(0, 4))


def even_divisor(rng: Random) -> int:
    """A divisor by which decimals come to an end."""
    return rng.choice((2, 4, 5, 8, 10, 20, 25, 40, 50, 100))


def ratio_text(rng: Random) -> str:
    return rng.choice(
        (f"{rng.randint(1, 9)}/{rng.randint(1, 12)}", f"{rng.randint(0, 9)}.{rng.choice((5, 25, 75, 125))}")
    )


def even_fraction(rng: Random) -> Fraction:
    return Fraction(rng.randint(1, 40), rng.choice((1, 2, 4, 5, 8, 10, 20)))


def right_point(rng: Random) -> tuple[int, ...]:
    """A point in the plane; two of them are often a whole number apart."""
    size = rng.randint(1, 4)
    return rng.choice(
        ((0, 0), (3 * size, 4 * size), (6 * size, 8 * size), (5 * size, 12 * size), (0, 5), (1, 2), (4, 6))
    )


def zero_float(rng: Random) -> float:
    return rng.choice((0, 0.0, 0))


def spread(rng: Random) -> list[int]:
    """Numbers whose mean comes to an end."""
    return [rng.randint(0, rng.choice((9, 100, 500))) for _ in range(rng.choice((1, 2, 3, 4, 4, 5, 5, 8, 10)))]


def sorted_figures(rng: Random) -> list[int]:
    return sorted(rng.randint(0, rng.choice((50, 200, 2000))) for _ in range(rng.randint(2, 12)))


def figure_near(rng: Random, held: object) -> int:
    """A number of the list, or beside one."""
    items = [each for each in held if isinstance(each, int)] if isinstance(held, list) else []
    return rng.choice(items) + rng.choice((0, 0, 1, -1)) if items and rng.random() < 0.8 else rng.randint(0, 2100)


def number_deque(rng: Random) -> deque[int]:
    """Numbers of two or three digits, often with a largest length."""
    size = rng.randint(1, 9)
    return deque(
        (rng.randint(0, rng.choice((9, 99, 400))) for _ in range(size)), rng.choice((None, None, size, size + 2))
    )


def line_width(rng: Random) -> int:
    return rng.choice((8, 10, 12, 15, 16, 20, 24, 30, 40))


def byte_word(rng: Random) -> bytes:
    return (
        texts.word(rng).encode() if rng.random() < 0.8 else bytes(rng.randrange(256) for _ in range(rng.randint(1, 5)))
    )


def byte_pair(rng: Random) -> bytes:
    return bytes(rng.randrange(256) for _ in range(2))


def byte_values(rng: Random) -> list[int]:
    return [rng.randint(32, 126) if rng.random() < 0.8 else rng.randint(0, 256) for _ in range(rng.randint(1, 6))]


def byte_array(rng: Random) -> bytearray:
    return bytearray(byte_word(rng))


def even_hex(rng: Random) -> str:
    return byte_word(rng).hex()

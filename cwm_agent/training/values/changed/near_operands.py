"""Operands that almost fit what a line asks of them, and rows in which the same few items come again.

    date.fromisoformat('1990,06-15')        D.get(('Eva', 3))  with D={('Eva', 2): 5, ('Jon', 3): 1}
    'a-ans-in soup'.replace('-ans-in-', '')  ['tea', 'oat', 'tea', 'tea', 'oat'][:-1]

Each recipe is `(rng, *values drawn before) -> value`.
"""

from collections import deque
from datetime import date, datetime, timedelta
from random import Random

from cwm_agent.training.values import texts
from cwm_agent.training.values.changed.disturbed_values import disturbed

_FITTING = 0.5
_FORMS = ("%Y-%m-%d %H:%M", "%Y-%m-%d", "%d.%m.%Y", "%H:%M:%S", "%Y/%m/%d %H:%M:%S", "%d %b %Y", "%m/%d/%y")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def near_iso_day(rng: Random) -> str:
    """A day as text: right, of no month or day that there is, or written otherwise."""
    return _nearly(rng, f"{_year(rng)}-{_two(rng, 12, 1)}-{_two(rng, 30, 1)}", "-")


def near_iso_moment(rng: Random) -> str:
    """A day and a time as text, right or nearly."""
    return _nearly(rng, f"{near_iso_day(rng)}{rng.choice('TT ')}{_two(rng, 23)}:{_two(rng, 59)}", ":")


def stamp_form(rng: Random) -> str:
    return rng.choice(_FORMS)


def near_stamp(rng: Random, form: str) -> str:
    """A text that was written by a form, right or nearly."""
    parts = {
        "%Y": _year(rng), "%y": _two(rng, 99), "%m": _two(rng, 12, 1), "%d": _two(rng, 30, 1), "%H": _two(rng, 23),
        "%M": _two(rng, 59), "%S": _two(rng, 59), "%b": rng.choice(_MONTHS),
    }  # fmt: skip
    found = form
    for name, part in parts.items():
        found = found.replace(name, part)
    return _nearly(rng, found, rng.choice("-:/ "))


def _year(rng: Random) -> str:
    return str(rng.choice((rng.randint(1950, 2030), rng.randint(1000, 9999), rng.randint(100, 999))))


def _two(rng: Random, most: int, least: int = 0) -> str:
    """Two digits, sometimes more than there are, or one digit."""
    number = rng.randint(least, most) if rng.random() < 0.95 else rng.randint(0, most + 9)
    return f"{number:02d}" if rng.random() < 0.95 else str(number)


def _nearly(rng: Random, text: str, border: str) -> str:
    """The text, the text with one border exchanged, or with a small change anywhere."""
    chance = rng.random()
    if chance < _FITTING:
        return text
    if chance < 0.6 and border in text:
        places = [place for place, letter in enumerate(text) if letter == border]
        place = rng.choice(places)
        return text[:place] + rng.choice(",./: -") + text[place + 1 :]
    return str(disturbed(rng, text))


def near_whole(rng: Random) -> str:
    """A text that `int` reads, or nearly one."""
    sign, space = rng.choice(("", "", "", "-", "+", "--")), rng.choice(("", "", "", " ", "\n"))
    number = str(rng.choice((rng.randint(0, 99), rng.randint(100, 10**6))))
    number = (
        number
        if rng.random() < 0.8
        else rng.choice((f"{number}.0", f"{number[0]}_{number}", f"0{number}", f"{number}x"))
    )
    return _nearly(rng, f"{space}{sign}{number}{space}", number[0])


def near_real(rng: Random) -> str:
    """A text that `float` and `Decimal` read, or nearly one."""
    number = rng.choice(
        (f"{rng.randint(0, 999)}.{rng.randint(0, 99)}", f".{rng.randint(1, 99)}", f"{rng.randint(1, 99)}.")
    )
    tail = rng.choice(("", "", "", "", "e3", "e-2", "E", "%", "..7", " "))
    return _nearly(rng, rng.choice(("", "", "-", "$")) + number + tail, ".")


def pair_dict(rng: Random) -> dict[object, object]:
    """A dict with pairs as keys whose parts come again in other keys."""
    left, right = [texts.word(rng) for _ in range(3)], rng.choice(([1, 2, 3], [texts.word(rng) for _ in range(3)]))
    keys = [(rng.choice(left), rng.choice(right)) for _ in range(rng.randint(2, 6))]
    return {key: rng.choice((rng.randint(0, 20), texts.word(rng))) for key in keys}


def near_pair(rng: Random, entries: dict[tuple[object, object], object]) -> object:
    """A key of the dict, or one that has parts of two keys."""
    one, other = rng.choice(list(entries)), rng.choice(list(entries))
    if rng.random() < _FITTING:
        return one
    return (one[0], other[1]) if rng.random() < 0.8 else disturbed(rng, one)


def dashed_text(rng: Random) -> str:
    """Words between marks, some of them twice."""
    words = [texts.word(rng) for _ in range(rng.randint(2, 5))]
    border = rng.choice(("-", " ", "--", "_", "><", ", ", "/"))
    return border.join(rng.choice(words) for _ in range(rng.randint(3, 7)))[:58]


def near_long_part(rng: Random, text: str) -> str:
    """Six letters or more of a text, as they stand there or with one more, one less or another at an end or inside."""
    begin = rng.randrange(max(1, len(text) - 6))
    part = text[begin : begin + rng.randint(6, 30)]
    chance = rng.random()
    if chance < _FITTING:
        return part
    letter = rng.choice(text)
    if chance < 0.6:
        return letter + part
    return part + letter if chance < 0.8 else str(disturbed(rng, part))


def repetitive_row(rng: Random) -> list[object]:
    """Six to fifteen items, of which two to four are different."""
    make = rng.choice(
        (texts.word, texts.char, lambda rng: rng.randint(0, 40), lambda rng: (texts.word(rng), rng.randint(0, 9)))
    )
    kinds = [make(rng) for _ in range(rng.randint(2, 4))]
    return [rng.choice(kinds) for _ in range(rng.randint(6, 15))]


def repetitive_letters(rng: Random) -> list[str]:
    """Letters and brackets one by one, in runs."""
    kinds = rng.sample("()[]ab.,- x", rng.randint(2, 3))
    return [letter for _ in range(rng.randint(2, 4)) for letter in rng.choice(kinds) * rng.randint(1, 9)][:30]


def written_rows(rng: Random) -> list[str]:
    """Tuples and lists as texts, with quotes within."""
    rows = [(rng.randint(0, 99), texts.word(rng)) for _ in range(rng.randint(1, 4))]
    return [repr(row) if rng.random() < 0.7 else repr(list(row)) for row in rows]


def near_angle(rng: Random) -> float:
    """A number or a float of an angle or of a side."""
    return rng.choice((0, 1, -1, 0.5, 45, 90, 180, 360, rng.randint(1, 30), round(rng.uniform(-3, 3), 2)))


def near_multiple(rng: Random, divisor: object) -> int:
    """A multiple of a number, sometimes one more or one less."""
    held = divisor if isinstance(divisor, int) and divisor else 12
    times = rng.choice((rng.randint(1, 12), rng.randint(2, 99), rng.randint(10, 999), 10 ** rng.randint(0, 3)))
    return held * times + rng.choice((0, 0, 0, 0, 1, -1))


def recent_day(rng: Random) -> date:
    """A day of few years, often near the border of a year or of February."""
    year = rng.randint(2015, 2027)
    if rng.random() < 0.1:
        return date(rng.choice((2016, 2020, 2024)), 2, 29)
    if rng.random() < 0.4:
        return date(year, *rng.choice(((1, 1), (12, 31), (2, 28), (3, 1), (2, 27), (3, 2))))
    return date(year, 1, 1) + timedelta(rng.randrange(365))


def recent_moment(rng: Random) -> datetime:
    """A time on such a day, mostly without seconds."""
    seconds = rng.randrange(60) if rng.random() < 0.2 else 0
    return datetime.combine(recent_day(rng), datetime.min.time()).replace(
        hour=rng.randrange(24), minute=rng.choice((0, 0, 15, 30, 45, rng.randrange(60))), second=seconds
    )


def near_title(rng: Random) -> str:
    """A title in which one letter may be of the other case, or anything else may be changed."""
    return _near_case(rng, " ".join(texts.word(rng) for _ in range(rng.randint(1, 5))).title())


def near_upper(rng: Random) -> str:
    return _near_case(rng, texts.text(rng).upper())


def near_lower(rng: Random) -> str:
    return _near_case(rng, texts.text(rng).lower())


def _near_case(rng: Random, text: str) -> str:
    chance = rng.random()
    if chance < _FITTING or not text:
        return text
    place = rng.randrange(len(text))
    return text[:place] + text[place].swapcase() + text[place + 1 :] if chance < 0.8 else str(disturbed(rng, text))


def full_deque(rng: Random) -> deque[object]:
    """A deque that has a largest length, mostly as long as that."""
    most = rng.randint(1, 6)
    make = rng.choice((texts.word, texts.char, lambda rng: rng.randint(0, 40), lambda rng: rng.randint(0, 40)))
    return deque((make(rng) for _ in range(most if rng.random() < 0.7 else rng.randint(0, most))), most)


def scalar_like(rng: Random, owner: object) -> object:
    """An item as a deque has them."""
    return few_like(rng, owner)[0]


def few_like(rng: Random, owner: object) -> list[object]:
    """One to five items as a deque has them."""
    assert isinstance(owner, deque)
    is_text = bool(owner) and isinstance(owner[0], str)
    return [texts.word(rng) if is_text else rng.randint(0, 60) for _ in range(rng.randint(1, 5))]


def repetitive_pair(rng: Random) -> list[object]:
    """One to three items, some of them equal."""
    kinds = rng.choice(([texts.char(rng), texts.char(rng)], [rng.randint(0, 20), rng.randint(0, 20), 5]))
    return [rng.choice(kinds) for _ in range(rng.randint(1, 3))]

"""Library values in ordinary lines that tables rarely had: marked texts, large floats, numbers of enums, clocks.

Each recipe is `(rng, *values drawn before) -> value`; knows nothing of the lines that use them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from itertools import count, cycle, islice
from random import Random
from typing import Any

from cwm_agent.training.values import texts

_RANKS = "LOW MID HIGH TOP URGENT MINOR MAJOR FIRST LAST NONE BASIC GOLD SILVER JUNIOR SENIOR".split()
_RANKED = "Urgency Grading Importance StarCount TicketRank PayBand Echelon Seniority Standing Precedence".split()
_DATES = (
    r"(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})",
    r"(\d{1,2})[./](\d{1,2})[./](\d{4})",
    r"(\d{4})-(\d{2})-(\d{2})",
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})",
    r"(\d+)[.](\d+)",
)
_LOGS = (
    r'(\S+) "(GET|POST) (\S+)" (\d{3})',
    r'"(GET|POST) (\S+)" (\d{3}) (\d+|-)',
    r"\[(.*?)\] (\w+): (.*)",
    r"(\S+) - (\S+) (\d+|-)",
)
_MARKS: tuple[tuple[str, str, tuple[str, str]], ...] = (
    (r"\*\*(.+?)\*\*", r"<b>\1</b>", ("**", "**")),
    (r"\*(.+?)\*", r"<i>\1</i>", ("*", "*")),
    (r"`([^`]+)`", r"<code>\1</code>", ("`", "`")),
    (r"_(\w+)_", r"(\1)", ("_", "_")),
    (r"\[([^\]]+)\]", r"<\1>", ("[", "]")),
    (r"<(\w+)>", r"{\1}", ("<", ">")),
)


def _ranked(name: str) -> Any:
    """An own class of ranks with numbers, always the same one of its name."""
    rng = Random(name)
    members = rng.sample(_RANKS, 4)
    return IntEnum(name, list(zip(members, sorted(rng.sample(range(13), 4)), strict=True)))


KINDS: Mapping[str, type] = {name: _ranked(name) for name in _RANKED}


def rank_member(rng: Random) -> object:
    """A member that is a number too."""
    return rng.choice(list(KINDS[rng.choice(_RANKED)]))  # type: ignore[call-overload]


def rank_members(rng: Random) -> list[object]:
    kind: Any = KINDS[rng.choice(_RANKED)]
    return rng.choices(list(kind), k=rng.randint(2, 5))


def rank_number(rng: Random) -> int:
    return rng.choice((0, 0, 1, 5, 7, rng.randint(0, 12), rng.randint(0, 60)))


def dated_text(rng: Random) -> str:
    """A sentence with a date, a time or a decimal in it, or several."""
    parts = []
    for _ in range(rng.randint(1, 3)):
        day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1980, 2030)
        clock = f"{rng.randint(0, 23)}:{rng.randint(0, 59):02d}"
        found = (f"{day}.{month}.{year}", f"{day}/{month}/{year}", f"{year}-{month:02d}-{day:02d}", clock)
        parts += [texts.word(rng), rng.choice(found)]
    return " ".join([*parts, texts.word(rng)][rng.randint(0, 1) :])


def date_expression(rng: Random) -> str:
    return rng.choice(_DATES)


def date_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(rng.choice(_DATES))


def behind_match(rng: Random, text: str) -> int:
    """A place in the text where a second search begins."""
    return rng.randint(0, max(len(text) // 2, 1))


def date_match(rng: Random) -> object:
    """A match of such an expression."""
    while True:
        found = date_pattern(rng).search(dated_text(rng))
        if found:
            return found


def access_line(rng: Random) -> str:
    """A line as servers write it, with quotes and brackets."""
    host = rng.choice(("10.0.0.7", "h.org", "::1", texts.syllables(rng)))
    path = rng.choice(("/", "/index.html", "/login", "/a?x=1", "/" + texts.syllables(rng)))
    verb = rng.choice(("GET", "POST", "PUT"))
    size = rng.choice(("-", str(rng.randint(0, 9999))))
    return rng.choice(
        (
            f'{host} "{verb} {path}" {rng.choice((200, 302, 404, 500))} {size}',
            f'{host} - [05/Mar:{rng.randint(10, 23)}:15] "{verb} {path}" 200 {size}',
            f"[{rng.randint(10, 23)}:{rng.randint(10, 59)}] {rng.choice(('INFO', 'ERROR'))}: {texts.word(rng)}",
            f"{host} - {path} {size}",
        )
    )


def access_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(rng.choice(_LOGS))


def access_match(rng: Random) -> object:
    while True:
        found = access_pattern(rng).search(access_line(rng))
        if found:
            return found


def mark_rule(rng: Random) -> list[object]:
    """An expression with a group, what replaces it, and the marks that it looks for."""
    return list(rng.choice(_MARKS))


def marks_expression(_: Random, rule: list[str]) -> str:
    return rule[0]


def mark_instead(_: Random, rule: list[str]) -> str:
    return rule[1]


def text_with_marks(rng: Random, rule: list[Any]) -> str:
    """A text with parts between such marks, sometimes between other ones."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        before, after = rule[2] if rng.random() < 0.7 else rng.choice(_MARKS)[2]
        parts.append(before + texts.syllables(rng) + after if rng.random() < 0.6 else texts.syllables(rng))
    return rng.choice((" ", " ", ", ", "</li>")).join(parts)


def huge_float(rng: Random) -> float:
    """A mass, a distance or a count of particles, of few digits."""
    return float(f"{rng.choice((round(rng.uniform(1, 9.99), 2), rng.randint(1, 9)))}e{rng.randint(5, 27)}")


def tiny_float(rng: Random) -> float:
    return float(f"{rng.choice((round(rng.uniform(1, 9.99), 3), rng.randint(1, 9)))}e-{rng.randint(3, 15)}")


def growth(rng: Random) -> float:
    """A factor of interest or of a rise in wages."""
    return rng.choice((1.035, 1.05, 1.1, 1.02, 1.08, 0.95, 0.9, 1.5, 0.19, 1.19, round(1 + rng.random() / 5, 3)))


def pay(rng: Random) -> int | float:
    return rng.choice((rng.randint(10, 400) * 10, rng.randint(100, 9999), round(rng.uniform(10, 999), 2)))


def few_index(rng: Random) -> int:
    return rng.choice((0, 1, 1, -1, 0, 1, 2))


def exact_price(rng: Random) -> Decimal:
    """A decimal with two to four places, often zeros at its end."""
    return Decimal(f"{rng.randint(0, 5000)}.{rng.randint(0, 99):02d}" + rng.choice(("", "", "0", "00", "50")))


def late_day(rng: Random) -> date:
    """A day near the end of a month, or any."""
    return date(
        rng.randint(1995, 2030), rng.randint(1, 12), rng.choice((1, 15, 27, 28, rng.randint(1, 28)))
    ) + timedelta(rng.choice((0, 1, 2, 3)))


def one_to_ten_days(rng: Random) -> timedelta:
    return timedelta(rng.choice((1, 1, 1, 2, 7, rng.randint(1, 10))))


def meeting(rng: Random) -> datetime:
    return datetime(
        rng.randint(2019, 2027), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), 5 * rng.randint(0, 11)
    )


def meeting_end(rng: Random, begin: object) -> datetime:
    held = begin if isinstance(begin, datetime) else datetime(2024, 5, 6, 9, 30)
    return held + timedelta(minutes=5 * rng.randint(1, 30))


def week_parts(rng: Random) -> object:
    return late_day(rng).isocalendar()


def numbered_rounds(rng: Random) -> Iterator[object]:
    """Names that come again and again, with numbers: the last number of a name stays in a dict."""
    names = [texts.char(rng) for _ in range(rng.randint(2, 3))]
    return zip(list(islice(cycle(names), rng.randint(2, 6))), count(rng.choice((0, 1, 10)), rng.choice((1, 1, 2, 5))))


def repr_walk(rng: Random) -> Iterator[str]:
    """How the items of a row are written."""
    kind: Callable[[object], str] = rng.choice((repr, repr, str))
    items = (texts.syllables(rng), rng.randint(0, 99), None, True, rng.randint(0, 30) / 4, "it's", 'a"b')
    return map(kind, tuple(rng.choice(items) for _ in range(rng.randint(1, 4))))


def field_values(rng: Random) -> dict[str, object]:
    names = rng.sample(("x", "y", "w", "name", "size", "total", "unit", "step"), rng.randint(1, 3))
    return {each: rng.choice((rng.randint(0, 20), texts.syllables(rng), None, [])) for each in names}


def field_name(rng: Random, space: object) -> str:
    """A field of a namespace, or another one."""
    held = list(vars(space)) if hasattr(space, "__dict__") else []
    return rng.choice(held) if held and rng.random() < 0.6 else rng.choice(("x", "y", "w", "size"))


def quoted_data(rng: Random) -> dict[str, object]:
    """Data with quotes, backslashes and line ends in its texts."""
    odd = ('q"t', "a\\b", "x\ny", '"', "tab\t", "plain", "it's", "é")
    values = (
        rng.choice(odd),
        rng.randint(0, 9),
        None,
        True,
        rng.randint(0, 9) / 2,
        [rng.choice(odd), 1],
        {"k": rng.choice(odd)},
    )
    return {name: rng.choice(values) for name in rng.sample("abcxy", rng.randint(1, 3))}


def placeholders(rng: Random) -> str:
    """A text for `Template` with the names `user`, `n` and `what`."""
    held = ("$user", "$n", "${what}s", "$$", "${user}", "has", texts.syllables(rng))
    return " ".join(rng.choices(held, k=rng.randint(2, 4)))


def indented(rng: Random) -> str:
    """Lines that are all indented, some further."""
    base = " " * rng.choice((2, 4, 4))
    return (
        "\n".join(base + " " * rng.choice((0, 0, 2, 4)) + texts.syllables(rng) for _ in range(rng.randint(1, 4))) + "\n"
    )


def chosen_bits(rng: Random, items: Iterable[object]) -> list[int]:
    return [rng.randint(0, 1) for _ in items]

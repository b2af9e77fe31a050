"""Values of the library that got a written form late: templates, namespaces, time zones, addresses; and counters to be
taken from one another.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import calendar
import ipaddress
import string
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from itertools import islice
from random import Random
from types import SimpleNamespace

from cwm_agent.training.values import everyday_texts, scalars, texts

_FIELDS = ("name", "day", "item", "total", "row", "city")


def template(rng: Random) -> string.Template:
    """A template with one to three names behind dollars, seldom a dollar of its own."""
    shown = [rng.choice((f"${name}", f"${{{name}}}")) for name in rng.sample(_FIELDS, rng.randint(1, 3))]
    words = [rng.choice((texts.word(rng), "for", "is", "at", "$$")) for _ in shown]
    return string.Template(" ".join(part for pair in zip(shown, words, strict=True) for part in pair))


def template_values(rng: Random, held: object) -> dict[str, object]:
    """What a template needs, seldom one name less."""
    text = held.template if isinstance(held, string.Template) else ""
    names = [name for name in _FIELDS if f"${name}" in text or f"${{{name}}}" in text]
    found: dict[str, object] = {name: rng.choice((texts.word(rng), rng.randint(0, 99))) for name in names}
    if found and rng.random() < 0.2:
        found.pop(rng.choice(names))
    return found


def namespace(rng: Random) -> SimpleNamespace:
    names = rng.sample(("x", "y", "name", "count", "left", "right", "value"), rng.randint(1, 4))
    return SimpleNamespace(**{name: rng.choice((scalars.small(rng), texts.word(rng), None)) for name in names})


def zone(rng: Random) -> timezone:
    return UTC if rng.random() < 0.3 else timezone(timedelta(minutes=30 * rng.randint(-24, 26)))


def zoned_moment(rng: Random) -> datetime:
    """A moment with a time zone."""
    day = datetime(rng.randint(2019, 2027), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23))
    return day.replace(minute=rng.choice((0, 15, 30, 45)), tzinfo=zone(rng))


def address(rng: Random) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(address_text(rng))


def address_text(rng: Random) -> str:
    first = rng.choice(("10.0.0", "192.168.1", "8.8.8", "172.16.0"))
    return f"{first}.{rng.choice((0, 1, 2, 3, 5, 9, rng.randint(0, 255)))}"


def net(rng: Random) -> ipaddress.IPv4Network:
    size = rng.choice((24, 24, 28, 30, 16))
    return ipaddress.ip_network(f"{address_text(rng)}/{size}", strict=False)  # type: ignore[return-value]


def calendar_names(rng: Random) -> object:
    return rng.choice((calendar.day_name, calendar.month_name, calendar.day_abbr, calendar.month_abbr))


def stock(rng: Random) -> Counter[str]:
    """A counter of a few goods."""
    goods = rng.sample(("pen", "ink", "cap", "box", "tea", "jam"), rng.randint(1, 4))
    return Counter({name: rng.randint(1, 6) for name in goods})


def punctuation(rng: Random) -> str:
    return rng.choice((string.punctuation, string.punctuation, string.digits, ".,!?", " ()", "0123456789", "-_ ", "ab"))


def edged_word(rng: Random) -> str:
    """A word with marks or digits around it."""
    before = rng.choice(("", "", "(", "--", '"', "  ", "#", "12"))
    behind = rng.choice(("", ",", ".", "!", "?!", "%", ")", ":", "3", "007", "---", "  "))
    return before + rng.choice((texts.word(rng), str(rng.randint(1, 99)), "")) + behind


def letters_walked(rng: Random) -> object:
    """An `islice` of letters with a step."""
    word = "abcdefghijklmnop"[: rng.randint(3, 16)]
    return islice(iter(word), rng.randint(0, 2), rng.choice((None, rng.randint(3, 9))), rng.randint(1, 4))


def rows_walked(rng: Random) -> object:
    """An `enumerate` over a zip of rows."""
    rows = [[rng.randint(0, 9) for _ in range(3)] for _ in range(rng.randint(2, 4))]
    return enumerate(zip(*rows, strict=False), rng.choice((0, 0, 1)))


def word_rows(rng: Random) -> object:
    rows = [[texts.word(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(2, 4))]
    return tuple(rows) if rng.random() < 0.5 else rows


def mixed_point(rng: Random) -> tuple[object, ...]:
    """A point of whole numbers and floats."""
    return tuple(rng.choice((rng.randint(0, 4), float(rng.randint(0, 4)), 0, 0.0)) for _ in range(2))


def whole_point(rng: Random) -> tuple[int, int]:
    return rng.randint(-6, 12), rng.randint(-6, 12)


def point_beside(rng: Random, point: object) -> tuple[int, int]:
    """A point at a whole distance from the first, mostly."""
    x, y = point if isinstance(point, tuple) and len(point) == 2 else (0, 0)
    a, b = rng.choice(((3, 4), (4, 3), (5, 12), (0, 7), (6, 8), (4, 0), (0, 3), (8, 6), (1, 1), (0, 0)))
    return x + rng.choice((-a, a)), y + rng.choice((-b, b))


def general_form(rng: Random) -> str:
    return rng.choice(("g", "g", "g", ".3g", "+d", "+", "d", "n", ".2g", ">+5", ">6"))


def any_number(rng: Random) -> object:
    return rng.choice((rng.randint(0, 999), float(rng.randint(0, 99)), rng.randint(1, 99) / 4, 1e6, 1e-5, 700, 1.0))


def few_ints(rng: Random) -> list[int]:
    return [rng.choice((0, 100, rng.randint(-9, 99))) for _ in range(rng.randint(1, 5))]


def balance(rng: Random) -> Decimal:
    """An amount with any number of places."""
    return Decimal(rng.randint(-99_999, 99_999)).scaleb(-rng.choice((0, 1, 2, 2, 3)))


def later_days(rng: Random) -> timedelta:
    return timedelta(rng.choice((rng.randint(20, 120), 60, 75, 90, 100)))


def nested_text(rng: Random) -> str:
    """Arguments as a `repr` shows them."""
    name = everyday_texts.first_name(rng)
    return rng.choice((f"name={name!r}, count=1", f"{name!r}, 3", "1, 2", f"a={name!r}", ""))

"""Values of lines that tell or arrange others: exceptions with one message, columns, bars, pairs of pairs, getters.

`KINDS` are classes of exceptions whose names do not say that they are any. Each recipe is `(rng, *values drawn before)
-> object`.
"""

import operator
import re
from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple

from cwm_agent.training.values import everyday_texts, rich_values, scalars, texts

_FIRST = (
    "Seat Book Loan Room Card Door Lamp Order Stock Train Route Token Queue Guest Plate Parcel Ticket Vault Wallet "
    "Basket Engine Signal Meter Table Robot Level Game Player Key Name Path Cell Port Rate Plan Job Task Event"
).split()
_LAST = (
    "Taken Missing Empty Full Locked Broken Unknown Refused Late Closed Lost Blocked Exceeded Denied Expired Invalid "
    "NotFound Overflow Underflow Conflict Mismatch Failure Problem Fault Violation Exception Error Warning Interrupt"
).split()
_ELSEWHERE = frozenset("Exception Warning NotFound Conflict QueueFull StockError TokenError Locked Expired".split())
"""Names that Python or another module of values has."""


def _classes(rng: Random) -> dict[str, Any]:
    names = [*_LAST, *(first + last for first in _FIRST for last in rng.sample(_LAST, 5))]
    bases = (Exception, Exception, Exception, ValueError, RuntimeError, LookupError)
    return {name: type(name, (rng.choice(bases),), {}) for name in names if name not in _ELSEWHERE}


_CLASSES = _classes(Random(18))
KINDS: Mapping[str, type] = _CLASSES


def _message(rng: Random) -> object:
    name, word = everyday_texts.first_name(rng), texts.word(rng)
    return rng.choice((
        f"{name} is with {everyday_texts.first_name(rng)}", f"no {word} here", f"{word}: {rng.randint(0, 99)}",
        f"{name} has {rng.randint(0, 9)}, needs {rng.randint(1, 99)}", f"cannot {word}", word, f"{word} {word}",
        f"{word!r} is not known", f"{rng.randint(1, 99)} > {rng.randint(1, 99)}", everyday_texts.phrase(rng), name,
        rng.randint(0, 500), "",
    ))  # fmt: skip


def brief_error(rng: Random) -> object:
    """An exception of a program with one message, seldom none or two."""
    kind = _CLASSES[rng.choice(list(_CLASSES))]
    made: object = kind(*(_message(rng) for _ in range(rng.choices((0, 1, 2), (1, 16, 1))[0])))
    return made


def brief_errors(rng: Random) -> list[object]:
    return [brief_error(rng) for _ in range(rng.randint(1, 3))]


def bar(rng: Random) -> str:
    """A text of one mark, as rules and bars are."""
    count: int = rng.choice((0, 1, 2, *range(1, 41)))
    return rng.choice("-=*#.#_ |+~ ") * count


def bar_or_word(rng: Random) -> str:
    return bar(rng) if rng.random() < 0.6 else texts.word(rng)


def _pair(rng: Random) -> object:
    word = texts.word(rng)
    return rng.choice((
        (-rng.randint(1, 4), word), (-rng.randint(1, 4), (word, texts.word(rng))), ((word, texts.word(rng)), 1),
        ((word, texts.word(rng)), rng.randint(1, 9)), (word, rng.randint(0, 99)), (word, word.title(), word[:1]),
        ((rng.randint(0, 9), rng.randint(0, 9)), word), (rng.randint(0, 9), (word, rng.randint(0, 9), None)),
    ))  # fmt: skip


def pair_of_pairs(rng: Random) -> object:
    return tuple(_pair(rng) for _ in range(rng.choice((2, 2, 2, 3))))


def pairs_apart(rng: Random) -> list[object]:
    """Tuples with tuples in them."""
    return [_pair(rng) for _ in range(rng.randint(1, 7))]


def tuples_side_by_side(rng: Random) -> object:
    """A zip over two or more lists of such tuples, begun or not."""
    count = rng.randint(1, 5)
    walks = [[_pair(rng) for _ in range(count)] for _ in range(rng.choice((2, 2, 3)))]
    made = zip(*walks, strict=False)
    for _ in range(rng.randint(0, count - 1)):
        next(made)
    return made


def letters_side_by_side(rng: Random) -> object:
    words = [texts.word(rng) for _ in range(rng.randint(2, 5))]
    return zip(*words, strict=False)


def flat_pairs(rng: Random) -> list[tuple[str, object]]:
    """Keys that are almost alike with values, as flattened data has them."""
    roots = rng.sample(("users", "items", "a", "b", "page", "tags", "cfg", "row"), 2)
    tails = rng.sample(("id", "name", "tags[0]", "tags[1]", "city", "x", "y", "price"), rng.randint(1, 4))
    mark = rng.choice(("[0].", "[1].", ".", "/", "_"))
    keys = [f"{root}{mark}{tail}" for root in roots for tail in tails]
    return [(key, rng.choice((rng.randint(0, 9), texts.word(rng), [], None, True))) for key in keys]


def flat_table(rng: Random) -> dict[str, object]:
    return dict(flat_pairs(rng))


class Person(NamedTuple):
    name: str
    age: int
    city: str


def people(rng: Random) -> list[object]:
    """Rows with a name, a number and a word: named tuples, tuples or dicts."""
    rows = [
        Person(everyday_texts.first_name(rng), rng.randint(18, 60), rng.choice(("Paris", "Rome", "Oslo", "Bonn")))
        for _ in range(rng.randint(2, 5))
    ]
    kind = rng.random()
    if kind < 0.3:
        return list(rows)
    return [tuple(row) for row in rows] if kind < 0.75 else [row._asdict() for row in rows]


def person(rng: Random) -> Person:
    return Person(everyday_texts.first_name(rng), rng.randint(18, 60), rng.choice(("Paris", "Rome")))


def same_parts(rng: Random, one: object) -> object:
    """A tuple, a list or another row with the same parts, mostly; it equals the first only as a tuple."""
    parts: list[Any] = list(one) if isinstance(one, tuple) else [1, 2]
    if rng.random() < 0.4:
        parts[rng.randrange(len(parts))] = rng.choice((0, "Rome", "Zoe"))
    kind = rng.random()
    return tuple(parts) if kind < 0.6 else Person(*parts) if kind < 0.85 and len(parts) == 3 else parts


def row_getter(rng: Random, rows: list[object]) -> object:
    """A getter of one or two columns of such rows."""
    count = rng.choice((1, 1, 1, 2))
    if isinstance(rows, list) and rows and isinstance(rows[0], Person):
        return operator.attrgetter(*rng.sample(Person._fields, count))
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        return operator.itemgetter(*rng.sample(Person._fields, count))
    return operator.itemgetter(*rng.sample(range(3), count))


def month_end(rng: Random) -> date:
    """The last day of a month, or one beside it."""
    first = date(rng.randint(2019, 2030), rng.randint(1, 12), 1)
    return first - timedelta(rng.choice((1, 1, 1, 2, 3)))


def few_days(rng: Random) -> timedelta:
    return timedelta(rng.choice((1, 1, 1, 2, 3, 7, 10, 14, 30)))


def cleaning(rng: Random) -> str:
    """An expression for what is replaced or dropped in a text."""
    return rng.choice((
        r"[^\w\s-]", r"[-\s_]+", r"[^a-z ]", r"\d", r"[^a-z]", r"[^\w\s]", r"\s+", r"[aeiou]", r"[^A-Za-z]+", r"\W+",
        r"(?<!^)(?=[A-Z])", r"[,.;:!?]", r"(.)\1+", r"\b\w", r"[A-Z]", r"\s{2,}", r"[()]", r"(\d+)", r"^\s+|\s+$",
    ))  # fmt: skip


def slot_fill(rng: Random) -> str:
    return rng.choice(("", "", " ", "-", "_", "#", "*", "."))


def messy_text(rng: Random) -> str:
    """A text with marks, digits and blanks among its words."""
    words = [
        rng.choice((texts.word, everyday_texts.first_name, lambda rng: str(rng.randint(1, 400))))(rng)
        for _ in range(rng.randint(2, 7))
    ]
    joints = (" ", " ", " ", ", ", "  ", "--", "_", ": ", "! ", ". ", "   ")
    found = "".join(word + rng.choice(joints) for word in words).rstrip()
    return rng.choice((found, found, found.lower(), found.title().replace(" ", "")))


_PIECES = (
    (r"(\d+)([wdhms])", "3h15m 2d"),
    (r"[\w.]+@[\w.]+", "<{a}.{b}@{c}.org> {b}"),
    (r"(\w+)@(\w+)\.com", "{a}@{b}.com {c}"),
    (r"host(\d+)", "host1 cpu={n} host2 mem={n}"),
    (r"(\w+)=(\w+)", "{a}={n} {b}={c}"),
    (r"(\w+): (\d+)", "{a}: {n}, {b}: {n}"),
    (r"(\d+)(ms|s)\b", "{a} {n}ms {b} {n}s"),
    (r"\b[A-Z]{2,}\b", "{a} NASA {b} EU"),
    (r"#(\w+)", "{a} #{b} {c} #{a}"),
    (r"\[(\w+)\]", "[{a}] {b} [{c}]"),
    (r"(\d{4})-(\d{2})-(\d{2})", "{a} 2024-03-1{n} {b}"),
    (r"\$(\d+)\.(\d{2})", "{a} ${n}.50 {b} $3.25"),
    (r'"([^"]*)"', '{a} "{b} {c}" "{a}"'),
    (r"(?P<ip>[\d.]+) - (?P<method>[A-Z]+) (?P<path>\S+)", "10.0.{n}.9 - GET /{a}"),
    (r"(?P<key>\w+)\s*=\s*(?P<value>.+)", "{a} = {b} {c}"),
    (r"^(\w+)\s+(\d+)\s+(.*)$", "{a}  {n} {b} {c}"),
    (r"(?:Mr|Ms)\. (\w+)", "Ms. {a} and Mr. {b}"),
    (r"<(\w+)>(.*?)</\1>", "<b>{a}</b> <i>{b}</i>"),
)


def row_expression(rng: Random) -> str:
    return rng.choice(_PIECES)[0]


def row_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(row_expression(rng))


def row_text(rng: Random, expression: object) -> str:
    """A text that the expression is about, seldom one of another."""
    wanted = expression.pattern if isinstance(expression, re.Pattern) else expression
    own = [text for pattern, text in _PIECES if pattern == wanted]
    form = rng.choice(own) if own and rng.random() < 0.85 else rng.choice(_PIECES)[1]
    names = {letter: texts.word(rng) for letter in "abc"}
    return form.format(**names, n=rng.randint(1, 400))


def column_text(rng: Random) -> str:
    return rng.choice((everyday_texts.first_name, everyday_texts.full_name, texts.word))(rng)


def column_number(rng: Random) -> object:
    return rng.choice((scalars.small(rng), rng.randint(0, 5000), rich_values.short_price(rng)))

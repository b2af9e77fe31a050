"""Changes operands a little, whatever a line does with them: what was drawn to fit a line then only nearly fits it.

    re.match('\\d{4}-\\d\\d', a)    a='2024-03'    ->   a='202-403'
    b in a                        a=#1['tea', 'milk']   b='milk'   ->   b='mlik'

Tables draw operands that belong together: a text that an expression matches, a key that a dict has. Programs also meet
those that almost do. Lists, dicts, sets and deques are changed in place, so that names for one object still name one.
Other values than plain ones, amounts, days and these containers stay as they are. Each function is
`(rng, value) -> value`.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from cwm_agent.training.values import texts

_EDITS = (1, 1, 1, 2, 3)
_LONGEST_PART = 5
_SMALL = 100
"""Whole numbers below are moved by a little; of larger ones also a digit is changed."""
_LISTS, _DICTS = (list, deque), (dict, Counter, defaultdict, OrderedDict)


def disturbed(rng: Random, value: object) -> object:
    """The value with one to three small changes; the same object if it is a container."""
    for _ in range(rng.choice(_EDITS)):
        value = _changed(rng, value)
    return value


def _changed(rng: Random, value: object) -> object:
    kind = type(value)
    if kind is tuple and value:
        items = list(value)  # type: ignore[call-overload]
        _change_one(rng, items)
        return tuple(items)
    if kind in _LISTS:
        _change_items(rng, value)  # type: ignore[arg-type]
    elif kind in _DICTS:
        _change_entries(rng, value)  # type: ignore[arg-type]
    elif kind is set:
        _change_members(rng, value)  # type: ignore[arg-type]
    else:
        change = _PLAIN.get(kind)
        return value if change is None else change(rng, value)
    return value


def text(rng: Random, value: object) -> str:
    """The text with a letter or a part added, lost, repeated, exchanged or in another case."""
    assert isinstance(value, str)
    if not value:
        return texts.char(rng) if rng.random() < 0.5 else ""
    begin = rng.randrange(len(value))
    end = min(len(value), begin + rng.randint(1, _LONGEST_PART))
    before, part, behind = value[:begin], value[begin:end], value[end:]
    change = rng.choice(_TEXT_CHANGES)
    return before + change(rng, part) + behind if change else behind + before + part


_TEXT_CHANGES: tuple[Callable[[Random, str], str] | None, ...] = (
    lambda rng, part: _letter(rng, part[0]) + part[1:],
    lambda rng, part: _letter(rng, part[0]) + part,
    lambda rng, part: part[1:],
    lambda rng, part: "",
    lambda rng, part: part + part,
    lambda rng, part: part.swapcase(),
    lambda rng, part: part[::-1],
    lambda rng, part: part + " ",
    None,
)


def _letter(rng: Random, letter: str) -> str:
    """Another letter of the same sort, mostly."""
    chance = rng.random()
    if chance < 0.2:
        return texts.char(rng)
    if letter.isdigit():
        return rng.choice(texts.DIGITS)
    if letter.isalpha():
        return rng.choice(texts.UPPER if letter.isupper() else texts.LOWER)
    return rng.choice(texts.PUNCTUATION + " ")


def _whole(rng: Random, value: object) -> int:
    assert isinstance(value, int)
    chance = rng.random()
    if abs(value) < _SMALL or chance < 0.4:
        return -value if chance > 0.95 else value + rng.choice((-2, -1, -1, 1, 1, 2, 3))
    digits = str(abs(value))
    place = rng.randrange(1, len(digits))
    found = int(digits[:place] + rng.choice(texts.DIGITS) + digits[place + 1 :])
    return found if value > 0 else -found


def _real(rng: Random, value: object) -> float:
    assert isinstance(value, float)
    if value.is_integer() or rng.random() < 0.5:
        return value + rng.choice((-1, 1, 0.5, 0.25, 2))
    return round(value, rng.randint(0, 3))


def _amount(rng: Random, value: object) -> Decimal:
    """Another digit, a zero more at the end, a place less, or nothing with the same places."""
    assert isinstance(value, Decimal)
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return value  # no number, or without end
    chance, place = rng.random(), rng.randrange(len(digits))
    if chance < 0.3:
        return Decimal((sign, (*digits, 0), exponent - 1))
    if chance < 0.5 and exponent < 0:
        return Decimal((sign, digits[:-1] or (0,), exponent + 1))
    if chance < 0.6:
        return Decimal((0, (0,), exponent))
    return Decimal((sign, (*digits[:place], rng.randrange(10), *digits[place + 1 :]), exponent))


def _day(rng: Random, value: object) -> object:
    assert isinstance(value, date)
    distance = timedelta(rng.choice((-31, -7, -1, 1, 2, 28, 30, 365)))
    return value + distance if date(2, 1, 1) <= date(value.year, value.month, value.day) < date(9990, 1, 1) else value


def _span(rng: Random, value: object) -> timedelta:
    assert isinstance(value, timedelta)
    return value + rng.choice((-1, 1)) * rng.choice((timedelta(1), timedelta(0, 60), timedelta(0, 3600)))


_PLAIN: dict[type, Callable[[Random, object], object]] = {
    str: text,
    int: _whole,
    float: _real,
    bool: lambda rng, value: not value,
    Decimal: _amount,
    date: _day,
    datetime: _day,
    timedelta: _span,
    bytes: lambda rng, value: text(rng, value.decode("latin-1")).encode("latin-1", "ignore"),  # type: ignore[attr-defined]
}


def _change_one(rng: Random, items: list[object] | deque[object]) -> None:
    place = rng.randrange(len(items))
    items[place] = _changed(rng, items[place])


def _change_items(rng: Random, items: list[object] | deque[object]) -> None:
    if not items:
        return
    chance, place, other = rng.random(), rng.randrange(len(items)), rng.randrange(len(items))
    if chance < 0.5:
        items[place] = _changed(rng, items[place])
    elif chance < 0.65:
        items[place], items[other] = items[other], items[place]
    elif chance < 0.8:
        del items[place]
    elif len(items) != getattr(items, "maxlen", None):
        items.insert(place, _changed(rng, items[other]) if type(items[other]) in _PLAIN else items[other])


def _change_entries(rng: Random, entries: dict[object, object]) -> None:
    if not entries:
        return
    keys = list(entries)
    chance, key, other = rng.random(), rng.choice(keys), rng.choice(keys)
    if chance < 0.4:
        entries[key] = _changed(rng, entries[key])
    elif chance < 0.55:
        del entries[key]
    elif chance < 0.65:
        entries[key], entries[other] = entries[other], entries[key]
    elif chance < 0.8:
        entries[key] = entries.pop(key)
    else:
        entries[_changed(rng, key)] = entries[other]


def _change_members(rng: Random, members: set[object]) -> None:
    if not members:
        return
    member = rng.choice(sorted(members, key=repr))
    if rng.random() < 0.6:
        members.discard(member)
    if rng.random() < 0.6:
        members.add(_changed(rng, member))

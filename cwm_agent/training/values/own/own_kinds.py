"""Enums, named tuples, data classes and exceptions as programs define them, and values that hold members.

Frames write them by name: `KINDS` are the classes. Each recipe is `(rng, *values drawn before) -> object`.
"""

from collections import Counter, namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import make_dataclass
from enum import Enum, IntEnum
from random import Random
from typing import Any

from cwm_agent.training.values import scalars, texts

_NAMES = (
    "Color Suit Level Role Phase Size Shape Mode Weekday Kind Unit Token Grade Direction Priority Switch Rank Medal "
    "Planet Gear Channel Access Speed Outcome Season Tier Plan Action Signal Stage"
).split()
_MEMBERS = (
    "LOW HIGH OPEN CLOSED ON OFF NORTH SOUTH EAST WEST SMALL LARGE FAST SLOW FIRST SECOND THIRD IDLE BUSY READY FAILED "
    "BLUE BLACK GOLD SILVER ADMIN GUEST OWNER DRAFT SENT LOST WON SPRING SUMMER BUY SELL HOLD UP DOWN LEFT RIGHT"
).split()
_RECORDS = "Point Item Entry Row Sample Move Span Song Book Edge Score Order Person Pixel Stock City".split()
_FAILURES = (
    "InsufficientFunds OutOfStock InvalidMove ParseError NotFound EmptyStack TooLarge BadToken Overdrawn Conflict "
    "LimitReached UnknownUnit QueueFull Rejected StepError WrongState"
).split()
_OBJECTS = (
    "Book Task Account Product Employee Invoice Room Player Track Vector Car Ticket Customer Recipe Lesson Token"
).split()
_WORDS = frozenset({"name", "key", "label", "city"})
_FIELDS = "x y z name size count price score start end rank total key label left right year city".split()


def _enums(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _NAMES:
        members = rng.sample(_MEMBERS, rng.randint(2, 5))
        style = rng.random()
        values: list[object] = list(range(1, len(members) + 1))
        if style < 0.35:
            values = [member.lower() for member in members]
        elif style < 0.5:
            values = [10 * value for value in range(len(members))]
        kind: Any = IntEnum if style >= 0.35 and rng.random() < 0.35 else Enum
        found[name] = kind(name, list(zip(members, values, strict=True)))
    return found


def _records(rng: Random) -> dict[str, Any]:
    return {name: namedtuple(name, rng.sample(_FIELDS, rng.randint(2, 3))) for name in _RECORDS}


def _failures(rng: Random) -> dict[str, Any]:
    return {name: type(name, (rng.choice((Exception, Exception, ValueError)),), {}) for name in _FAILURES}


def _data_classes(rng: Random) -> dict[str, Any]:
    """Some compare by their fields' order, some are frozen."""
    found: dict[str, Any] = {}
    for name in _OBJECTS:
        fields = rng.sample((*_FIELDS, "tags", "items", "done"), rng.randint(1, 4))
        found[name] = make_dataclass(name, fields, order=rng.random() < 0.25, frozen=rng.random() < 0.25)
    return found


_ENUMS = _enums(Random(1))
_RANKED = [name for name, kind in _ENUMS.items() if issubclass(kind, IntEnum)]
_TUPLES = _records(Random(2))
_ERRORS = _failures(Random(3))
_CLASSES = _data_classes(Random(4))
KINDS: Mapping[str, type] = {**_ENUMS, **_TUPLES, **_ERRORS, **_CLASSES}


def _members(rng: Random) -> list[Enum]:
    return list(_ENUMS[rng.choice(_NAMES)])


def enum_member(rng: Random) -> Enum:
    return rng.choice(_members(rng))


def ranked_member(rng: Random) -> Enum:
    """A member of an enum whose members are numbers."""
    held: list[Enum] = list(_ENUMS[rng.choice(_RANKED)])
    return rng.choice(held)


def ranked_members(rng: Random) -> list[Enum]:
    held = list(_ENUMS[rng.choice(_RANKED)])
    return [rng.choice(held) for _ in range(rng.randint(1, 6))]


def fellow_member(rng: Random, other: object) -> object:
    """Mostly a member of the same enum."""
    return rng.choice(list(type(other))) if isinstance(other, Enum) and rng.random() < 0.9 else enum_member(rng)


def members(rng: Random) -> list[Enum]:
    held = _members(rng)
    return [rng.choice(held) for _ in range(rng.randint(1, 7))]


def member_counts(rng: Random) -> dict[Enum, int]:
    held = _members(rng)
    counts = {each: rng.randint(0, 9) for each in rng.sample(held, rng.randint(1, len(held)))}
    return Counter(counts) if rng.random() < 0.25 else counts


def member_table(rng: Random) -> dict[Enum, object]:
    """What follows each member, or a word or a list for each."""
    held = _members(rng)
    chance = rng.random()
    if chance < 0.5:
        return {each: rng.choice(held) for each in held}
    return {each: texts.word(rng) if chance < 0.8 else [scalars.small(rng)] for each in held}


def transitions(rng: Random) -> dict[tuple[object, str], object]:
    """Members by a member and a word, as the rules of a machine are written."""
    held, words = _members(rng), [texts.word(rng) for _ in range(2)]
    return {(rng.choice(held), rng.choice(words)): rng.choice(held) for _ in range(rng.randint(1, 4))}


def member_key(rng: Random, held: object) -> object:
    """Mostly a key of the dict, else one like it."""
    keys = list(held) if isinstance(held, dict) else []
    if keys and rng.random() < 0.75:
        return rng.choice(keys)
    like = keys[0] if keys else enum_member(rng)
    if isinstance(like, tuple):
        return (*[fellow_member(rng, each) for each in like[:-1]], rng.choice((like[-1], texts.word(rng))))
    return fellow_member(rng, like)


def named_record(rng: Random) -> tuple[object, ...]:
    return _filled(rng, _TUPLES[rng.choice(_RECORDS)])


def _filled(rng: Random, kind: Any) -> tuple[object, ...]:
    values = [texts.word(rng) if field in _WORDS else scalars.small(rng) for field in kind._fields]
    found: tuple[object, ...] = kind(*values)
    return found


def many_records(rng: Random) -> list[tuple[object, ...]]:
    """Five to twelve records of one kind, as a scanner or a reader gives them."""
    kind = _TUPLES[rng.choice(_RECORDS)]
    return [_filled(rng, kind) for _ in range(rng.randint(5, 12))]


def fellow_record(rng: Random, other: object) -> object:
    """A record of the same kind, often an equal one."""
    if not isinstance(other, tuple) or not hasattr(other, "_fields"):
        return named_record(rng)
    kind: Any = type(other)
    return kind(*other) if rng.random() < 0.3 else _filled(rng, kind)


def record_list(rng: Random) -> list[tuple[object, ...]]:
    kind = _TUPLES[rng.choice(_RECORDS)]
    return [_filled(rng, kind) for _ in range(rng.randint(1, 4))]


def enum_turns(rng: Random) -> Iterator[object]:
    """An iterator over members."""
    return iter(members(rng))


def own_error(rng: Random) -> object:
    """An exception of the program with a message, seldom with another value, two values or none."""
    given = rng.choices(
        ((texts.sentence(rng),), (f"{texts.word(rng)} {rng.randint(0, 99)}",), (scalars.small(rng),), (), ("a", 1)),
        (8, 5, 2, 1, 1),
    )[0]
    return _ERRORS[rng.choice(_FAILURES)](*given)


def data_object(rng: Random) -> object:
    """An object of a data class."""
    return _made(rng, _CLASSES[rng.choice(_OBJECTS)])


def _made(rng: Random, kind: Any) -> object:
    return kind(**{field: _field(rng, field) for field in kind.__dataclass_fields__})


def _field(rng: Random, name: str) -> object:
    if name in _WORDS:
        return texts.word(rng)
    if name in ("tags", "items"):
        return [texts.word(rng) for _ in range(rng.randint(0, 2))]
    if name == "done":
        return rng.random() < 0.5
    return round(rng.uniform(0, 50), 2) if name == "price" else scalars.small(rng)


def fellow_object(rng: Random, other: object) -> object:
    """Mostly an object of the same class, often an equal one."""
    kind: Any = type(other)
    if type(other).__name__ not in _CLASSES or rng.random() < 0.08:
        return data_object(rng)
    if rng.random() < 0.5:
        return kind(**{name: _again(getattr(other, name)) for name in kind.__dataclass_fields__})
    return _made(rng, kind)


def _again(value: object) -> object:
    return list(value) if isinstance(value, list) else value


def data_objects(rng: Random) -> list[object]:
    kind = _CLASSES[rng.choice(_OBJECTS)]
    return [_made(rng, kind) for _ in range(rng.randint(1, 3))]


def holder(rng: Random) -> object:
    """An object with another, or a list of others, in one of its fields."""
    found: Any = _CLASSES[rng.choice(_OBJECTS)]
    values = {field: _field(rng, field) for field in found.__dataclass_fields__}
    values[rng.choice(list(values))] = data_object(rng) if rng.random() < 0.5 else data_objects(rng)
    made: object = found(**values)
    return made

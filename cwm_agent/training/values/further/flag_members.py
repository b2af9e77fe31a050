"""Members of own flags, of enums of texts and numbers, and combinations of flags; `KINDS` are the classes.

A frame writes a combination with the names in it, `Permission('READ|WRITE', 3)`. Each recipe is `(rng, *values drawn
before) -> member`.
"""

from collections.abc import Mapping
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from random import Random
from typing import Any

_FLAGS = (
    "Permission Perm Rights Feature Option Style Toppings Days Weekdays Capability Caps Modifier Features Privilege "
    "FileMode AccessMode Hobby Skill Skills Effects Buff Condition Ability Scopes Roles RenderFlag Flags Opts Bits "
    "Tags Genre Allergen Traits Powers Keys Buttons TextStyle Layer"
).split()
_BITS = (
    "READ WRITE EXECUTE DELETE CREATE UPDATE ADMIN SHARE BOLD ITALIC UNDERLINE STRIKE MON TUE WED THU FRI SAT SUN A B "
    "C D X Y Z R W E CHEESE OLIVES HAM NUTS MILK EGG SOY LOG CACHE DEBUG TRACE SHIFT CTRL ALT FLY SWIM RUN CLIMB "
    "HIDDEN LOCKED DIRTY ACTIVE RED GREEN BLUE LEFT RIGHT JUMP FIRE ICE"
).split()
_ENUMS = (
    "Severity HttpStatus OrderStatus Colour Currency Light TrafficLight Operation Op Command TokenType Cmd Key Month "
    "Fruit Animal Difficulty LogLevel JobState Turn Mood Tone Method Compass Drink Sport Bracket Verdict Quality "
    "Ticker Wind Spell Class_ Temper"
).split()
_MEMBERS = (
    "LOW MEDIUM HIGH CRITICAL TODO DOING DONE RED YELLOW GREEN HEARTS SPADES CLUBS ACE KING QUEEN JACK PENDING PAID "
    "SHIPPED CANCELLED IDLE RUNNING STOPPED NUMBER PLUS MINUS STAR OK NOT_FOUND ERROR WARNING INFO DEBUG SMALL LARGE "
    "NORTH SOUTH EUR USD KG METER CIRCLE SQUARE START END WAITING IN_PROGRESS"
).split()


def _flag_classes(rng: Random) -> dict[str, Any]:
    """Some have a name for all flags together, some one for none."""
    found: dict[str, Any] = {}
    for name in _FLAGS:
        bits = rng.sample(_BITS, rng.randint(2, 5))
        members: list[tuple[str, int]] = [(bit, 1 << place) for place, bit in enumerate(bits)]
        if rng.random() < 0.25:
            members.append(("ALL", 2 ** len(bits) - 1))
        if rng.random() < 0.2:
            members.insert(0, ("NONE", 0))
        kind: Any = IntFlag if rng.random() < 0.2 else Flag
        found[name] = kind(name, members)
    return found


def _enum_classes(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _ENUMS:
        members = rng.sample(_MEMBERS, rng.randint(2, 5))
        kind, values = rng.choice(_FORMS)
        found[name] = kind(name, [(member, values(place, member)) for place, member in enumerate(members)])
    return found


_FORMS: tuple[tuple[Any, Any], ...] = (
    *(((Enum, lambda place, name: place + 1),) * 5),
    *(((Enum, lambda place, name: name.lower()),) * 4),
    (Enum, lambda place, name: name[0]),
    (Enum, lambda place, name: (place, name.lower())),
    (Enum, lambda place, name: place * 0.5),
    *(((IntEnum, lambda place, name: place + 1),) * 2),
    (IntEnum, lambda place, name: place * 10),
    (IntEnum, lambda place, name: 100 + 50 * place),
    (StrEnum, lambda place, name: name.lower()),
)
_FLAG_CLASSES = _flag_classes(Random(11))
_ENUM_CLASSES = _enum_classes(Random(12))
_NUMBERED = [name for name, kind in _ENUM_CLASSES.items() if issubclass(kind, IntEnum)]
KINDS: Mapping[str, type] = {**_FLAG_CLASSES, **_ENUM_CLASSES}


def flag_kind(rng: Random) -> Any:
    return _FLAG_CLASSES[rng.choice(_FLAGS)]


def _combined(rng: Random, kind: Any) -> Any:
    """One flag, several of them, all, or none."""
    chance = rng.random()
    single = [each for each in kind if each.value]
    if chance < 0.1:
        return kind(0)
    if chance < 0.2:
        return kind(2 ** len(single) - 1)
    made = kind(0)
    for each in rng.sample(single, 1 if chance < 0.6 else rng.randint(1, len(single))):
        made |= each
    return made


def flag_value(rng: Random) -> object:
    found: object = _combined(rng, flag_kind(rng))
    return found


def single_flag(rng: Random) -> object:
    found: object = rng.choice([each for each in flag_kind(rng) if each.value])
    return found


def number_flag(rng: Random) -> object:
    """Flags of a class whose flags are numbers."""
    numbers = [kind for kind in _FLAG_CLASSES.values() if issubclass(kind, IntFlag)]
    found: object = _combined(rng, rng.choice(numbers))
    return found


def fellow_flag(rng: Random, other: object) -> object:
    """Flags of the same class; often one of those that the other has."""
    if not isinstance(other, Flag):
        return flag_value(rng)
    parts = list(other)
    found: object = rng.choice(parts) if parts and rng.random() < 0.3 else _combined(rng, type(other))
    return found


def flag_table(rng: Random) -> dict[object, object]:
    """Flags by names, as the rights of users are kept."""
    kind = flag_kind(rng)
    names = rng.sample("alice bob carol dave eve root guest ann tom admin".split(), rng.randint(1, 4))
    return {name: _combined(rng, kind) for name in names}


def flag_counts(rng: Random) -> dict[object, object]:
    kind = flag_kind(rng)
    return {_combined(rng, kind): rng.randint(0, 9) for _ in range(rng.randint(1, 3))}


def flag_list(rng: Random) -> list[object]:
    kind = flag_kind(rng)
    return [_combined(rng, kind) for _ in range(rng.randint(1, 4))]


def table_flag(rng: Random, held: object) -> object:
    """A value like those of the table, often one of them."""
    values = list(held.values()) if isinstance(held, dict) else list(held) if isinstance(held, list) else []
    return rng.choice(values) if values and rng.random() < 0.4 else fellow_flag(rng, values[0] if values else None)


def plain_member(rng: Random) -> Enum:
    """A member of an enum of numbers, letters, words or pairs."""
    found: Enum = rng.choice(list(_ENUM_CLASSES[rng.choice(list(_ENUM_CLASSES))]))
    return found


def numbered_member(rng: Random) -> Enum:
    """A member of an enum whose members are numbers."""
    found: Enum = rng.choice(list(_ENUM_CLASSES[rng.choice(_NUMBERED)]))
    return found


def like_member(rng: Random, other: object) -> object:
    return rng.choice(list(type(other))) if isinstance(other, Enum) and rng.random() < 0.95 else plain_member(rng)


def numbered_members(rng: Random) -> list[Enum]:
    held: list[Enum] = list(_ENUM_CLASSES[rng.choice(_NUMBERED)])
    return [rng.choice(held) for _ in range(rng.randint(1, 5))]


def member_words(rng: Random) -> dict[Enum, str]:
    held: list[Enum] = list(_ENUM_CLASSES[rng.choice(list(_ENUM_CLASSES))])
    return {each: each.name.title() for each in rng.sample(held, rng.randint(1, len(held)))}


def words_member(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict) else []
    return rng.choice(keys) if keys and rng.random() < 0.8 else like_member(rng, keys[0] if keys else None)


def plain_members(rng: Random) -> list[Enum]:
    held: list[Enum] = list(_ENUM_CLASSES[rng.choice(list(_ENUM_CLASSES))])
    return [rng.choice(held) for _ in range(rng.randint(1, 4))]

"""Data classes within data classes, their twins that are equal or nearly so, and errors with fields.

The texts in them have quotes, so that the quotes of `repr` follow from all of it. `KINDS` are the classes. Each recipe
is `(rng, *values drawn before) -> object`.
"""

import copy
from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

_PARTS = (
    "LineItem Slot Address Leg Line Cell Tag Ingredient Vertex Booking Reading Visit Goal Sale Message Segment Coin "
    "Dose Exam Seat Stop Rule Step Note Pos Interval"
).split()
_WHOLES = (
    "Trip Hotel Garden Menu Library Bill Profile Contact Course Team League Report Budget Train Theater Clinic School "
    "Album Journey Chart Project Schedule Family Company"
).split()
_FAILURES = "OutOfRange BadRow PaymentFailed LimitError MissingKey SyntaxProblem AccessDenied StockError".split()
_NUMBERS = "start end x y quantity size row col amount year points minutes".split()
_TEXTS = "name city title kind author zip_code street".split()
_INNER = "items notes address lines owner tags parts best".split()


def _quoting(rng: Random) -> str:
    """A word or a phrase, sometimes with an apostrophe, quotes or both."""
    word = texts.word(rng)
    return rng.choice(
        (
            *(word, word, word, everyday_texts.first_name(rng), f"{word}'s", f"don't {word}", f'"{word}"'),
            *(f'it\'s "{word}"', everyday_texts.phrase(rng), f"line {rng.randint(1, 9)}: {word}", ""),
        )
    )


def _classes(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _PARTS:
        numbers = rng.sample(_NUMBERS, rng.randint(1, 2))
        chosen = [*rng.sample(_TEXTS, rng.choice((0, 1, 1))), *numbers, *["price"][: rng.random() < 0.3]]
        found[name] = make_dataclass(name, chosen, order=rng.random() < 0.2)
    for name in _WHOLES:
        chosen = [*rng.sample(_TEXTS, 1), *rng.sample(_NUMBERS, rng.randint(0, 1))]
        found[name] = make_dataclass(name, [*chosen, *rng.sample(_INNER, rng.randint(1, 2))])
    return found


def _with_values(self: Any, message: str, **values: object) -> None:
    Exception.__init__(self, message)
    for name, value in values.items():
        setattr(self, name, value)


_CLASSES = _classes(Random(6))
_ERRORS: dict[str, Any] = {name: type(name, (Exception,), {"__init__": _with_values}) for name in _FAILURES}
KINDS: Mapping[str, type] = {**_CLASSES, **_ERRORS}


def _part(rng: Random, kind: Any) -> object:
    values: dict[str, object] = {}
    for field in fields(kind):
        low, high = rng.choice(((0, 9), (0, 9), (5, 60), (0, 2000)))
        number = rng.randint(low, high) if field.name != "price" else rng.randint(1, 400) / 4
        values[field.name] = _quoting(rng) if field.name in _TEXTS else number
    made: object = kind(**values)
    return made


def own_part(rng: Random) -> object:
    return _part(rng, _CLASSES[rng.choice(_PARTS)])


def own_parts(rng: Random) -> object:
    """Parts of one class in a list, a tuple or a dict."""
    kind = _CLASSES[rng.choice(_PARTS)]
    made = [_part(rng, kind) for _ in range(rng.choice((0, 1, 2, 2, 3)))]
    return rng.choice((made, made, made, tuple(made), {texts.word(rng): each for each in made}))


def part_list(rng: Random) -> list[object]:
    """Parts of one class, some of them equal."""
    kind = _CLASSES[rng.choice(_PARTS)]
    made = [_part(rng, kind) for _ in range(rng.randint(1, 4))]
    return [*made, copy.copy(made[0])] if rng.random() < 0.2 else made


def own_whole(rng: Random) -> object:
    """An object with others, or with a list or a dict, in its fields."""
    kind: Any = _CLASSES[rng.choice(_WHOLES)]
    values: dict[str, object] = {}
    for field in fields(kind):
        if field.name in _INNER:
            part = _CLASSES[rng.choice(_PARTS)]
            values[field.name] = rng.choice(
                (
                    lambda: _part(rng, part),  # noqa: B023
                    lambda: _part(rng, part),  # noqa: B023
                    lambda: [_part(rng, part) for _ in range(rng.randint(0, 2))],  # noqa: B023
                    lambda: [_quoting(rng) for _ in range(rng.randint(0, 2))],
                    lambda: {texts.word(rng): scalars.small(rng) for _ in range(rng.randint(0, 2))},
                    lambda: None,
                )
            )()
        else:
            values[field.name] = _quoting(rng) if field.name in _TEXTS else scalars.small(rng)
    made: object = kind(**values)
    return made


def own_nested(rng: Random) -> object:
    """A part, an object with parts, or parts in a container."""
    return rng.choice((own_part, own_whole, own_whole, own_parts, part_list))(rng)


def twin(rng: Random, other: object) -> object:
    """A copy of all of it, half of the time with one change in one place."""
    found = copy.deepcopy(other)
    return found if rng.random() < 0.5 else _changed(rng, found)


def _changed(rng: Random, value: Any) -> Any:
    """The value with one thing in it changed."""
    if type(value).__name__ in _CLASSES:
        name = rng.choice(fields(value)).name
        setattr(value, name, _changed(rng, getattr(value, name)))
        return value
    if isinstance(value, list | tuple) and value:
        place, items = rng.randrange(len(value)), list(value)
        items[place] = _changed(rng, items[place])
        items = items[:-1] if rng.random() < 0.1 else items[::-1] if rng.random() < 0.1 else items
        return type(value)(items)
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return {**value, key: _changed(rng, value[key])}
    if isinstance(value, int | float):
        return value + rng.choice((1, -1, 10))
    return value[:-1] if isinstance(value, str) and value else texts.word(rng)


def twin_of(rng: Random, held: object) -> object:
    """Mostly an object equal to one of the list, or nearly so."""
    items = list(held) if isinstance(held, list) else []
    return twin(rng, rng.choice(items)) if items and rng.random() < 0.9 else own_part(rng)


def equal_of(rng: Random, held: object) -> object:
    """An object equal to one of the list, seldom another."""
    items = list(held) if isinstance(held, list) else []
    return copy.deepcopy(rng.choice(items)) if items and rng.random() < 0.9 else own_part(rng)


def telling_error(rng: Random) -> object:
    """An error with a message and fields of its own."""
    names = rng.sample(("needed", "value", "row", "context", "code", "key"), rng.randint(1, 2))
    values = (rng.randint(0, 99), rng.randint(0, 400) / 4, texts.word(rng), {texts.word(rng): rng.randint(0, 9)}, None)
    message = rng.choice(
        (everyday_texts.phrase(rng), f"need {rng.randint(0, 99)}.{rng.randint(0, 99):02d} more", _quoting(rng))
    )
    made: object = _ERRORS[rng.choice(_FAILURES)](message, **{name: rng.choice(values) for name in names})
    return made

"""Data classes that can be ordered, and frozen ones that can be keys and items of sets; `KINDS` are the classes.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import heapq
from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts

_ORDERED = (
    "Job Event Candidate Version Card Bid Process Alert Package Flight Athlete Release "
    "Deadline Offer Appointment Reminder Prio Work TaskItem QueueItem Weight Measurement Runner Swimmer"
).split()
_FROZEN = (
    "Coord Position Polynomial Money Loc Tile Term Fact Literal Symbol Rgb Arc "
    "Email Isbn Mod Dimension Temperature Signature Location Hex Vec2 Vec3"
).split()
_NUMBERS = "priority cost rank level weight time major minor score points size age x y row col amount".split()
_TEXTS = "name title task label color unit kind suit".split()


def _ordered_classes(rng: Random) -> dict[str, Any]:
    """A number first, as what is ordered mostly has; then a name and perhaps a mark."""
    found: dict[str, Any] = {}
    for name in _ORDERED:
        chosen = [rng.choice(_NUMBERS), *rng.sample(_TEXTS, rng.choice((0, 1, 1, 1)))]
        chosen += ["done"] if rng.random() < 0.25 else []
        if rng.random() < 0.2:
            chosen.insert(1, rng.choice([each for each in _NUMBERS if each not in chosen]))
        found[name] = make_dataclass(name, chosen, order=True)
    return found


def _frozen_classes(rng: Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _FROZEN:
        chosen = rng.sample(_NUMBERS, rng.randint(1, 2)) + rng.sample(_TEXTS, rng.choice((0, 0, 1)))
        chosen = ["coefficients"] if rng.random() < 0.15 else chosen
        found[name] = make_dataclass(name, chosen, frozen=True)
    return found


_ORDERED_CLASSES = _ordered_classes(Random(15))
_FROZEN_CLASSES = _frozen_classes(Random(16))
KINDS: Mapping[str, type] = {**_ORDERED_CLASSES, **_FROZEN_CLASSES}


def _value(rng: Random, name: str, most: int) -> object:
    if name in _TEXTS:
        return rng.choice((texts.word, everyday_texts.first_name))(rng)
    if name == "coefficients":
        return tuple(rng.randint(-3, 5) for _ in range(rng.randint(1, 4)))
    return rng.random() < 0.3 if name == "done" else rng.randint(0, most)


def _made(rng: Random, kind: Any) -> Any:
    most = rng.choice((3, 9, 9, 60))
    return kind(**{field.name: _value(rng, field.name, most) for field in fields(kind)})


def ranked_object(rng: Random) -> object:
    """An object of a class that can be ordered."""
    found: object = _made(rng, _ORDERED_CLASSES[rng.choice(list(_ORDERED_CLASSES))])
    return found


def ranked_objects(rng: Random) -> list[object]:
    kind = _ORDERED_CLASSES[rng.choice(list(_ORDERED_CLASSES))]
    return [_made(rng, kind) for _ in range(rng.randint(1, 5))]


def object_heap(rng: Random) -> list[object]:
    """Such objects in the order of a heap."""
    found: list[Any] = ranked_objects(rng)
    heapq.heapify(found)
    return found


def ranked_fellow(rng: Random, held: object) -> object:
    """An object of the same class, often with the same first field."""
    one: Any = held[0] if isinstance(held, list) and held else held
    if type(one).__name__ not in _ORDERED_CLASSES:
        return ranked_object(rng)
    made = _made(rng, type(one))
    if rng.random() < 0.3:
        name = fields(made)[0].name
        setattr(made, name, getattr(one, name))
    found: object = made
    return found


def frozen_object(rng: Random) -> object:
    found: object = _made(rng, _FROZEN_CLASSES[rng.choice(list(_FROZEN_CLASSES))])
    return found


def frozen_fellow(rng: Random, other: object) -> object:
    """An object of the same class, often an equal one."""
    if type(other).__name__ not in _FROZEN_CLASSES:
        return frozen_object(rng)
    kind: Any = type(other)
    if rng.random() < 0.45:
        return kind(**{field.name: getattr(other, field.name) for field in fields(kind)})
    found: object = _made(rng, kind)
    return found


def frozen_list(rng: Random) -> list[object]:
    """Frozen objects of one class, some of them equal."""
    first = frozen_object(rng)
    return [first, *(frozen_fellow(rng, first) for _ in range(rng.randint(0, 3)))]


def frozen_counts(rng: Random) -> dict[object, object]:
    """Numbers or words by frozen objects."""
    item = rng.choice((scalars.small, texts.word))
    return {each: item(rng) for each in frozen_list(rng)}


def frozen_key(rng: Random, held: object) -> object:
    keys = list(held) if isinstance(held, dict | list) else []
    return frozen_fellow(rng, rng.choice(keys)) if keys else frozen_object(rng)


def set_of(_: Random, held: object) -> set[object]:
    return set(held) if isinstance(held, list) else set()


def push_function(_: Random) -> object:
    return heapq.heappush


def pop_function(_: Random) -> object:
    return heapq.heappop


def class_field(rng: Random) -> object:
    """A field of a data class, as `fields` gives it."""
    found: object = rng.choice(fields(KINDS[rng.choice(list(KINDS))]))
    return found


def frozen_held(rng: Random, held: object) -> object:
    """Mostly an object equal to a key of the dict."""
    keys: list[Any] = list(held) if isinstance(held, dict) else []
    one = rng.choice(keys) if keys else frozen_object(rng)
    kind: Any = type(one)
    if rng.random() < 0.1 or kind.__name__ not in _FROZEN_CLASSES:
        return frozen_fellow(rng, one)
    found: object = kind(**{field.name: getattr(one, field.name) for field in fields(kind)})
    return found

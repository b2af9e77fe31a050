"""Operands similar to another one: equal, nearly equal, of the same or a related type; they make comparisons hard.

Each recipe is `(rng, value) -> object`.
"""

from random import Random

from cwm_agent.training.values import containers, iterators, scalars, texts
from cwm_agent.training.values.scalars import Recipe


def near(rng: Random, value: object) -> object:
    """Equal, or different in one place; sometimes another value of the same type."""
    chance = rng.random()
    if chance < 0.35:
        return copied(rng, value)
    if chance > 0.85:
        return alike(rng, value)
    return _changed(rng, value)


def copied(_: Random, value: object) -> object:
    """An equal value that is another object, if it is mutable."""
    return value.copy() if isinstance(value, list | dict | set) else value


def _changed(rng: Random, value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + rng.choice((-1, 1, 1, -2, 2, 10, -10))
    if isinstance(value, str):
        return _edited(rng, value)
    if isinstance(value, list | tuple):
        return tuple(_replaced(rng, list(value))) if isinstance(value, tuple) else _replaced(rng, list(value))
    if isinstance(value, set):
        return {item for item in sorted(value, key=repr) if rng.random() < 0.8} | (
            {rng.randint(0, 9)} if rng.random() < 0.3 else set()
        )
    if isinstance(value, dict):
        return {
            key: item if rng.random() < 0.7 else near(rng, item) for key, item in value.items() if rng.random() < 0.9
        }
    return value


def _edited(rng: Random, text: str) -> str:
    place = rng.randint(0, len(text))
    chance = rng.random()
    if chance < 0.3:
        return text[:place] + texts.char(rng) + text[place:]
    if chance < 0.6:
        return text[:place] + text[place + 1 :]
    if chance < 0.75:
        return text.swapcase()
    return text[:place] + texts.char(rng) + text[place + 1 :]


def _replaced(rng: Random, items: list[object]) -> list[object]:
    if not items or rng.random() < 0.25:
        return [*items, alike(rng, items[0] if items else 0)] if rng.random() < 0.5 else items[:-1]
    place = rng.randrange(len(items))
    items[place] = _changed(rng, items[place])
    return items


_ALIKE: tuple[tuple[type, Recipe], ...] = (
    (bool, scalars.boolean),
    (int, scalars.integer),
    (float, scalars.real),
    (tuple, containers.group),
    (set, containers.distinct),
    (dict, containers.mapping),
)


def alike(rng: Random, value: object) -> object:
    """Another value of the same type; for a list, one with items of the same type."""
    if isinstance(value, str):
        return texts.char(rng) if len(value) == 1 else texts.word(rng)
    if isinstance(value, list):
        return [alike(rng, value[0]) for _ in range(scalars.size(rng))] if value else containers.flat(rng)
    return next((recipe for kind, recipe in _ALIKE if isinstance(value, kind)), scalars.scalar)(rng)


def related(rng: Random, value: object) -> object:
    """A value of a related type, which many operations also accept."""
    if isinstance(value, bool | float):
        return rng.choice((scalars.integer, scalars.real, scalars.boolean))(rng)
    if isinstance(value, int):
        return rng.choice((scalars.boolean, scalars.real, lambda _: float(value)))(rng)
    if isinstance(value, str):
        return list(value) if rng.random() < 0.3 else texts.text(rng)
    if isinstance(value, list):
        return (
            tuple(value)
            if rng.random() < 0.4
            else rng.choice((containers.array, containers.array, iterators.walkable))(rng)
        )
    if isinstance(value, tuple):
        return list(value) if rng.random() < 0.5 else containers.group(rng)
    if isinstance(value, dict):
        return rng.choice(
            (
                containers.mapping,
                containers.default_dict,
                containers.counter,
                containers.ordered,
                containers.lists_by_key,
            )
        )(rng)
    return (
        rng.choice((containers.mapping, containers.array, containers.group))(rng) if isinstance(value, set) else value
    )


def same(rng: Random, value: object) -> object:
    """A value of the same type, similar or not: for concatenation and comparison."""
    return near(rng, value) if rng.random() < 0.3 else alike(rng, value)


def another(rng: Random, value: object) -> object:
    """A list like this one, for `extend` and concatenation."""
    return alike(rng, value)


def as_int(rng: Random, value: float) -> int:
    """The integer equal to a whole float, or the next one."""
    return int(value) + (rng.random() < 0.4)

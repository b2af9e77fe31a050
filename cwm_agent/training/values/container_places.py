"""Operands that fit a container: an item or key in it, an index, the bounds of a slice.

Each recipe is `(rng, *values) -> object` over operands drawn before it; most results are in the container, some not.
"""

from collections.abc import Mapping, Sequence
from random import Random

from cwm_agent.training.values import containers, scalars
from cwm_agent.training.values.similar_values import alike, near


def _items(value: object) -> Sequence[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return sorted(value, key=repr) if isinstance(value, set) else list(value)  # type: ignore[call-overload]


def item(rng: Random, holder: object) -> object:
    """Mostly one of the items."""
    held = _items(holder)
    return rng.choice(held) if held and rng.random() < 0.9 else fresh(rng, holder)


def member(rng: Random, holder: object) -> object:
    """One of the items, or a key of a dict, half of the time."""
    held = list(holder) if isinstance(holder, Mapping) else _items(holder)
    return rng.choice(held) if held and rng.random() < 0.55 else fresh(rng, holder)


def fresh(rng: Random, holder: object) -> object:
    """A value of the same type as the items, which may be new."""
    held = list(holder) if isinstance(holder, Mapping) else _items(holder)
    if not held or rng.random() < 0.04:
        return scalars.scalar(rng)
    return near(rng, held[-1]) if rng.random() < 0.2 else alike(rng, held[0])


def hashable(rng: Random, holder: object) -> object:
    """A value of the same type that is hashable."""
    return _frozen(fresh(rng, holder))


def _frozen(value: object) -> object:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return str(value) if isinstance(value, dict | set) else value


def key(rng: Random, mapping: Mapping[object, object]) -> object:
    """Mostly an existing key."""
    return rng.choice(list(mapping)) if mapping and rng.random() < 0.93 else fresh(rng, mapping)


def any_key(rng: Random, mapping: Mapping[object, object]) -> object:
    """An existing key half of the time."""
    return rng.choice(list(mapping)) if mapping and rng.random() < 0.5 else fresh(rng, mapping)


def value_of(rng: Random, mapping: Mapping[object, object]) -> object:
    """A value of the dict, so that storing it may change nothing."""
    return rng.choice(list(mapping.values())) if mapping else 0


def stored(rng: Random, mapping: Mapping[object, object]) -> object:
    """A value like those of the dict."""
    held = list(mapping.values())
    return alike(rng, held[0]) if held and rng.random() < 0.85 else scalars.scalar(rng)


def near_item(rng: Random, holder: Sequence[object]) -> object:
    """An existing item, or one that differs from it in one place."""
    return near(rng, rng.choice(holder)) if holder else scalars.scalar(rng)


def place(rng: Random, holder: Sequence[object]) -> int:
    """A valid index, sometimes negative, sometimes out of range."""
    length = len(holder)
    chance = rng.random()
    if not length or chance < 0.025:
        return rng.choice((length, length + 1, -length - 1, 0))
    if chance < 0.2:
        return rng.choice((0, -1, length - 1))
    return rng.randrange(length) if chance < 0.85 else -rng.randint(1, length)


def cut(rng: Random, holder: Sequence[object]) -> int:
    """A bound of a slice: inside, at the ends, negative or out of range."""
    length = len(holder)
    chance = rng.random()
    if chance < 0.7:
        return rng.randint(0, min(length, 9) if rng.random() < 0.5 else length)
    return rng.choice(
        (-1, -1, -2, 0, 1, length, length + 2, length - 1, -length, -length - 1, -rng.randint(1, length + 1))
    )


def cut_after(rng: Random, holder: Sequence[object], start: int) -> int:
    """The end of a slice, mostly behind its start."""
    if 0 <= start < len(holder) and rng.random() < 0.7:
        return start + rng.choice((1, 1, 2, 3, rng.randint(0, len(holder))))
    return cut(rng, holder)


def stride(rng: Random) -> int:
    return rng.choice((-1, -1, -1, 2, 2, 3, -2, -3, 1, 4, 10))


def times(rng: Random) -> int:
    return rng.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, -1))


def multiple(rng: Random, divisor: object) -> object:
    """A multiple of the divisor half of the time."""
    if not isinstance(divisor, int) or not divisor or rng.random() < 0.55:
        return scalars.integer(rng)
    return divisor * rng.randint(-3 if rng.random() < 0.2 else 0, 30)


def sorted_ints(rng: Random) -> list[object]:
    return sorted(containers.ints(rng))  # type: ignore[type-var]


def code_point(rng: Random) -> int:
    chance = rng.random()
    if chance < 0.75:
        return rng.randint(97, 122) if chance < 0.5 else rng.randint(48, 90)
    return rng.randint(32, 126) if chance < 0.92 else rng.randint(0, 1500)


def every(rng: Random, items: Sequence[object], step: object) -> list[object]:
    """Mostly as many items as an extended slice has positions."""
    count = len(items[::step]) if isinstance(step, int) and step else 0
    return [alike(rng, items[0]) if items else 0 for _ in range(count if rng.random() < 0.93 else count + 1)]


def keys_of(rng: Random, mapping: Mapping[object, object]) -> list[object]:
    found = list(mapping)
    rng.shuffle(found)
    return found

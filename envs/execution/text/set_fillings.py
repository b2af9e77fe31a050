"""Sets made again of the same items in different ways, as different histories leave them.

Where a line answers alike over many of them, its answer does not depend on the order of a set. Knows nothing of frames.
"""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class SetFilling:
    """A way to fill a set. Python goes through a set in the order of its table, which the way decides."""

    order: int = 0
    """0 adds the items forwards, 1 backwards, any other number in an order of its own."""
    room: int = 0
    """The size of the table, as a multiple of the smallest that holds the items; 0 is what adding one by one gives."""
    lost: bool = False
    """Others stood in the places of items and are gone."""
    changed: bool = False
    """Some items were taken out and came back."""


FORWARDS = SetFilling()
BACKWARDS = SetFilling(order=1)
SHUFFLED = tuple(SetFilling(order) for order in range(2, 6))
JOINED = tuple(SetFilling(order, room) for room in (1, 2, 4, 8) for order in (0, 1 + room))
"""Items that came all at once leave the table other room than single ones."""
EMPTIED = (
    *(SetFilling(0, room) for room in (32, 256)),
    *(SetFilling(2 + room + again, room, lost=True) for room in (1, 2, 4, 8) for again in range(2)),
)
"""Others are gone."""
CHANGED = tuple(SetFilling(2 + room + again, room, changed=True) for room in (1, 2, 4, 8, 32) for again in range(3))


class _Gone:
    """An item that is removed again; it stands where any value of this hash would stand."""

    __slots__ = ("_hash",)

    def __init__(self, hashed: int) -> None:
        self._hash = hashed

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other


def filled_set(items: list[object], way: SetFilling) -> set[object]:
    """The set of some items, filled in that way."""
    ordered = _ordered(items, way.order)
    if not way.room:
        return set(ordered)
    size = _smallest_table(len(items)) * way.room
    made = _with_table(ordered, size)
    if way.changed:
        _exchange(made, list(made), Random(way.order))
    if way.lost:  # small numbers stand at their own places, unless a greater one came before them
        _exchange(made, [item for item in ordered if not 0 <= hash(item) < size], Random(way.order))
    return made


def filled_frozenset(items: list[object], way: SetFilling) -> frozenset[object]:
    """The same that cannot change: made of the items one by one, of a set, or of two parts."""
    ordered = _ordered(items, way.order)
    if way.room <= 1:
        return frozenset(filled_set(items, way) if way.room else ordered)
    if way.room == 2:
        return frozenset(ordered[: len(ordered) // 2]).union(ordered)
    return frozenset(ordered if way.room > 4 else ordered[: len(ordered) // 2]).union(set(ordered))


def _ordered(items: list[object], order: int) -> list[object]:
    if order > 1:
        items = items.copy()
        Random(order).shuffle(items)
    return items[::-1] if order == 1 else items


def _smallest_table(count: int) -> int:
    """The size of the smallest table in which Python keeps so many items."""
    size = 8
    while count * 5 >= (size - 1) * 3:
        size *= 2
    return size


def _with_table(items: list[object], size: int) -> set[object]:
    """A set with a table of that size: Python makes it when half as many items come at once."""
    if size == 8:
        return set(items)
    first = items[: size // 2 - 1]
    taken = {hash(item) % size for item in first}
    free = (place for place in range(size) if place not in taken)
    gone = [_Gone(next(free)) for _ in range(size // 2 - 1 - len(first))]
    made = set[object]().union({*first, *gone})
    made.difference_update(gone)
    made.update(iter(items[len(first) :]))
    return made


def _exchange(made: set[object], items: list[object], rng: Random) -> None:
    """Take some of the items out and put them back, where others stood in their places meanwhile."""
    if not items:
        return
    taken = rng.sample(items, rng.randint(1, len(items)))
    made.difference_update(taken)
    gone = [_Gone(hash(item)) for item in taken if rng.random() < 0.5]
    made.update(iter(gone))
    made.update(iter(taken))
    made.difference_update(gone)
    made.add(made.pop())

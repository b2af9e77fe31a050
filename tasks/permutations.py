"""Exact distances of arrangements, and uniform sampling of arrangements at a distance.

With adjacent swaps the distance to the sorted order is the number of inversions; with any swaps it is the number of
items minus the number of cycles. Knows no environment and no file.
"""

from collections.abc import Sequence
from functools import cache
from random import Random

Generators = str | tuple[tuple[int, ...], ...]
"""A name of COMMANDS, or custom moves over places."""

COMMANDS = ("swaps", "adjacent", "reversals")
"""Names of command sets: swap any two places, swap two neighbouring places, reverse a block of places."""


def distance_between(start: Sequence[int], goal: Sequence[int], generators: Generators) -> int | None:
    """Smallest number of commands from start to goal; None if there is no formula (reversals, custom moves)."""
    places = {item: place for place, item in enumerate(goal)}
    order = [places[item] for item in start]
    if generators == "adjacent":
        return inversions(order)
    if generators == "swaps":
        return len(order) - cycles(order)
    return None


def inversions(order: Sequence[int]) -> int:
    """Number of pairs in the wrong order."""
    return sum(left > right for place, left in enumerate(order) for right in order[place + 1 :])


def cycles(order: Sequence[int]) -> int:
    """Number of cycles of a permutation of 0..n-1, including fixed points."""
    seen: set[int] = set()
    count = 0
    for place in range(len(order)):
        count += place not in seen
        while place not in seen:
            seen.add(place)
            place = order[place]
    return count


def arrangement_at(distance: int, items: int, generators: str, rng: Random) -> tuple[int, ...]:
    """A random arrangement of 0..items-1 at an exact distance from the sorted order, uniformly drawn."""
    if generators == "adjacent" and 0 <= distance <= items * (items - 1) // 2:
        return _with_inversions(distance, items, rng)
    if generators == "swaps" and 0 <= distance < items:
        return _with_cycles(items - distance, items, rng)
    raise ValueError(f"No arrangement of {items} items is at distance {distance} by {generators!r}.")


@cache
def _codes(items: int, total: int) -> int:
    """Number of arrangements of `items` items with `total` inversions."""
    if items == 0:
        return int(total == 0)
    return sum(_codes(items - 1, total - digit) for digit in range(min(items - 1, total) + 1))


def _with_inversions(total: int, items: int, rng: Random) -> tuple[int, ...]:
    remaining, chosen = list(range(items)), []
    for left in range(items, 0, -1):
        digits = range(min(left - 1, total) + 1)
        (digit,) = rng.choices(digits, weights=[_codes(left - 1, total - digit) for digit in digits])
        chosen.append(remaining.pop(digit))
        total -= digit
    return tuple(chosen)


@cache
def _cyclings(items: int, parts: int) -> int:
    """Number of permutations of `items` items with `parts` cycles (Stirling number of the first kind)."""
    if items == 0 or parts <= 0:
        return int(items == parts == 0)
    return _cyclings(items - 1, parts - 1) + (items - 1) * _cyclings(items - 1, parts)


def _with_cycles(parts: int, items: int, rng: Random) -> tuple[int, ...]:
    order = list(range(items))
    for item in range(items - 1, -1, -1):
        if rng.randrange(_cyclings(item + 1, parts)) < _cyclings(item, parts - 1):
            parts -= 1  # the item is a cycle of its own
        else:
            other = rng.randrange(item)
            order[item], order[other] = order[other], order[item]
    return tuple(order)

"""Functions that stand for builtins compare the same items in the same order as the builtins do."""

from __future__ import annotations

import bisect
import heapq
import random
import re
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

import pytest

from envs.execution.decompose.rewrites.operator_helpers import OPERATOR_HELPERS

LOG: list[tuple[str, int, int]] = []


class Item:
    """Writes down each comparison; many items are equal."""

    def __init__(self, key: int, number: int) -> None:
        self.key, self.number = key, number

    def _told(self, sign: str, other: Item) -> None:
        LOG.append((sign, self.number, other.number))

    def __lt__(self, other: Item) -> bool:
        self._told("<", other)
        return self.key < other.key

    def __gt__(self, other: Item) -> bool:
        self._told(">", other)
        return self.key > other.key

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Item)
        self._told("==", other)
        return self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def helper(kind: str) -> Callable[..., Any]:
    """The function as a program gets it."""
    library = bisect if hasattr(bisect, kind) else heapq
    callee = "cmp_to_key" if kind.endswith(" by") else f"{library.__name__}.{kind}"
    source = OPERATOR_HELPERS[kind].replace("NAME", "own").replace("CALLEE", callee)
    space: dict[str, Any] = {"Item": Item, "heapq": heapq, "bisect": bisect, "cmp_to_key": cmp_to_key}
    exec(re.sub(r"is_own\(([^()]*)\)", r"isinstance(\1, Item)", source), space)
    found: Callable[..., Any] = space["own"]
    return found


def seen(function: Callable[..., Any], items: list[Item], *more: Item) -> object:
    """What a call returns, leaves in the list, and compares."""
    LOG.clear()
    try:
        result = function(items, *more)
    except ValueError as error:
        result = type(error)
    shown = [each.number for each in result] if isinstance(result, list) else getattr(result, "number", result)
    return shown, [each.number for each in items], list(LOG)


def lists() -> list[list[Item]]:
    rng = random.Random(5)
    keys = [[rng.randrange(top) for _ in range(size)] for top in (2, 6, 90) for size in (0, 1, 2, 3, 7, 20, 63) * 4]
    keys += [sorted(each) for each in keys] + [sorted(each, reverse=True) for each in keys]
    return [[Item(key, number) for number, key in enumerate(each)] for each in keys]


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        ("sort", lambda items: items.sort()),
        ("sort down", lambda items: items.sort(reverse=True)),
        ("sorted", sorted),
        ("sorted down", lambda items: sorted(items, reverse=True)),
        ("max", max),
        ("min", min),
        ("heapify", heapq.heapify),
    ],
)
def test_a_whole_list_is_compared_as_the_builtin_compares_it(kind: str, builtin: Callable[..., Any]) -> None:
    own = helper(kind)
    for items in lists():
        assert seen(own, list(items)) == seen(builtin, list(items)), [each.key for each in items]


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        ("heappush", heapq.heappush),
        ("heapreplace", lambda items, wanted: heapq.heapreplace(items, wanted) if items else None),
        ("heappushpop", heapq.heappushpop),
        *((name, getattr(bisect, name)) for name in ("bisect", "bisect_left", "bisect_right")),
        *((name, getattr(bisect, name)) for name in ("insort", "insort_left", "insort_right")),
        ("index", lambda items, wanted: items.index(wanted)),
        ("count", lambda items, wanted: items.count(wanted)),
        ("remove", lambda items, wanted: items.remove(wanted)),
    ],
)
def test_an_item_is_compared_with_those_of_a_list_as_the_builtin_does(kind: str, builtin: Callable[..., Any]) -> None:
    own = helper(kind)
    for items in lists():
        heapq.heapify(items)
        for wanted in (Item(1, 99), Item(200, 99)) if items or kind != "heapreplace" else ():
            assert seen(own, list(items), wanted) == seen(builtin, list(items), wanted)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        ("sorted by", lambda items, key: sorted(items, key=key)),
        ("sorted down by", lambda items, key: sorted(items, key=key, reverse=True)),
        ("sort by", lambda items, key: items.sort(key=key)),
        ("sort down by", lambda items, key: items.sort(key=key, reverse=True)),
        ("max by", lambda items, key: max(items, key=key)),
        ("min by", lambda items, key: min(items, key=key)),
    ],
)
def test_items_are_compared_by_a_function_as_by_the_key_made_of_it(kind: str, builtin: Callable[..., Any]) -> None:
    """`cmp_to_key` calls the function with the same items in the same order."""

    def compare(one: Item, other: Item) -> int:
        LOG.append(("?", one.number, other.number))
        return one.key - other.key

    own = helper(kind)
    for items in lists():
        by_key = seen(lambda given: builtin(given, cmp_to_key(compare)), list(items))
        assert seen(lambda given: own(given, compare), list(items)) == by_key, [each.key for each in items]


def test_popping_a_heap_compares_as_the_builtin_does() -> None:
    own = helper("heappop")
    for items in lists():
        heapq.heapify(items)
        if items:
            assert seen(own, list(items)) == seen(heapq.heappop, list(items))


def test_a_heap_of_tuples_compares_their_parts_as_the_builtin_does() -> None:
    """Equal parts are left behind; an object is compared only where all before it are equal."""
    push, pop, order = helper("heappush"), helper("heappop"), helper("heapify")
    rng = random.Random(3)
    for size in (1, 2, 5, 12, 30):
        heaps: tuple[list[tuple[object, ...]], list[tuple[object, ...]]] = ([], [])
        given = [(rng.randrange(3), Item(rng.randrange(2), number)) for number in range(size)]
        logs = []
        for heap, functions in zip(
            heaps, ((push, pop, order), (heapq.heappush, heapq.heappop, heapq.heapify)), strict=True
        ):
            LOG.clear()
            heap += given
            functions[2](heap)
            for part in (*given, (5,), (1, Item(1, 99), 4)):
                functions[0](heap, part)
            while len(heap) > 4:
                functions[1](heap)
            logs.append(list(LOG))
        assert heaps[0] == heaps[1]
        assert logs[0] == logs[1]


def test_a_comparison_that_fails_leaves_the_list_as_the_builtin_does() -> None:
    """Python empties a list while it sorts it, and puts back what it has."""

    class Failing(Item):
        def __lt__(self, other: Item) -> bool:
            if len(LOG) == 4:
                raise ValueError("no")
            return super().__lt__(other)

    for kind, builtin in (("sort", list.sort), ("sort down", lambda items: items.sort(reverse=True))):
        items: list[Item] = [Failing(key, number) for number, key in enumerate((3, 1, 2, 5, 4))]
        assert seen(helper(kind), list(items)) == seen(builtin, list(items))

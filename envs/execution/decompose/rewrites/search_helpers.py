"""Searching lists and keeping heaps, written in Python, as source: each comparison of two items becomes a step.

`operator_helpers.py` says what the names in capitals and `is_own` stand for. Items of a heap may be tuples whose last
part is an object, of which `has_own` is true too: tuples are compared part by part, as Python does.
"""

import re
from collections.abc import Mapping

from envs.execution.syntax.python_version import REPR_IN_INDEX

_CONTAINS = """
def NAME(wanted, items):
    if is_own(wanted) and isinstance(items, list):
        for item in items:
            if item is wanted or item == wanted:
                return True
        return False
    return wanted in items
"""
_SEARCHED = """
def NAME(wanted, items):
    if is_own(items):
        for item in items:
            if item is wanted or item == wanted:
                return True
        return False
    return CALLEE
"""
_INDEX = """
def NAME(items, wanted):
    if is_own(wanted) and isinstance(items, list):
        place = 0
        for item in items:
            if item is wanted or item == wanted:
                return place
            place += 1
        raise ValueError(MESSAGE)
    return items.index(wanted)
""".replace("MESSAGE", 'repr(wanted) + " is not in list"' if REPR_IN_INDEX else '"list.index(x): x not in list"')
_COUNT = """
def NAME(items, wanted):
    if is_own(wanted) and isinstance(items, list):
        times = 0
        for item in items:
            if item is wanted or item == wanted:
                times += 1
        return times
    return items.count(wanted)
"""
_REMOVE = """
def NAME(items, wanted):
    if is_own(wanted) and isinstance(items, list):
        place = 0
        for item in items:
            if item is wanted or item == wanted:
                del items[place]
                return None
            place += 1
        raise ValueError("list.remove(x): x not in list")
    items.remove(wanted)
"""
_RISE = """
def NAME_less(one, two):
    if isinstance(one, tuple) and isinstance(two, tuple):
        for first, second in zip(one, two):
            if not (is_own(first) and first is second) and not first == second:
                return first < second
        return len(one) < len(two)
    return one < two
def NAME_rise(heap, start, place):
    while place > start:
        above = (place - 1) // 2
        item = heap[place]
        parent = heap[above]
        if not NAME_less(item, parent):
            return
        heap[above] = item
        heap[place] = parent
        place = above
"""
_SINK = (
    """
def NAME_sink(heap, start):
    size = len(heap)
    place = start
    while place < size // 2:
        child = 2 * place + 1
        if child + 1 < size and not NAME_less(heap[child], heap[child + 1]):
            child += 1
        lower = heap[child]
        heap[child] = heap[place]
        heap[place] = lower
        place = child
    NAME_rise(heap, start, place)
"""
    + _RISE
)
_HEAPPUSH = (
    """
def NAME(heap, item):
    if has_own(item) and isinstance(heap, list):
        heap.append(item)
        NAME_rise(heap, 0, len(heap) - 1)
    else:
        CALLEE(heap, item)
"""
    + _RISE
)
_HEAPPOP = (
    """
def NAME(heap):
    if isinstance(heap, list) and heap and has_own(heap[0]):
        last = heap.pop()
        if not heap:
            return last
        first = heap[0]
        heap[0] = last
        NAME_sink(heap, 0)
        return first
    return CALLEE(heap)
"""
    + _SINK
)
_HEAPIFY = (
    """
def NAME(heap):
    if isinstance(heap, list) and heap and has_own(heap[0]):
        place = len(heap) // 2
        while place:
            place -= 1
            NAME_sink(heap, place)
    else:
        CALLEE(heap)
"""
    + _SINK
)
_HEAPREPLACE = (
    """
def NAME(heap, item):
    if has_own(item) and isinstance(heap, list) and heap:
        first = heap[0]
        heap[0] = item
        NAME_sink(heap, 0)
        return first
    return CALLEE(heap, item)
"""
    + _SINK
)
_HEAPPUSHPOP = (
    """
def NAME(heap, item):
    if has_own(item) and isinstance(heap, list) and heap:
        first = heap[0]
        if not NAME_less(first, item):
            return item
        heap[0] = item
        NAME_sink(heap, 0)
        return first
    return CALLEE(heap, item)
"""
    + _SINK
)
_BISECT = """
def NAME(items, wanted):
    if isinstance(items, list) and is_own(wanted):
        low = 0
        high = len(items)
        while low < high:
            middle = (low + high) // 2
            if COMPARISON:
                low = middle + 1
            else:
                high = middle
        DONE
    return CALLEE(items, wanted)
"""
_LEFT = _BISECT.replace("COMPARISON", "items[middle] < wanted")
_RIGHT = _BISECT.replace("COMPARISON", "not wanted < items[middle]")
_INSERT = "items.insert(low, wanted)\n        return None"
_HOLDS = re.compile(r"has_own\(([^()]*)\)")


def _heap(source: str) -> str:
    return _HOLDS.sub(r"(is_own(\1) or isinstance(\1, tuple) and \1 and is_own(\1[-1]))", source)


SEARCH_HELPERS: Mapping[str, str] = {
    "contains": _CONTAINS,
    "searched": _SEARCHED,
    "index": _INDEX,
    "count": _COUNT,
    "remove": _REMOVE,
    "heappush": _heap(_HEAPPUSH),
    "heappop": _heap(_HEAPPOP),
    "heapify": _heap(_HEAPIFY),
    "heapreplace": _heap(_HEAPREPLACE),
    "heappushpop": _heap(_HEAPPUSHPOP),
    "bisect": _RIGHT.replace("DONE", "return low"),
    "bisect_right": _RIGHT.replace("DONE", "return low"),
    "bisect_left": _LEFT.replace("DONE", "return low"),
    "insort": _RIGHT.replace("DONE", _INSERT),
    "insort_right": _RIGHT.replace("DONE", _INSERT),
    "insort_left": _LEFT.replace("DONE", _INSERT),
}
"""The functions by what they do."""

"""Functions of `heapq` and `itertools` that go through iterators of the program, written in Python, as source.

`library_helpers.py` says what the names in capitals stand for. `nlargest` and `nsmallest` by a key get the keys first,
one step each, and ask the library for the places of the best keys: it makes the comparisons that it would have made.
"""

from collections.abc import Mapping

_BEST_BY_KEY = """
def NAME(count, items, *, key):
    if type(count) is int and count > 0:
        found = []
        keys = []
        for item in items:
            found.append(item)
            keys.append(key(item))
        best = []
        for place in CALLEE(count, range(len(found)), key=keys.__getitem__):
            best.append(found[place])
        return best
    return CALLEE(count, items, key=key)
"""
_BEST = """
def NAME(count, items):
    if type(count) is int and count > 0:
        found = []
        for item in items:
            found.append(item)
        return CALLEE(count, found)
    return CALLEE(count, items)
"""
_MERGE = """
def NAME(*sources, key=None, reverse=False):
    heads = []
    for source in sources:
        turns = iter(source)
        for item in turns:
            heads.append([item if key is None else key(item), item, turns])
            break
    while heads:
        place = 0
        for other in range(1, len(heads)):
            if reverse:
                better = heads[place][0] < heads[other][0]
            else:
                better = heads[other][0] < heads[place][0]
            if better:
                place = other
        head = heads[place]
        yield head[1]
        for item in head[2]:
            if len(heads) > 1:  # the library asks for no key of the last iterator that is left
                head[0] = item if key is None else key(item)
            head[1] = item
            break
        else:
            del heads[place]
"""
_TEE = """
def NAME_side(turns, kept):
    place = 0
    while True:
        if place == len(kept):
            for item in turns:
                kept.append(item)
                break
            else:
                return
        yield kept[place]
        place += 1
def NAME(turns, n=2):
    if n < 0:
        raise ValueError("n must be >= 0")
    kept = []
    sides = []
    for _ in range(n):
        sides.append(NAME_side(turns, kept))
    return tuple(sides)
"""
_CYCLE = """
def NAME(turns):
    kept = []
    for item in turns:
        kept.append(item)
        yield item
    while kept:
        for item in kept:
            yield item
"""
_ZIP_LONGEST = """
def NAME(*sources, fillvalue=None):
    left = list(sources)
    active = len(left)
    while active:
        items = []
        for place in range(len(left)):
            item = fillvalue
            turns = left[place]
            if turns is not None:
                try:
                    item = next(turns)
                except StopIteration:
                    active -= 1
                    if active == 0:
                        return
                    left[place] = None
            items.append(item)
        yield tuple(items)
"""
BEST_BY_KEY: Mapping[str, str] = {"heapq.nlargest": _BEST_BY_KEY, "heapq.nsmallest": _BEST_BY_KEY}
"""The functions where a call gives a key of the program."""
BEST: Mapping[str, str] = {"heapq.nlargest of a generator": _BEST, "heapq.nsmallest of a generator": _BEST}
ITERATOR_HELPERS: Mapping[str, str] = {
    "heapq.merge": _MERGE,
    "itertools.tee": _TEE,
    "itertools.cycle": _CYCLE,
    "itertools.zip_longest": _ZIP_LONGEST,
}

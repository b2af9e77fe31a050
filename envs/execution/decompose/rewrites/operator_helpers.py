"""Builtins that run operators of their items, written in Python, as source: each operator becomes a step.

`NAME` stands for the name that the function gets, `CALLEE` for the function that it takes the place of, and
`is_own(x)` for the test whether `x` is an object of a class that has such operators. What is no such object is left to
Python's own function. Comparisons are made between the same operands and in the same order as CPython makes them.
"""

import re
from collections.abc import Mapping

from envs.execution.decompose.rewrites.search_helpers import SEARCH_HELPERS
from envs.execution.syntax.python_version import GROUPED_RUNS

_LISTED = """
def NAME(items):
    if is_own(items):
        found = []
        for item in items:
            found.append(item)
        return found
    return items
"""
_UNPACKED = """
def NAME(items, most):
    if is_own(items):
        found = []
        for item in items:
            found.append(item)
            if len(found) > most:
                break
        return found
    return items
"""
_ANY = """
def NAME(items):
    if is_own(items):
        for item in items:
            if item:
                return True
        return False
    return any(items)
"""
_ALL = """
def NAME(items):
    if is_own(items):
        for item in items:
            if not item:
                return False
        return True
    return all(items)
"""
_ENUMERATE = """
def NAME_all(turns):
    place = 0
    for item in turns:
        yield (place, item)
        place += 1
def NAME(items):
    if is_own(items):
        return NAME_all(iter(items))
    return enumerate(items)
"""
_ZIP = """
def NAME_all(turns, others):
    for first in turns:
        for second in others:
            yield (first, second)
            break
        else:
            return
def NAME(items, more):
    if is_own(items) or is_own(more):
        return NAME_all(iter(items), iter(more))
    return zip(items, more)
"""
_ZIP_ANEW = """
def NAME_all(turns, others):
    while True:
        try:
            first = next(turns)
            second = next(others)
        except StopIteration:
            return
        yield (first, second)
def NAME(items, more):
    if is_own(items) or is_own(more):
        return NAME_all(iter(items), iter(more))
    return zip(items, more)
"""
"""For programs where an iterator may begin anew when it is asked for an iterator."""
_SUM_FROM = """
def NAME(items, start):
    if isinstance(items, list) and items and is_own(items[0]):
        total = start
        for item in items:
            total = total + item
        return total
    return sum(items, start)
"""
_SUM = _SUM_FROM.replace("(items, start)", "(items)").replace("= start", "= 0")
_SUM_ALL = """
def NAME(items, start):
    total = start
    for item in items:
        total = total + item
    return total
"""
_BEST = """
def NAME(items):
    if (isinstance(items, list) or isinstance(items, tuple)) and items and is_own(items[0]):
        best = items[0]
        for item in items[1:]:
            if item SIGN best:
                best = item
        return best
    return KIND(items)
"""
_BEST_OR = _BEST.replace("(items)", "(items, default)").replace("KIND(items, ", "KIND(items, default=")
_BETTER = """
def NAME(first, second):
    if is_own(first):
        if second SIGN first:
            return second
        return first
    return KIND(first, second)
"""
_FIRST_RUN = """
def NAME_run(held, size):
    count = 2
    if held[1] < held[0]:
        while count < size and held[count] < held[count - 1]:
            count += 1
        front = held[:count]
        front.reverse()
        held[:count] = front
    else:
        while count < size and not held[count] < held[count - 1]:
            count += 1
    return count
"""
_GROUPED_RUN = """
def NAME_turn(held, start, end):
    part = held[start:end]
    part.reverse()
    held[start:end] = part
def NAME_run(held, size):
    count = 1
    while count < size and not held[count] < held[count - 1]:
        count += 1
    if count == size:
        return count
    if count > 1:
        if held[0] < held[count - 1]:
            return count
        NAME_turn(held, 0, count)
    count += 1
    equal = 0
    while count < size:
        if held[count] < held[count - 1]:
            if equal:
                NAME_turn(held, count - equal - 1, count)
                equal = 0
        else:
            if held[count - 1] < held[count]:
                break
            equal += 1
        count += 1
    if equal:
        NAME_turn(held, count - equal - 1, count)
    NAME_turn(held, 0, count)
    while count < size and not held[count] < held[count - 1]:
        count += 1
    return count
"""
_INSERTED = (
    (_GROUPED_RUN if GROUPED_RUNS else _FIRST_RUN)
    + """
def NAME_insert(held):
    size = len(held)
    if size < 2:
        return
    count = NAME_run(held, size)
    while count < size:
        item = held[count]
        low = 0
        high = count
        while low < high:
            middle = (low + high) // 2
            if item < held[middle]:
                high = middle
            else:
                low = middle + 1
        del held[count]
        held.insert(low, item)
        count += 1
"""
)
_SORTED_DOWN = (
    """
def NAME(items):
    if (isinstance(items, list) or isinstance(items, tuple)) and items and is_own(items[0]) and len(items) < 64:
        held = list(items)
        held.reverse()
        NAME_insert(held)
        held.reverse()
        return held
    return sorted(items, reverse=True)
"""
    + _INSERTED
)
_SORT_DOWN = (
    """
def NAME(items):
    items.sort
    if items and is_own(items[0]) and len(items) < 64:
        held = list(items)
        items.clear()
        held.reverse()
        try:
            NAME_insert(held)
        except BaseException:
            held.reverse()
            items[:] = held
            raise
        held.reverse()
        if items:
            items[:] = held
            raise ValueError("list modified during sort")
        items[:] = held
    else:
        items.sort(reverse=True)
"""
    + _INSERTED
)


def _upwards(source: str) -> str:
    """The same sort in rising order: nothing is reversed."""
    return re.sub(r"^ *held\.reverse\(\)\n|, reverse=True|reverse=True", "", source, flags=re.MULTILINE)


_SORTED, _SORT = _upwards(_SORTED_DOWN), _upwards(_SORT_DOWN)
_BY_FUNCTION = re.compile(r"(not )?(held\[[^]]*\]|item) < (held\[[^]]*\])")
_INSERTED_BY = re.sub(
    r"_(run|insert)\((\w+)", r"_\1(compare, \2", _BY_FUNCTION.sub(r"\1compare(\2, \3) < 0", _INSERTED)
)
"""The same sort by a function that tells which of two items comes first."""
_SORTED_DOWN_BY = (
    """
def NAME(items, compare):
    held = list(items)
    if len(held) < 64:
        held.reverse()
        NAME_insert(compare, held)
        held.reverse()
        return held
    return sorted(held, key=CALLEE(compare), reverse=True)
"""
    + _INSERTED_BY
)
_SORT_DOWN_BY = (
    _SORT_DOWN.removesuffix(_INSERTED)
    .replace("NAME(items)", "NAME(items, compare)")
    .replace("items and is_own(items[0]) and ", "")
    .replace("NAME_insert(", "NAME_insert(compare, ")
    .replace("items.sort(", "items.sort(key=CALLEE(compare), ")
    + _INSERTED_BY
)
_SORTED_BY, _SORT_BY = _upwards(_SORTED_DOWN_BY), _upwards(_SORT_DOWN_BY)
_BEST_BY = """
def NAME(items, compare):
    best = []
    for item in items:
        if not best:
            best.append(item)
        elif compare(item, best[0]) SIGN 0:
            best[0] = item
    if best:
        return best[0]
    return KIND(best)
"""
_BEST_OR_BY = _BEST_BY.replace("compare)", "compare, default)", 1).replace("KIND(best)", "default")


def _of(source: str, kind: str) -> str:
    return source.replace("KIND", kind).replace("SIGN", ">" if kind == "max" else "<")


OPERATOR_HELPERS: Mapping[str, str] = {
    **SEARCH_HELPERS,
    "listed": _LISTED,
    "unpacked": _UNPACKED,
    "any": _ANY,
    "all": _ALL,
    "enumerate": _ENUMERATE,
    "zip": _ZIP,
    "zip anew": _ZIP_ANEW,
    "sum": _SUM,
    "sum from": _SUM_FROM,
    "sum all": _SUM_ALL,
    "max": _of(_BEST, "max"),
    "min": _of(_BEST, "min"),
    "max or": _of(_BEST_OR, "max"),
    "min or": _of(_BEST_OR, "min"),
    "max of two": _of(_BETTER, "max"),
    "min of two": _of(_BETTER, "min"),
    "sorted": _SORTED,
    "sorted down": _SORTED_DOWN,
    "sorted by": _SORTED_BY,
    "sorted down by": _SORTED_DOWN_BY,
    "sort by": _SORT_BY,
    "sort down by": _SORT_DOWN_BY,
    "max by": _of(_BEST_BY, "max"),
    "min by": _of(_BEST_BY, "min"),
    "max or by": _of(_BEST_OR_BY, "max"),
    "min or by": _of(_BEST_OR_BY, "min"),
    "sort": _SORT,
    "sort down": _SORT_DOWN,
}
"""The functions by what they do."""

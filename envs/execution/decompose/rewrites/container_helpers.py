"""Library calls that go through a whole container, written in Python, as source: each item becomes a step.

`NAME` stands for the name that the function gets and `CALLEE` for what the program calls. A function looks first
whether it is given a plain container: anything else, and whatever cannot be counted, goes to the library as it is.
"""

from collections.abc import Mapping

_COUNTER = """
def NAME(items):
    if type(items) is list or type(items) is str or type(items) is tuple:
        found = CALLEE()
        try:
            for item in items:
                found[item] += 1
            return found
        except TypeError:
            pass
    return CALLEE(items)
"""
_COUNTER_OF_GENERATOR = """
def NAME(items):
    found = CALLEE()
    for item in items:
        found[item] += 1
    return found
"""
_BISECT = """
def NAME(items, wanted):
    if type(items) is list or type(items) is tuple:
        low = 0
        high = len(items)
        while low < high:
            middle = (low + high) // 2
            if COMPARISON:
                low = middle + 1
            else:
                high = middle
        return low
    return CALLEE(items, wanted)
"""
_BISECT_LEFT = _BISECT.replace("COMPARISON", "items[middle] < wanted")
_BISECT_RIGHT = _BISECT.replace("COMPARISON", "not wanted < items[middle]")
_SEARCH = """\
        low = 0
        high = len(items)
        while low < high:
            middle = (low + high) // 2
            found = key(items[middle])
            if COMPARISON:
                low = middle + 1
            else:
                high = middle
"""
_BY_KEY = f"""
def NAME(items, wanted, *, key):
    if type(items) is list or type(items) is tuple:
{_SEARCH}        return low
    return CALLEE(items, wanted, key=key)
"""
_INSORT = f"""
def NAME(items, item, *, key):
    if type(items) is list:
        wanted = key(item)
{_SEARCH}        items.insert(low, item)
        return None
    return CALLEE(items, item, key=key)
"""
_LEFT, _RIGHT = "found < wanted", "not wanted < found"
_SUM_OF_AMOUNTS = """
def NAME(items, start):
    total = start
    for item in items:
        total = total + item
    return total
"""
CONTAINER_HELPERS: Mapping[str, str] = {
    "collections.Counter": _COUNTER,
    "collections.Counter of a generator": _COUNTER_OF_GENERATOR,
    "bisect.bisect": _BISECT_RIGHT,
    "bisect.bisect_left": _BISECT_LEFT,
    "bisect.bisect_right": _BISECT_RIGHT,
    "builtins.sum of amounts": _SUM_OF_AMOUNTS,
}
BY_KEY: Mapping[str, str] = {
    "bisect.bisect": _BY_KEY.replace("COMPARISON", _RIGHT),
    "bisect.bisect_left": _BY_KEY.replace("COMPARISON", _LEFT),
    "bisect.bisect_right": _BY_KEY.replace("COMPARISON", _RIGHT),
    "bisect.insort": _INSORT.replace("COMPARISON", _RIGHT),
    "bisect.insort_left": _INSORT.replace("COMPARISON", _LEFT),
    "bisect.insort_right": _INSORT.replace("COMPARISON", _RIGHT),
}
"""The functions where a call gives a key of the program."""

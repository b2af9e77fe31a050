"""Library functions written in Python, as source: a program that calls one gets it as a function of its own.

`NAME` stands for the name that the function gets, `CALLEE` for what the program calls. Where `iterated` says so, an
argument is passed as `iter(argument)`, so that a wrong argument fails where the library would fail. What a helper is
for is decided in `library_rewrites.py`.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from envs.execution.decompose.rewrites.container_helpers import BY_KEY, CONTAINER_HELPERS
from envs.execution.decompose.rewrites.iterator_helpers import BEST, BEST_BY_KEY, ITERATOR_HELPERS
from envs.execution.syntax.name_scopes import BUILTINS


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the library, written in Python."""

    source: str
    parameters: tuple[str, ...] = ()
    """Names that a call may give by keyword; a call with another keyword stays as it is."""
    iterated: int | None = None
    """The place of the argument that is iterated at once; -1 for all of them."""
    counts: tuple[int, ...] = ()
    """How many positional arguments a call may have; without them any number, starred ones too."""
    lacking: frozenset[str] = frozenset()
    """Methods that no class of the program may have: the library would call them at other times."""


_REDUCE = """
def NAME(function, items, *start):
    try:
        turns = iter(items)
    except TypeError:
        turns = None
    if turns is None:
        raise TypeError("reduce() arg 2 must support iteration")
    if start:
        total = start[0]
    else:
        for total in turns:
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in turns:
        total = function(total, item)
    return total
"""
_PARTIAL = """
def NAME(function, *given):
    def call(*more):
        return function(*given, *more)
    return call
"""
_PARTIAL_NAMED = """
def NAME(function, /, *given, **named):
    def call(*more, **others):
        return function(*given, *more, **{**named, **others})
    return call
"""
_PARTIAL_ASKED = """
class NAME:
    def __init__(self, function, /, *given, **named):
        self.func = function
        self.args = given
        self.keywords = named
    def __call__(self, /, *more, **others):
        return self.func(*self.args, *more, **{**self.keywords, **others})
"""
_UNPACKED = """
def NAME(turns, most):
    found = []
    for item in turns:
        found.append(item)
        if len(found) > most:
            break
    return found
"""
_TAKEWHILE = """
def NAME(test, turns):
    for item in turns:
        if not test(item):
            return
        yield item
"""
_DROPWHILE = """
def NAME(test, turns):
    for item in turns:
        if not test(item):
            yield item
            break
    for item in turns:
        yield item
"""
_FILTERFALSE = """
def NAME(test, turns):
    for item in turns:
        if test:
            passed = test(item)
        else:
            passed = item
        if not passed:
            yield item
"""
_STARMAP = """
def NAME(function, turns):
    for given in turns:
        yield function(*given)
"""
_ACCUMULATE = """
def NAME(turns, func=None, initial=None):
    total = initial
    if initial is None:
        try:
            total = next(turns)
        except StopIteration:
            return
    yield total
    for item in turns:
        if func:
            total = func(total, item)
        else:
            total = total + item
        yield total
"""
_PAIRWISE = """
def NAME(turns):
    try:
        before = next(turns)
    except StopIteration:
        return
    for item in turns:
        yield (before, item)
        before = item
"""
_GROUPBY = """
def NAME_group(turns, key, state, number, wanted):
    while state[0] == number and state[2] == wanted:
        yield state[1]
        try:
            item = next(turns)
        except StopIteration:
            return
        state[1] = item
        state[2] = key(item) if key else item
def NAME(turns, key=None):
    try:
        item = next(turns)
    except StopIteration:
        return
    state = [0, item, key(item) if key else item]
    while True:
        wanted = state[2]
        yield (wanted, NAME_group(turns, key, state, state[0], wanted))
        state[0] += 1
        while state[2] == wanted:
            try:
                item = next(turns)
            except StopIteration:
                return
            state[1] = item
            state[2] = key(item) if key else item
"""
_ISLICE = """
def NAME(turns, *bounds):
    wanted = 0
    stop = bounds[0]
    step = 1
    if len(bounds) > 1:
        wanted = bounds[0] or 0
        stop = bounds[1]
    if len(bounds) > 2:
        step = bounds[2] or 1
    place = 0
    while True:
        while place < wanted:
            try:
                next(turns)
            except StopIteration:
                return
            place += 1
        if stop is not None and place >= stop:
            return
        try:
            item = next(turns)
        except StopIteration:
            return
        place += 1
        yield item
        wanted += step
        if stop is not None and wanted > stop:
            wanted = stop
"""
_CHAIN = """
def NAME(*sources):
    for source in sources:
        for item in source:
            yield item
"""
_ZIP = """
def NAME(*sources):
    while sources:
        items = []
        for turns in sources:
            try:
                item = next(turns)
            except StopIteration:
                return
            items.append(item)
        yield tuple(items)
"""
_ENUMERATE = """
def NAME(turns, start=0):
    for item in turns:
        yield (start, item)
        start += 1
"""
_FOUND = """
def NAME_found(pattern, text):
    place = 0
    before = 0
    while True:
        found = pattern.search(text, place)
        if found is None:
            return
        place = found.end()
        if place == found.start():
            break
        yield found
        before += 1
    for found in list(pattern.finditer(text))[before:]:
        yield found
"""
_SUB = (
    """
def NAME(pattern, function, text, count=0):
    if count < 0:
        return text
    parts = []
    place = 0
    for found in NAME_found(pattern, text):
        if found.start() > place:
            parts.append(text[place:found.start()])
        piece = function(found)
        if piece is not None:
            parts.append(piece)
        place = found.end()
        count -= 1
        if count == 0:
            break
    if place < len(text):
        parts.append(text[place:])
    return text[:0].join(parts)
"""
    + _FOUND
)
_HASHED = frozenset({"__hash__", "__eq__"})
_ORDERED = frozenset({"__lt__", "__gt__"})
HELPERS: Mapping[str, Helper] = {
    "functools.reduce": Helper(_REDUCE, counts=(2, 3)),
    "functools.partial": Helper(_PARTIAL),
    "unpacked generator": Helper(_UNPACKED),
    "functools.partial with names": Helper(_PARTIAL_NAMED),
    "functools.partial asked with names": Helper(_PARTIAL_ASKED),
    "re.finditer": Helper(_FOUND.replace("NAME_found", "NAME")),
    "re.sub": Helper(_SUB, ("count",)),
    "itertools.takewhile": Helper(_TAKEWHILE, iterated=1, counts=(2,)),
    "itertools.dropwhile": Helper(_DROPWHILE, iterated=1, counts=(2,)),
    "itertools.filterfalse": Helper(_FILTERFALSE, iterated=1, counts=(2,)),
    "itertools.starmap": Helper(_STARMAP, iterated=1, counts=(2,)),
    "itertools.accumulate": Helper(_ACCUMULATE, ("func", "initial"), iterated=0, counts=(1, 2)),
    "itertools.pairwise": Helper(_PAIRWISE, iterated=0, counts=(1,)),
    "itertools.groupby": Helper(_GROUPBY, ("key",), iterated=0, counts=(1, 2)),
    "itertools.islice": Helper(_ISLICE, iterated=0, counts=(2, 3, 4)),
    "itertools.chain": Helper(_CHAIN),
    "itertools.chain.from_iterable": Helper(_CHAIN.replace("*sources", "sources"), iterated=0, counts=(1,)),
    "builtins.zip": Helper(_ZIP, iterated=-1),
    "builtins.enumerate": Helper(_ENUMERATE, ("start",), iterated=0, counts=(1, 2)),
    "collections.Counter": Helper(CONTAINER_HELPERS["collections.Counter"], counts=(1,), lacking=_HASHED),
    "collections.Counter of a generator": Helper(
        CONTAINER_HELPERS["collections.Counter of a generator"], counts=(1,), lacking=_HASHED
    ),
    **{
        f"bisect.{name}": Helper(CONTAINER_HELPERS[f"bisect.{name}"], counts=(2,), lacking=_ORDERED)
        for name in ("bisect", "bisect_left", "bisect_right")
    },
    **{f"{name} by key": Helper(source, ("key",), counts=(2,), lacking=_ORDERED) for name, source in BY_KEY.items()},
    **{
        f"{name} by key": Helper(source, ("key",), counts=(2,), lacking=_ORDERED)
        for name, source in BEST_BY_KEY.items()
    },
    **{name: Helper(source, counts=(2,), lacking=_ORDERED) for name, source in BEST.items()},
    "heapq.merge": Helper(ITERATOR_HELPERS["heapq.merge"], ("key", "reverse"), lacking=_ORDERED | _HASHED),
    "itertools.tee": Helper(ITERATOR_HELPERS["itertools.tee"], iterated=0, counts=(1, 2)),
    "itertools.cycle": Helper(ITERATOR_HELPERS["itertools.cycle"], iterated=0, counts=(1,)),
    "itertools.zip_longest": Helper(ITERATOR_HELPERS["itertools.zip_longest"], ("fillvalue",), iterated=-1),
    "builtins.sum of amounts": Helper(CONTAINER_HELPERS["builtins.sum of amounts"], counts=(2,)),
}
OWN_FUNCTION = frozenset({"functools.partial"})
"""Written out only where they would call a function of the program."""
OVER_GENERATORS = frozenset(
    {
        *("itertools.islice", "itertools.chain", "itertools.chain.from_iterable", "itertools.cycle"),
        *("itertools.zip_longest", "builtins.zip", "builtins.enumerate"),
    }
)
"""Written out only over a generator of the program: over anything else the iterator has a written form."""
PLAIN_CONTAINERS = frozenset(CONTAINER_HELPERS) - {"collections.Counter of a generator"}
"""Written out for what may be a list, a tuple or a text; iterators are left to the library, or to other rules."""


@cache
def builtins_of(source: str) -> frozenset[str]:
    """Builtins that a helper uses."""
    return BUILTINS.intersection(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))

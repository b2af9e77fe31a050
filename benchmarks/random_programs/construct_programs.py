"""Random programs with library containers, lazy iterators, generators that are sent values, context managers and more.

`construct_program(seed)` has a function `f(n)` that collects what several statements do in a list; it catches what they
raise. Together with `object_programs.py` every construct of docs/constructs.md behind *Classes* occurs.
"""

from random import Random

_IMPORTS = """
import asyncio
import bisect
import heapq
import math
import re
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import (
    accumulate, chain, combinations, compress, count, cycle, dropwhile, filterfalse, groupby, islice, pairwise,
    permutations, product, repeat, starmap, takewhile, zip_longest,
)
"""
_FIXED = """
Point = namedtuple("Point", "x y")
class Color(Enum):
    RED = 1
    BLUE = 2
class Row:
    def __init__(self, cells):
        self.cells = cells
    def __getitem__(self, place):
        return self.cells[place]
class Guard:
    def __init__(self, log):
        self.log = log
    def __enter__(self):
        self.log.append("in")
        return self.log
    def __exit__(self, kind, error, trace):
        self.log.append("out")
        return kind is not None
def small(x):
    return x < 3
def scale(k, x=2, y=1):
    return k * x + y
@lru_cache(maxsize=None)
def ways(k):
    return 1 if k < 2 else ways(k - 1) + ways(k - 2)
def numbers(k):
    i = 0
    while i < k:
        yield i
        i += 1
    return k
def total(start):
    while True:
        got = yield start
        if got is None:
            return
        start += got
def safe(items):
    for item in items:
        try:
            yield 6 // item
        except ZeroDivisionError:
            yield -1
def outer(k):
    last = yield from numbers(k)
    yield last
async def inner(x):
    return x + 1
async def both(x):
    first = await inner(x)
    return first * await inner(first)
"""
_STATEMENTS = [
    "for p in product(xs, {s!r}):\n    out.append(p)",
    "for p in permutations(xs, {k}):\n    out.append(p[:1])",
    "for p in combinations(xs + [n], 2):\n    out.append(sum(p))",
    "for x in chain(xs, {s!r}, ({k},), range({k})):\n    out.append(x)",
    "for x in chain.from_iterable([xs, [], {{1: 2}}]):\n    out.append(x)",
    "for x in islice(xs * 3, {k}, 6, 2):\n    out.append(x)",
    "for i, x in enumerate(islice(count({k}, 2), 3)):\n    out.append(i * x)",
    "t = 0\nfor x in cycle(xs):\n    t += 1\n    if t > {k} + 2:\n        break\nout.append(t)",
    "for x in repeat(xs, {k}):\n    out.append(x)",
    "for a, b in zip_longest(xs, {s!r}, fillvalue={k}):\n    out.append(a)",
    "for x in compress({s!r}, [0, 1, n]):\n    out.append(x)",
    "for x in accumulate(xs):\n    out.append(x)",
    "out.append(list(accumulate(xs, lambda p, q: p * q + {k}, initial=1)))",
    "out.append(list(takewhile(small, xs)))",
    "out.append([x for x in dropwhile(lambda x: x < {k}, xs)])",
    "out.append(list(filterfalse(small, xs)))",
    "out.append(list(starmap(scale, [({k}, 2), (n, 3)])))",
    "out.append([y - x for x, y in pairwise(xs)])",
    "out.append([(k, list(g)) for k, g in groupby(sorted(xs), key=small)])",
    "for key, group in groupby({s!r}):\n    out.append((key, sum(1 for _ in group)))",
    "out.append(list(islice(numbers(5), {k}, None, 2)))",
    "out.append([i * x for i, x in enumerate(numbers({k} + 1), 1)])",
    "out.append(dict(zip({s!r}, numbers(3))))",
    "out.append(list(chain(numbers(2), xs, outer({k}))))",
    "c = count({k})\nout.append((next(c), next(c)))",
    "d = chain(xs, [n])\nout.append(next(d))\nout.append(list(d))",
    "g = total({k})\nout.append(next(g))\nout.append(g.send(n))\ng.close()\nout.append(next(g, 'end'))",
    "g = total({k})\ng.send(1)",
    "out.append(list(safe([n, {k}, 2])))",
    "g = outer({k})\nout.append(next(g, None))\nfor x in g:\n    out.append(x)",
    "guard = Guard(out)\nwith guard as log:\n    log.append({k})",
    "guard = Guard(out)\nwith guard:\n    out.append(1 // {k})",
    "with Guard(out) as log:\n    out.append(len(log))",
    "for cell in Row(xs):\n    out.append(cell)",
    "row = Row({s!r})\nout.append([cell for cell in row])",
    "class Local:\n    unit = {k}\n    def __init__(self, a):\n        self.a = a\n    def get(self):\n"
    "        return self.a + Local.unit\nout.append(Local(n).get())",
    "@dataclass\nclass Pair:\n    left: int\n    right: int = {k}\nout.append(Pair(n).right + Pair(1, 2).left)",
    "out.append(asyncio.run(both({k})))",
    "by = partial(scale, x={k})\nout.append(by(n))\nout.append(by(n, y=5))",
    "out.append(partial(scale, {k})(n))",
    "out.append(reduce(lambda p, q: p * 2 + q, xs, {k}))",
    "out.append(ways({k} + 2))",
    "q = deque(xs, 3)\nq.append(n)\nq.rotate(1)\nout.append(q.popleft())\nfor x in q:\n    out.append(x)",
    "groups = defaultdict(list)\nfor x in xs:\n    groups[x % 2].append(x)\nout.append(dict(groups))",
    "counts = Counter({s!r})\ncounts['a'] += {k}\nout.append(counts.most_common(2))",
    "o = OrderedDict(a=1, b={k})\no.move_to_end('a')\nfor key in o:\n    out.append(key)",
    "heap = list(xs)\nheapq.heapify(heap)\nheapq.heappush(heap, {k})\nout.append(heapq.heappop(heap))",
    "out.append(bisect.bisect_left(sorted(xs), {k}))",
    "p = Point(n, {k})\nq = p._replace(x=5)\nout.append(q.x + p.y)\na, b = q\nout.append(a * b)",
    "c = Color({k} or 1)\nout.append(c.name)\nif c is Color.RED:\n    out.append(c.value)",
    "share = Fraction({k} + 1, n + 2)\nshare += 1\nout.append(share > 1)\nout.append(share)",
    "day = date(2024, 2, 27) + timedelta(days={k})\nout.append((day - date(2024, 1, 1)).days)",
    "out.append(Decimal('1.10') * {k})",
    "found = re.match(r'([a-c]+)(.*)', {s!r})\nif found:\n    out.append(found.group(1))",
    "out.append(math.gcd(12, {k} + 2))\nout.append(math.isqrt(n + 50))",
    "copy = deepcopy([xs, xs])\ncopy[0].append({k})\nout.append(copy)",
    "held = []\nfor key, group in groupby(xs):\n    held.append(group)\nout.append([list(numbers(len(held)))])",
    "if any((y := x) > {k} for x in xs):\n    out.append(y)",
    "values = [y for x in xs if (y := x * 2) > {k}]\nout.append(values)",
]  # fmt: skip


def construct_program(seed: int) -> str:
    """A program with such constructs; the same seed gives the same program."""
    rng = Random(seed)
    items = [rng.randint(0, 5) for _ in range(rng.randint(1, 4))]
    lines = ["def f(n):", "    out = []", f"    xs = {items}"]
    for text in rng.sample(_STATEMENTS, rng.randint(2, 5)):
        filled = text.format(k=rng.randint(0, 3), s="".join(rng.choices("abc", k=rng.randint(0, 4))))
        lines.append("    try:")
        lines += [f"        {line}" for line in filled.split("\n")]
        lines += ["    except Exception as error:", "        out.append(type(error).__name__)"]
    return "\n".join([_IMPORTS.strip(), _FIXED.strip(), *lines, "    return out"]) + "\n"


def construct_arguments(seed: int) -> str:
    """The arguments of the program's call."""
    return str(seed % 4)

"""Random programs whose objects have operators that builtins use, and whose functions library calls would run from C.

`operator_program(seed)` has a function `f(n)` that collects what several statements do in a list; it catches what they
raise. With `construct_programs.py` and `object_programs.py` every construct of docs/constructs.md occurs.
"""

from random import Random

_FIXED = """
import functools
import heapq
import re
from collections import ChainMap, Counter, OrderedDict, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import total_ordering
from itertools import islice
from operator import attrgetter, methodcaller
from typing import NamedTuple
LIMIT = 3
CALLS = []
WORD = re.compile(r"([a-c])(\\d?)")
Pair = namedtuple("Pair", "a b", defaults=[7])
@total_ordering
class Card:
    __slots__ = ("rank", "name")
    def __init__(self, rank, name="x"):
        self.rank = rank
        self.name = name
    def __eq__(self, other):
        return self.rank == other.rank
    def __lt__(self, other):
        CALLS.append((self.rank, other.rank))
        return self.rank < other.rank
    def __add__(self, other):
        return Card(self.rank + other.rank)
    def __radd__(self, other):
        return self if other == 0 else NotImplemented
    def __repr__(self):
        return f"Card({self.rank})"
    @property
    def double(self):
        return self.rank * 2
    def worth(self):
        return -self.rank
class Hand:
    def __init__(self, cards):
        self.cards = cards
    def __iter__(self):
        for card in self.cards:
            yield card
class Countdown:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n
class Status(Enum):
    NEW = 1
    DONE = 2
    @property
    def final(self):
        return self is Status.DONE
    def after(self, steps):
        return Status.DONE if steps else self
class Spot(NamedTuple):
    x: int
    y: int = 1
    def norm(self):
        return self.x * self.x + self.y
@dataclass
class Store:
    stock: Counter = field(default_factory=Counter)
    names: list = field(default_factory=lambda: ["a"])
    limit: int = LIMIT
    status: Status = Status.NEW
class Fault(Exception):
    def __init__(self, key):
        super().__init__(f"fault {key}")
        self.key = key
def logged(function):
    @functools.wraps(function)
    def inner(*given):
        result = function(*given)
        CALLS.append((function.__name__, result))
        return result
    return inner
def times(k):
    def wrap(function):
        def inner(x):
            return function(x) * k
        return inner
    return wrap
@logged
def plus(a, b):
    return a + b
@times(3)
def half(x):
    return x // 2
TABLE = {"+": plus, "h": half}
@contextmanager
def tagged(out, name):
    out.append("<" + name)
    try:
        yield len(out)
    finally:
        out.append(">" + name)
def naturals():
    n = 0
    while True:
        yield n
        n += 1
def taken(source, size):
    return list(islice(source, size))
"""
_STATEMENTS = [
    "cards.sort()\nout.append([c.rank for c in cards])",
    "cards.sort(reverse=True)\nout.append([c.rank for c in cards])",
    "out.append([c.name for c in sorted(cards)])\nout.append(CALLS[-3:])",
    "out.append([c.name for c in sorted(cards, reverse=True)])",
    "out.append([c.name for c in sorted(cards, key=lambda c: (c.rank % 2, c.name))])",
    "cards.sort(key=Card.worth)\nout.append([c.name for c in cards])",
    "out.append(max(cards).name)\nout.append(min(cards).name)",
    "out.append(max(cards, key=lambda c: c.double).name)",
    "out.append(max(cards[0], Card({k})).rank)",
    "out.append(max((c.rank for c in cards), default={k}))",
    "out.append(max([], key=lambda c: c.rank, default={k}))",
    "out.append(sum(cards).rank)",
    "out.append(sum(cards, Card({k})).rank)",
    "out.append(sum((Card(x) for x in xs), Card(0)).rank)",
    "out.append(sum(xs) + max(xs))\nout.append(sorted(xs))",
    "out.append(Card({k}) in cards)\nout.append(Card(9) not in cards)",
    "out.append(cards.index(Card({k})))",
    "out.append(cards.count(Card({k})))\ncards.remove(Card({k}))\nout.append(len(cards))",
    "out.append({k} in xs)\nout.append(xs.index({k}))",
    "heap = []\nfor c in cards:\n    heapq.heappush(heap, c)\nout.append(heapq.heappop(heap).rank)\n"
    "out.append(CALLS[-2:])",
    "heap = list(cards)\nheapq.heapify(heap)\nout.append([c.rank for c in heap])",
    "heap = list(xs)\nheapq.heapify(heap)\nout.append(heapq.heappop(heap))",
    "out.append(cards[0] <= Card({k}))\nout.append(cards[0] > Card({k}))\nout.append(cards[0] >= Card({k}))",
    "hand = Hand(cards)\nout.append([c.rank for c in sorted(hand)])\nout.append(max(hand).rank)\n"
    "out.append(len(tuple(hand)))",
    "hand = Hand(xs)\nout.append(sum(hand))\nout.append({k} in hand)\nout.append(any(hand))\nout.append(all(hand))",
    "out.append(sum(Countdown({k} + 1)))\nout.append(sorted(Countdown(3)))",
    "out.append(', '.join(map(str, cards)))\nout.append(list(map(repr, cards)))",
    "out.append(list(map(methodcaller('worth'), cards)))\nout.append([x for x in map(attrgetter('double'), cards)])",
    "out.append(list(map(Card.worth, cards)))\nout.append([c.name for c in filter(Card.worth, cards)])",
    "out.append(plus({k}, 2))\nout.append(half(n + 5))\nout.append(CALLS[-1])",
    "out.append(TABLE['h']({k}))\nout.append(TABLE.get('+')(1, n))",
    "@times({k})\ndef local(x):\n    return x + 1\nout.append(local(n))",
    "s = Status({k} or 1)\nout.append(s.final)\nout.append(s.after({k}).name)",
    "p = Spot({k})\nout.append(p.norm())\nout.append(p.x)",
    "p = Pair._make([n, {k}])\nout.append(p.a + p.b)\nout.append(Pair(1).b)\nout.append(Pair._fields)",
    "p = Pair._make([n])\nout.append(p)",
    "store = Store()\nstore.stock['a'] += {k}\nstore.names.append(n)\nout.append((store.limit, store.names))\n"
    "out.append(store.status.final)\nout.append(Store().names)",
    "for m in WORD.finditer({s!r} + '1b2'):\n    out.append((m.group(1), m.start()))",
    "out.append([m[0] for m in re.finditer('[ab]+', {s!r})])",
    "out.append(re.sub('[a-b]', lambda m: m.group() * {k}, {s!r}))",
    "out.append(WORD.sub(lambda m: m.group(1).upper(), {s!r}, count={k}))\nout.append(WORD.sub('-', {s!r}))",
    "t = str.maketrans('ab', 'xy')\nout.append({s!r}.translate(t))",
    "c = ChainMap({{'a': n}}, {{'a': 0, 'b': {k}}})\nc['c'] = 5\nout.append((c['a'], c['b'], 'z' in c))\n"
    "out.append(sorted(c.new_child({{'q': 1}})))",
    "o = OrderedDict(a=1, b={k}, c=n)\nfor key in reversed(o):\n    out.append(key)\n"
    "out.append([v for k, v in reversed(o.items())])",
    "d = dict(zip('pqr', xs))\nfor key in reversed(d):\n    out.append(key)\nout.append(list(reversed(d.values())))",
    "source = naturals()\nout.append(taken(source, {k}))\nout.append(taken(source, 2))",
    "raise Fault({k})",
    "try:\n    raise Fault({k})\nexcept Fault as error:\n    out.append((str(error), error.key))",
    "with tagged(out, 't') as size:\n    out.append(size)",
    "with tagged(out, 'u'):\n    out.append(1 // {k})",
]  # fmt: skip


def operator_program(seed: int) -> str:
    """A program with such constructs; the same seed gives the same program."""
    rng = Random(seed)
    items = [rng.randint(0, 5) for _ in range(rng.randint(1, 6))]
    lines = ["def f(n):", "    out = []", f"    xs = {items}", "    cards = [Card(x, 'c' + str(x)) for x in xs]"]
    for text in rng.sample(_STATEMENTS, rng.randint(2, 4)):
        filled = text.format(k=rng.randint(0, 3), s="".join(rng.choices("abc", k=rng.randint(0, 4))))
        lines.append("    try:")
        lines += [f"        {line}" for line in filled.split("\n")]
        lines += ["    except Exception as error:", "        out.append(type(error).__name__)"]
    return "\n".join([_FIXED.strip(), *lines, "    return out"]) + "\n"


def operator_arguments(seed: int) -> str:
    """The arguments of the program's call."""
    return str(seed % 4)

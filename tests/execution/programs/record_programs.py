"""Programs with records, patterns and iterators, which C code would call back; each is called as `f()`."""

RECORDS: dict[str, tuple[str, str]] = {
    "namedtuple make replace": (
        r"""
from collections import namedtuple
P = namedtuple("P", "x y")
def f():
    p = P._make([1, 2])
    q = p._replace(x=5)
    return p, q, p._asdict(), P._fields, p[0], q.y, p == (1, 2)
""",
        "",
    ),
    "NamedTuple class with methods": (
        r"""
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int = 0
    def norm(self):
        return self.x * self.x + self.y * self.y
    @property
    def total(self):
        return self.x + self.y
def f():
    p = P(3, 4)
    return p.norm(), p.total, p.x, p
""",
        "",
    ),
    "namedtuple defaults": (
        r"""
from collections import namedtuple
P = namedtuple("P", ["x", "y"], defaults=[0])
def f():
    return P(1), P(1, 2).y
""",
        "",
    ),
    "finditer": (
        r"""
import re
def f(t):
    out = []
    for m in re.finditer(r"(\w)(\d+)", t):
        out.append((m.group(1), int(m[2]), m.start()))
    return out, [m.group() for m in re.finditer(r"\d", t)], list(re.finditer("q", t)) == []
""",
        '"a1 b22 c3"',
    ),
    "pattern finditer named": (
        r"""
import re
P = re.compile(r"(?P<k>\w+)=(?P<v>\d+)")
def f(t):
    return {m["k"]: int(m["v"]) for m in P.finditer(t)}
""",
        '"a=1,b=22"',
    ),
    "re.sub with function": (
        r"""
import re
def f(t):
    return re.sub(r"\d+", lambda m: str(int(m.group()) * 2), t)
""",
        '"a1 b22 c3"',
    ),
    "re.sub with own function count": (
        r"""
import re
def double(m):
    return m.group(1) + m.group(1)
def f(t):
    return re.sub(r"(\w)\d", double, t, count=1), re.compile("x").sub(double, "yyy")
""",
        '"a1 b22 c3"',
    ),
    "methodcaller": (
        r"""
from operator import methodcaller, attrgetter, itemgetter
class S:
    def __init__(self, n):
        self.n = n
    def grade(self):
        return self.n + "!"
    @property
    def big(self):
        return self.n.upper()
def f():
    ss = [S("b"), S("a")]
    g = list(map(methodcaller("grade"), ss))
    u = list(map(methodcaller("split", ","), ["a,b", "c"]))
    k = sorted(ss, key=attrgetter("n"))
    b = [x for x in map(attrgetter("big"), ss)]
    return g, u, [s.n for s in k], b, max(ss, key=attrgetter("n")).n
""",
        "",
    ),
    "dataclass defaults": (
        r"""
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
ZERO = 7
@dataclass
class S:
    c: Counter = field(default_factory=Counter)
    q: deque = field(default_factory=deque)
    d: dict = field(default_factory=lambda: defaultdict(list))
    z: int = ZERO
    xs: list = field(default_factory=lambda: [1, 2])
    k: int = -1 * 3
def f():
    s = S()
    s.c["a"] += 1
    s.q.append(3)
    s.d["k"].append(1)
    t = S()
    t.xs.append(3)
    return s.c, s.q, s.d, s.z, s.xs, t.xs, t.k
""",
        "",
    ),
    "dataclass default own class and enum": (
        r"""
from dataclasses import dataclass, field
from enum import Enum
class Color(Enum):
    RED = 1
    BLUE = 2
@dataclass
class Inner:
    x: int = 0
@dataclass
class S:
    color: Color = Color.RED
    inner: Inner = field(default_factory=Inner)
    n: int = field(default=3, repr=False)
def f():
    s = S()
    s.inner.x = 5
    return s.color.name, s.inner.x, S().inner.x, s.n
""",
        "",
    ),
    "maketrans var": (
        r"""
def f(t):
    m = str.maketrans("abc", "xyz")
    n = str.maketrans({"a": "1", "b": None})
    o = str.maketrans("a", "b", "c")
    return t.translate(m), t.translate(n), t.translate(o)
""",
        '"aabbcc"',
    ),
    "ChainMap": (
        r"""
from collections import ChainMap
def f():
    d = ChainMap({"a": 1}, {"a": 2, "b": 3})
    e = d.new_child({"c": 5})
    e["a"] = 9
    return d["a"], d["b"], e["a"], e.get("z", 0), "b" in e, sorted(e), dict(d), len(e)
""",
        "",
    ),
    "reversed OrderedDict": (
        r"""
from collections import OrderedDict
def f():
    d = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
    d.move_to_end("a")
    out = []
    for k in reversed(d):
        out.append(k)
    for k, v in reversed(d.items()):
        out.append((k, v))
    return out, list(reversed(d)), next(reversed(d))
""",
        "",
    ),
    "reversed dict": (
        r"""
def f():
    d = {"a": 1, "b": 2}
    out = [k for k in reversed(d)]
    out += [v for v in reversed(d.values())]
    for k, v in reversed(d.items()):
        out.append(k)
    return out
""",
        "",
    ),
    "islice of generator by parameter": (
        r"""
from itertools import islice
def squares():
    n = 1
    while True:
        yield n * n
        n += 1
def take(source, size):
    return list(islice(source, size))
def f():
    s = squares()
    return take(s, 3), take(s, 2)
""",
        "",
    ),
    "own iterable delegating": (
        r"""
class L:
    def __init__(self, xs):
        self.xs = xs
    def __iter__(self):
        return iter(self.xs)
    def __len__(self):
        return len(self.xs)
def f():
    a = L([3, 1, 2])
    return list(a), sum(a), sorted(a), max(a), 2 in a, len(a), [x for x in a]
""",
        "",
    ),
    "own iterator next": (
        r"""
class Count:
    def __init__(self, n):
        self.n = n
        self.i = 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
def f():
    return list(Count(3)), sum(Count(4)), max(Count(2)), [x for x in Count(2)], sorted(Count(3), reverse=True)
""",
        "",
    ),
    "slots": (
        r"""
class P:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x = x
        self.y = y
def f():
    p = P(1, 2)
    p.x += 1
    return p.x, p.y
""",
        "",
    ),
    "a container of one's own": (
        r"""
class M:
    def __init__(self):
        self.d = {}
    def __setitem__(self, k, v):
        self.d[k] = v
    def __getitem__(self, k):
        return self.d[k]
    def __contains__(self, k):
        return k in self.d
    def __len__(self):
        return len(self.d)
    def __iter__(self):
        return iter(self.d)
def f():
    m = M()
    m["a"] = 1
    m["b"] = 2
    return m["a"], "b" in m, len(m), bool(m), list(m), sorted(m), [m[k] for k in m]
""",
        "",
    ),
    "fields that __post_init__ sets": (
        r"""
from dataclasses import dataclass, field, replace, asdict
@dataclass(frozen=True)
class P:
    x: int
    y: int = 0
@dataclass
class R:
    a: P
    b: P
    area: int = field(init=False)
    def __post_init__(self):
        self.area = (self.b.x - self.a.x) * (self.b.y - self.a.y)
def f():
    r = R(P(0), P(3, 2))
    q = replace(r.a, x=9)
    return r.area, q.x, asdict(r.b), r.a == P(0, 0), sorted([P(2), P(1)], key=lambda p: p.x)[0].x
""",
        "",
    ),
    "match on dataclasses": (
        r"""
from dataclasses import dataclass
@dataclass
class C:
    r: int
@dataclass
class R:
    w: int
    h: int
def area(s):
    match s:
        case C(r=r):
            return 3 * r * r
        case R(w, h) if w == h:
            return w * w
        case R(w, h):
            return w * h
        case _:
            return 0
def f():
    return [area(s) for s in (C(2), R(2, 2), R(2, 3), 5)]
""",
        "",
    ),
    "loops over objects with __iter__": (
        r"""
class Bag:
    def __init__(self, items):
        self.items = items
    def __iter__(self):
        for item in self.items:
            yield item
def f(xs):
    bag = Bag(xs)
    first, *rest = bag
    places = [place * item for place, item in enumerate(bag)]
    pairs = [(a, b) for a, b in zip(bag, "abcdef")]
    for a, b in zip("xy", bag):
        pairs.append((a, b))
    for place, item in enumerate(xs):
        places.append(item)
    return first, rest, places, pairs, 2 in bag, 9 not in bag, any(bag), all(bag)
""",
        "[3, 1, 2]",
    ),
}

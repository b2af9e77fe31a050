"""Programs whose objects have operators that builtins use, and other code that C would call; each is called as `f()`."""

OPERATORS: dict[str, tuple[str, str]] = {
    "sorted key lambda over objects": (
        r"""
class P:
    def __init__(self, n, a):
        self.n = n
        self.a = a
def f():
    ps = [P("x", 3), P("y", 1), P("z", 2)]
    return [p.n for p in sorted(ps, key=lambda p: p.a)]
""",
        "",
    ),
    "sort key lambda tuple reverse": (
        r"""
class P:
    def __init__(self, n, a):
        self.n = n
        self.a = a
def f():
    ps = [P("x", 3), P("y", 1), P("z", 2)]
    ps.sort(key=lambda p: (-p.a, p.n), reverse=True)
    return [p.n for p in ps]
""",
        "",
    ),
    "max key lambda over objects": (
        r"""
class P:
    def __init__(self, n, a):
        self.n = n
        self.a = a
    def __repr__(self):
        return f"P({self.n})"
def f():
    ps = [P("x", 3), P("y", 1), P("z", 2)]
    return max(ps, key=lambda p: p.a).n, min(ps, key=lambda p: p.a)
""",
        "",
    ),
    "max key own method": (
        r"""
class P:
    def __init__(self, a):
        self.a = a
    def worth(self):
        return self.a * 2
def f():
    ps = [P(3), P(1)]
    return max(ps, key=P.worth).a, sorted(ps, key=P.worth)[0].a
""",
        "",
    ),
    "max default": (
        r"""
class P:
    def __init__(self, a):
        self.a = a
def f():
    ps = [P(3), P(1)]
    m = max((p.a for p in ps), default=0)
    k = max([], key=lambda p: p.a, default=None)
    return m, k
""",
        "",
    ),
    "sort of own lt": (
        r"""
class C:
    def __init__(self, r):
        self.r = r
    def __lt__(self, o):
        return self.r < o.r
def f():
    cs = [C(3), C(1), C(2)]
    cs.sort()
    a = [c.r for c in cs]
    b = [c.r for c in sorted(cs, reverse=True)]
    return a, b, max(cs).r, min(cs).r
""",
        "",
    ),
    "sorted ints in a program with own lt": (
        r"""
class C:
    def __init__(self, r):
        self.r = r
    def __lt__(self, o):
        return self.r < o.r
def f(xs):
    return sorted(xs), max(xs), C(1) < C(2)
""",
        "[3,1,2]",
    ),
    "heapq own lt": (
        r"""
import heapq
class T:
    def __init__(self, p, n):
        self.p = p
        self.n = n
    def __lt__(self, o):
        return self.p < o.p
def f():
    h = []
    for p, n in [(3, "a"), (1, "b"), (2, "c"), (0, "d")]:
        heapq.heappush(h, T(p, n))
    return [heapq.heappop(h).n for _ in range(4)]
""",
        "",
    ),
    "sum own add": (
        r"""
class V:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)
    def __radd__(self, o):
        return self if o == 0 else NotImplemented
def f():
    vs = [V(1, 2), V(3, 4)]
    s = sum(vs, V(0, 0))
    t = sum(vs)
    return s.x, s.y, t.x
""",
        "",
    ),
    "sum generator own add": (
        r"""
class V:
    def __init__(self, x):
        self.x = x
    def __add__(self, o):
        return V(self.x + o.x)
def f():
    return sum((V(i) for i in range(3)), V(0)).x, sum([1, 2]), sum(i for i in range(3))
""",
        "",
    ),
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
    "a decorator that is a method": (
        r"""
class Reg:
    def __init__(self):
        self.handlers = {}
    def on(self, name):
        def wrap(fn):
            self.handlers[name] = fn
            return fn
        return wrap
    def call(self, name, *a):
        return self.handlers[name](*a)
def f():
    r = Reg()
    @r.on("add")
    def add(a, b):
        return a + b
    return r.call("add", 1, 2)
""",
        "",
    ),
    "own decorator": (
        r"""
import functools
def logged(fn):
    @functools.wraps(fn)
    def inner(*args, **kw):
        r = fn(*args, **kw)
        LOG.append((fn.__name__, r))
        return r
    return inner
LOG = []
@logged
def add(a, b):
    return a + b
def f():
    x = add(1, 2) + add(a=3, b=4)
    return x, LOG
""",
        "",
    ),
    "functions in a dict": (
        r"""
def add(a, b):
    return a + b
def sub(a, b):
    return a - b
OPS = {"+": add, "-": sub, "*": lambda a, b: a * b}
def f():
    return [OPS[o](5, 3) for o in "+-*"]
""",
        "",
    ),
    "all any with methods": (
        r"""
class P:
    def __init__(self, v):
        self.v = v
    def ok(self):
        return self.v > 0
def f():
    ps = [P(1), P(-1)]
    return all(p.ok() for p in ps), any(p.ok() for p in ps), list(filter(P.ok, ps))[0].v, list(map(P.ok, ps)), list(filter(lambda p: p.ok(), ps))[0].v
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
    "total ordering": (
        r"""
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, a, b):
        self.a = a
        self.b = b
    def __eq__(self, o):
        return (self.a, self.b) == (o.a, o.b)
    def __lt__(self, o):
        return (self.a, self.b) < (o.a, o.b)
def f():
    x, y = V(1, 2), V(1, 3)
    return x < y, x <= y, x > y, x >= y, x != y, sorted([y, x])[0].b, max(x, y).b
""",
        "",
    ),
    "exception hierarchy": (
        r"""
class E(Exception):
    pass
class Missing(E):
    def __init__(self, k):
        super().__init__(f"missing {k}")
        self.k = k
def g(k):
    if k == 1:
        raise Missing(k)
    if k == 2:
        raise E("plain", 2)
    return k
def f():
    out = []
    for k in range(3):
        try:
            out.append(g(k))
        except Missing as e:
            out.append((str(e), e.k, e.args))
        except E as e:
            out.append(e.args)
    return out
""",
        "",
    ),
    "a contextmanager that swallows": (
        r"""
from contextlib import contextmanager
@contextmanager
def quiet(kind, log):
    try:
        yield
    except kind as error:
        log.append(str(error))
def f():
    log = []
    with quiet(ValueError, log):
        log.append("in")
        raise ValueError("a")
    try:
        with quiet(ValueError, log):
            raise KeyError("b")
    except KeyError:
        log.append("key")
    return log
""",
        "",
    ),
    "a contextmanager whose block returns": (
        r"""
from contextlib import contextmanager
@contextmanager
def tag(log, n="d"):
    log.append("<" + n)
    try:
        yield n
    finally:
        log.append(">" + n)
def g(log):
    for i in range(3):
        with tag(log, str(i)) as t:
            if i == 1:
                continue
            if i == 2:
                return t
    return None
def f():
    log = []
    r = g(log)
    with tag(log) as a, tag(log, n="q") as b:
        log.append(a + b)
    return r, log
""",
        "",
    ),
    "a contextmanager without try": (
        r"""
from contextlib import contextmanager
@contextmanager
def wrap(log):
    log.append("a")
    x = len(log)
    yield x
    log.append("b")
def f():
    log = []
    with wrap(log) as x:
        log.append(x)
    try:
        with wrap(log):
            raise ValueError
    except ValueError:
        log.append("c")
    x = 5
    return log, x
""",
        "",
    ),
    "a contextmanager in a method": (
        r"""
from contextlib import contextmanager
STACK = []
@contextmanager
def scope(name):
    STACK.append(name)
    try:
        yield STACK
    finally:
        STACK.pop()
class Tree:
    def __init__(self):
        self.seen = []
    def walk(self, names):
        for name in names:
            with scope(name) as stack:
                self.seen.append("/".join(stack))
        return self.seen
def f():
    return Tree().walk(["a", "b"])
""",
        "",
    ),
    "decorators with state": (
        r"""
def memo(fn):
    cache = {}
    def inner(n):
        if n not in cache:
            cache[n] = fn(n)
        return cache[n]
    return inner
@memo
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def retry(times):
    def deco(fn):
        def inner(*a):
            for i in range(times):
                try:
                    return fn(*a)
                except ValueError:
                    pass
            return None
        return inner
    return deco
TRIES = []
@retry(3)
def flaky(x):
    TRIES.append(x)
    if len(TRIES) < 2:
        raise ValueError
    return x
def f():
    return fib(6), flaky(4), TRIES
""",
        "",
    ),
    "methods by getattr": (
        r"""
class Num:
    def __init__(self, v):
        self.v = v
class Add:
    def __init__(self, l, r):
        self.l = l
        self.r = r
class Ev:
    def visit(self, n):
        return getattr(self, "visit_" + type(n).__name__)(n)
    def visit_Num(self, n):
        return n.v
    def visit_Add(self, n):
        return self.visit(n.l) + self.visit(n.r)
def f():
    return Ev().visit(Add(Num(1), Add(Num(2), Num(3))))
""",
        "",
    ),
    "bound methods in a list": (
        r"""
class Bus:
    def __init__(self):
        self.subs = []
    def on(self, fn):
        self.subs.append(fn)
    def emit(self, x):
        for fn in self.subs:
            fn(x)
class Log:
    def __init__(self):
        self.items = []
    def add(self, x):
        self.items.append(x)
def f():
    b, l = Bus(), Log()
    b.on(l.add)
    b.on(lambda x: l.items.append(-x))
    b.emit(1)
    b.emit(2)
    return l.items
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
    "dataclasses in order": (
        r"""
from dataclasses import dataclass
@dataclass(order=True)
class V:
    major: int
    minor: int
    def __str__(self):
        return f"{self.major}.{self.minor}"
def f():
    vs = [V(1, 2), V(0, 9), V(1, 0)]
    vs.sort()
    return [str(v) for v in vs], str(max(vs)), V(1, 2) == V(1, 2)
""",
        "",
    ),
    "setattr and a tree of generators": (
        r"""
class T:
    def __init__(self, v):
        self.v = v
        self.l = self.r = None
    def add(self, v):
        side = "l" if v < self.v else "r"
        c = getattr(self, side)
        if c is None:
            setattr(self, side, T(v))
        else:
            c.add(v)
    def __iter__(self):
        if self.l:
            yield from self.l
        yield self.v
        if self.r:
            yield from self.r
def f():
    t = T(5)
    for v in [3, 8, 1, 4]:
        t.add(v)
    return list(t), max(t), sum(t)
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
    "cmp_to_key": (
        r"""
from functools import cmp_to_key
def compare(a, b):
    return (a > b) - (a < b)
def f(xs):
    ys = sorted(xs, key=cmp_to_key(compare))
    xs.sort(key=cmp_to_key(lambda a, b: b - a))
    return xs, ys
""",
        "[3, 1, 2, 1]",
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
"""Source and arguments by what is tested."""

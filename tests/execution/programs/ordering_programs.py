"""Programs whose objects builtins sort, add up or compare; each is called as `f()`."""

ORDERINGS: dict[str, tuple[str, str]] = {
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
}

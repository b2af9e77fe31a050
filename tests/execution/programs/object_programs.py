"""Programs with classes and generators of their own; every one must be Markov."""

OBJECTS: dict[str, tuple[str, str]] = {
    "points and operators": (
        """
class Point:
    count = 0
    def __init__(self, x, y=2):
        self.x = x
        self.y = y
        Point.count += 1
    @property
    def norm(self):
        return self.x * self.x + self.y * self.y
    @staticmethod
    def unit():
        return Point(1, 0)
    @classmethod
    def of(cls, n):
        return cls(n, n)
    def __add__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return Point(self.x + other.x, self.y + other.y)
    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x and self.y == other.y
    def __repr__(self):
        return f"P({self.x}, {self.y})"
    def __len__(self):
        return 2
    def __getitem__(self, i):
        return (self.x, self.y)[i]
    def __contains__(self, v):
        return v == self.x or v == self.y
class Child(Point):
    def __init__(self, x):
        super().__init__(x)
        self.z = 5
    def area(self):
        return super().norm + self.z
def f(a):
    p = Point(a)
    q = Point.of(3)
    r = p + q
    u = Point.unit()
    c = Child(4)
    out = [p.norm, r.x, r == q, p == Point(a), str(r), len(p), p[0], 5 in q, 3 in q, c.area(), Point.count, u.y]
    p.x += 10
    del c.z
    try:
        c.z
    except AttributeError as e:
        out.append(str(e))
    try:
        p + 3
    except TypeError as e:
        out.append(str(e))
    if p:
        out.append(p is q)
    return out
""",
        "2",
    ),
    "linked nodes and an iterator": (
        """
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next
class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0
    def push(self, v):
        self.head = Node(v, self.head)
        self.size += 1
        return self
    def reverse(self):
        prev, cur = None, self.head
        while cur:
            cur.next, prev, cur = prev, cur, cur.next
        self.head = prev
    def __iter__(self):
        return ListIterator(self.head)
    def __len__(self):
        return self.size
class ListIterator:
    def __init__(self, node):
        self.node = node
    def __iter__(self):
        return self
    def __next__(self):
        if self.node is None:
            raise StopIteration
        v = self.node.value
        self.node = self.node.next
        return v
def f(xs):
    l = LinkedList()
    for x in xs:
        l.push(x)
    l.reverse()
    out = []
    for v in l:
        out.append(v)
    it = iter(l)
    out.append(next(it))
    out.append(next(it, 7))
    out.append(next(it, 8))
    out.append(next(it, 9))
    a = Node(1)
    a.next = a
    if l:
        out.append(a.next.next is a)
    return out, len(l)
""",
        "[1, 2, 3]",
    ),
    "dataclasses": (
        """
from dataclasses import dataclass, field
@dataclass
class Item:
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)
    def total(self, n=2):
        return self.price * n
@dataclass(order=True, frozen=True)
class V:
    x: int
    y: int = 0
    def moved(self, dx):
        return V(self.x + dx, self.y)
@dataclass
class Sub(Item):
    extra: int = 3
    def __post_init__(self):
        self.price = self.price + self.extra
def f(a):
    i = Item("a")
    j = Item("a", 2.5, ["t"])
    i.tags.append(a)
    v, w = V(1), V(1, 2)
    s = Sub("q", extra=4)
    out = [i == j, i == Item("a", 1.5, [a]), v < w, v == w, v.moved(3), repr(j), s.price, s.total(), s.extra, isinstance(s, Item), str(v), v != w, hash(v) == hash(V(1))]
    try:
        v.x = 4
    except AttributeError as e:
        out.append(str(e))
    try:
        Item()
    except TypeError as e:
        out.append(str(e))
    d = {v: 1}
    out.append(d[V(1)])
    return out
""",
        "5",
    ),
    "own exceptions": (
        """
class Simple(Exception):
    pass
class Coded(Exception):
    def __init__(self, msg, code):
        super().__init__(msg)
        self.code = code
class Deep(Coded):
    def __init__(self, code):
        super().__init__("deep", code)
    def __str__(self):
        return f"Deep {self.code}"
class Account:
    def __init__(self, b):
        self.b = b
    def withdraw(self, n):
        if n > self.b:
            raise Coded("no funds", n - self.b)
        if n < 0:
            raise Simple("negative", n)
        if n == 0:
            raise Simple
        self.b -= n
        return self.b
def f(xs):
    a = Account(10)
    out = []
    for x in xs:
        try:
            out.append(a.withdraw(x))
        except Coded as e:
            out.append((str(e), e.code, e.args))
        except (Simple, ValueError) as e:
            out.append(str(e))
            out.append(isinstance(e, Simple))
        finally:
            out.append("f")
    try:
        raise Deep(4)
    except Exception as e:
        out.append(str(e))
        out.append(e.code)
        out.append(isinstance(e, Coded))
        out.append(type(e).__name__)
    return out
""",
        "[3, 20, -1, 0]",
    ),
    "inheritance and super": (
        """
from abc import ABC, abstractmethod
class Shape(ABC):
    kind = "shape"
    registry = []
    def __init__(self, name):
        self._name = name
        Shape.registry.append(name)
    @abstractmethod
    def area(self): ...
    @property
    def name(self):
        return self._name
    @name.setter
    def name(self, v):
        if not v:
            raise ValueError("empty")
        self._name = v
    def describe(self):
        return f"{self.kind} {self.name} {self.area()}"
class Sq(Shape):
    kind = "sq"
    def __init__(self, s):
        super().__init__("square")
        self.__s = s
    def area(self):
        return self.__s ** 2
    def __helper(self):
        return 1
    def more(self):
        return self.__helper() + self.__s
class Circle(Shape):
    def area(self):
        return 3
class A:
    def who(self): return ["A"]
class B(A):
    def who(self): return ["B"] + super().who()
class C(A):
    def who(self): return ["C"] + super().who()
class D(B, C):
    def who(self): return ["D"] + super().who()
    @classmethod
    def make(cls): return cls()
class E(D):
    x = 1
    @classmethod
    def make(cls):
        o = super().make()
        o.x += 1
        return o
def f(n):
    shapes = [Sq(n), Circle("c")]
    out = [s.describe() for s in shapes]
    shapes[0].name = "new"
    try:
        shapes[1].name = ""
    except ValueError as e:
        out.append(str(e))
    out.append(shapes[0].name)
    out.append(shapes[0].more())
    out.append(D().who())
    out.append(E.make().x)
    out.append(E.x)
    out.append(Shape.registry)
    out.append(hasattr(shapes[0], "nope"))
    out.append(getattr(shapes[0], "nope", 4))
    out.append(getattr(shapes[0], "kind"))
    m = shapes[0].area
    out.append(m())
    out.append(sum(s.area() for s in shapes))
    out.append(sorted([3,1,2], key=lambda v: -v))
    try:
        shapes[0].zip
    except AttributeError as e:
        out.append(str(e))
    return out
""",
        "3",
    ),
    "all operators": (
        """
class Money:
    def __init__(self, c): self.c = c
    def __add__(self, o):
        if isinstance(o, Money): return Money(self.c + o.c)
        if isinstance(o, int): return Money(self.c + o)
        return NotImplemented
    __radd__ = __add__
    def __iadd__(self, o):
        self.c += o.c
        return self
    def __neg__(self): return Money(-self.c)
    def __lt__(self, o): return self.c < o.c
    def __le__(self, o): return self.c <= o.c
    def __ne__(self, o): return self.c != o.c
    def __eq__(self, o): return self.c == o.c
    def __hash__(self): return hash(self.c)
    def __bool__(self): return self.c != 0
    def __call__(self, k): return self.c * k
    def __setitem__(self, k, v): self.c = k + v
    def __delitem__(self, k): self.c = 0
    def __getitem__(self, s): return s
    def __mul__(self, k): return Money(self.c * k)
    def __str__(self): return f"${self.c}"
    def __abs__(self): return abs(self.c)
    def __int__(self): return self.c
    def __enter__(self): return self
    def __exit__(self, t, v, tb): return False
class Other:
    def __radd__(self, o): return "other"
    def __eq__(self, o): return NotImplemented
    def __gt__(self, o): return "gt"
def f(n):
    a, b = Money(n), Money(5)
    out = [int(a + b), int(a + 1), int(1 + a), str(-a), a < b, b <= a, a != b, a == b, a(3), str(a * 2), abs(a)]
    a += b
    out.append(a.c)
    a[1] = 7
    out.append(a.c)
    out.append(a[1:2])
    del a[0]
    if not a:
        out.append("zero")
    while b:
        b += Money(-1)
    out.append(f"{a} and {b!s}")
    print(a, b)
    o = Other()
    out.append(3 + o)
    out.append(o == o)
    out.append(o == Other())
    out.append(o != 3)
    out.append(o < o)
    try:
        o + 3
    except TypeError as e:
        out.append(str(e))
    try:
        a + "x"
    except TypeError as e:
        out.append(str(e))
    if 1:
        m = Money(3)
        out.append(m.c)
    out.append(sorted([Money(3), Money(1)])[0].c)
    out.append(Money(3) in [Money(3)])
    out.append({Money(1): 2}[Money(1)])
    out.append(max([Money(3), Money(9)]).c)
    return out
""",
        "2",
    ),
    "functions in fields and defaults": (
        """
class Stack:
    default = []
    def __init__(self, items=[]):
        self.items = list(items)
        self.on = None
    def push(self, x, log=[]):
        self.items.append(x)
        log.append(x)
        if self.on is not None:
            self.on(x)
        return len(log)
    def each(self, fn):
        return [fn(i) for i in self.items]
    def adder(self, k):
        def add(x):
            return x + k + len(self.items)
        return add
def twice(x):
    return x * 2
class Cfg:
    handler = twice
    def __init__(self, **kw):
        for k, v in kw.items():
            setattr(self, k, v)
def f(n):
    s, t = Stack(), Stack([1])
    seen = []
    s.on = lambda x: seen.append(x)
    out = [s.push(n), t.push(3), s.push(4)]
    s.on = twice
    s.push(9)
    out.append(seen)
    out.append(t.each(twice))
    g = t.adder(5)
    out.append(g(1))
    Stack.default = 3
    out.append(s.default)
    out.append(Stack.default)
    out.append(list(map(s.push, [7, 8])))
    c = Cfg(a=1, b=2)
    out.append(c.a + c.b)
    return out
""",
        "2",
    ),
    "generators": (
        """
def count(n):
    i = 0
    while i < n:
        yield i * 2
        i += 1
    return 7
def evens(xs):
    for x in xs:
        if x % 2 == 0:
            yield x
def both(a, b):
    yield from a
    r = yield from b
    yield r
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
def take(n, it):
    for x in it:
        if n == 0:
            return
        n -= 1
        yield x
def f(n):
    g = count(n)
    out = [next(g), next(g)]
    for x in g:
        out.append(x)
    out.append(next(g, "end"))
    try:
        next(g)
    except StopIteration as e:
        out.append("stop")
    h = count(1)
    next(h)
    try:
        next(h)
    except StopIteration as e:
        out.append(e.value)
    out.append(list(evens([1, 2, 4])))
    out.append(sum(count(4)))
    out.append([y + 1 for y in take(5, fib())])
    for z in both([1], count(2)):
        out.append(z)
    gs = [count(2), evens([2])]
    out.append([next(k) for k in gs])
    out.append(sorted(count(3), key=lambda v: -v))
    out.append(max(evens([2, 8, 4])))
    p = evens([2, 4])
    out.append(tuple(p))
    out.append(" ".join(str(v) for v in count(2)))
    return out
""",
        "4",
    ),
    "generators that are methods": (
        """
class Tree:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right
    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.v
        if self.right:
            yield from self.right
    def walk(self, depth=0):
        yield depth, self.v
        for c in (self.left, self.right):
            if c is not None:
                yield from c.walk(depth + 1)
def f(n):
    t = Tree(n, Tree(1), Tree(9, Tree(7)))
    out = []
    for x in t:
        out.append(x)
    out.append(list(t.walk()))
    for d, v in t.walk():
        out.append(d * v)
    return out
""",
        "5",
    ),
    "generators that raise": (
        """
def g(n):
    yield 1
    if n:
        raise ValueError("bad")
    x = next(iter([]))
    yield 2
def f(a):
    out = []
    try:
        for x in g(1):
            out.append(x)
    except ValueError as e:
        out.append(str(e))
    try:
        for x in g(0):
            out.append(x)
    except RuntimeError as e:
        out.append(str(e))
    k = g(1)
    for i, x in enumerate([5, 6]):
        out.append(i)
    m = (v * 2 for v in [1, 2])
    out.append(next(m))
    return out
""",
        "5",
    ),
    "send and close": (
        """
def echo(n):
    total = 0
    while True:
        got = yield total
        if got is None:
            break
        total += got
def f(n):
    g = echo(n)
    a = next(g)
    b = g.send(5)
    c = g.send(n)
    g.close()
    return a, b, c
""",
        "3",
    ),
    "except around yield": (
        """
def safe(xs):
    for x in xs:
        try:
            yield 10 // x
        except ZeroDivisionError:
            yield -1
def f(n):
    return list(safe([n, 0, 5]))
""",
        "3",
    ),
    "with on a variable": (
        """
class Manager:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        return self.n
    def __exit__(self, kind, error, trace):
        return kind is not None
def f(n):
    m = Manager(n)
    with m as z:
        y = z
    with m:
        y += 1
        raise ValueError(1)
    return y
""",
        "3",
    ),
    "a loop over __getitem__": (
        """
class Seq:
    def __init__(self, n):
        self.n = n
    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * 2
def f(n):
    out = []
    s = Seq(n)
    for x in s:
        out.append(x)
    for x in Seq(2):
        out.append(x)
    return out, list(s)
""",
        "3",
    ),
    "a class in a function": (
        """
def f(n):
    class Local:
        kind = "x"
        def __init__(self, a):
            self.a = a
        def double(self):
            return self.a * 2
    p = Local(n)
    return p.double(), Local.kind
""",
        "3",
    ),
    "coroutines that await their own": (
        """
import asyncio
async def inner(x):
    return x + 1
async def outer(x):
    a = await inner(x)
    b = await inner(a)
    return a * b
def f(n):
    return asyncio.run(outer(n))
""",
        "3",
    ),
    "send through yield from": (
        """
def inner():
    total = 0
    while total < 10:
        got = yield total
        total += got or 1
    return total
def outer():
    r = yield from inner()
    yield r * 2
def f(n):
    g = outer()
    out = [next(g), g.send(5), g.send(None)]
    try:
        g.send(100)
        g.send(1)
    except StopIteration as e:
        out.append(e.value)
    h = inner()
    try:
        h.send(1)
    except TypeError as e:
        out.append(str(e))
    return out
""",
        "3",
    ),
    "finally around yield": (
        """
def closing(n, log):
    try:
        for i in range(n):
            yield i
    finally:
        log.append("done")
def f(n):
    log, out = [], []
    for x in closing(n, log):
        out.append(x)
    return out, log
""",
        "3",
    ),
    "a dataclass in a function, and one that cannot move": (
        """
from dataclasses import dataclass
def f(n):
    @dataclass
    class Item:
        name: str
        price: int = 2
    @dataclass
    class Pair:
        left: Item
    class Error(ValueError):
        pass
    try:
        raise Error(n)
    except ValueError as error:
        m = error.args[0]
    return Pair(Item("a")).left.price + m
""",
        "3",
    ),
    "__getitem__ of an object that raises": (
        """
class Row:
    def __init__(self, cells):
        self.cells = cells
    def __getitem__(self, place):
        return self.cells[place]
class Odd:
    def __getitem__(self, place):
        raise ValueError(place)
def f(n):
    total = 0
    for i, cell in enumerate([1]):
        total += cell
    for cell in Row([n, 2]):
        total += cell
    try:
        for cell in Odd():
            total += 1
    except ValueError as error:
        total += error.args[0]
    return [cell for cell in Row("ab")], total
""",
        "3",
    ),
    "generators spread over arguments and put into containers": (
        """
from collections import Counter, deque
class V:
    def __init__(self, *xs):
        self.xs = xs
def gen(n):
    yield n
    yield 2
def add(a, b):
    return a + b
def f(xs):
    c = Counter(x % 2 for x in xs)
    v = V(*(x * 2 for x in xs))
    d = deque(x for x in xs)
    e = add(*gen(3))
    return dict(c), v.xs, list(d), e, max(*(x for x in xs), 5)
""",
        "[1, 2]",
    ),
}

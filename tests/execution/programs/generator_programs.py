"""Programs with generators and coroutines of their own; every one must be Markov."""

GENERATORS: dict[str, tuple[str, str]] = {
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

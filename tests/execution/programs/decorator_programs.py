"""Programs with decorators, context managers and functions as values; each is called as `f()`."""

DECORATORS: dict[str, tuple[str, str]] = {
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
}

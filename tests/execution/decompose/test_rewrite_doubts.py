"""Programs at the edge of what is rewritten behave as before: decorated functions, managers, coroutines, slots, parts."""

import pytest

from tests.execution.decompose.test_library_calls import check_same

PROGRAMS = r"""
### cache rebinding f first plain
from functools import cache
log = []
def g(n):
    log.append(n)
    return n
def h(n):
    log.append(n)
    return n
k = h
@cache
def h(n):
    return n * 2
def f():
    return [k(1), k(1), h(1), log]
### cache keyword and place differ, list result
from functools import cache
@cache
def g(n):
    return [n]
def f():
    a = g(1)
    b = g(n=1)
    a.append(5)
    return a, b
### cache default differ
from functools import lru_cache
calls = []
@lru_cache(maxsize=None)
def g(n, k=2):
    calls.append((n, k))
    return [n]
def f():
    g(1); g(1, 2); g(1, k=2)
    return calls
### lru 128
from functools import lru_cache
calls = []
@lru_cache(maxsize=128)
def g(n):
    calls.append(n)
    return n
def f():
    for i in range(130):
        g(i)
    g(0)
    return len(calls)
### lru bare
from functools import lru_cache
calls = []
@lru_cache
def g(n):
    calls.append(n)
    return n
def f():
    for i in range(130):
        g(i)
    g(0)
    return len(calls)
### cache_info through alias
from functools import lru_cache
@lru_cache(maxsize=None)
def g(n):
    return n
def show(fn):
    fn(1)
    return fn.cache_info()
def f():
    return show(g)
### cache_info getattr
from functools import lru_cache
@lru_cache(maxsize=None)
def g(n):
    return n
def f():
    g(1)
    return getattr(g, "cache_info")()
### cache clear at module level
from functools import lru_cache
@lru_cache(maxsize=None)
def g(n):
    return [n]
g(1)
g.cache_clear()
print(g.cache_info())
def f():
    g(1)
    return g.cache_info()
### cache clear at module level only
from functools import cache
@cache
def g(n):
    return [n]
def f():
    g(1)
    return g(1)
x = f()
g.cache_clear()
### cache in a list
from functools import cache
@cache
def g(n):
    return [n]
@cache
def h(n):
    return [n]
def f():
    for each in (g, h):
        each(1)
    for each in (g, h):
        each.cache_clear()
    return g(1)
### function named NAME / CACHE / SIZE
from functools import lru_cache
@lru_cache(maxsize=2)
def SIZE(n):
    return n
@lru_cache(maxsize=2)
def KEY(n):
    return n
@lru_cache(maxsize=2)
def BODY(n):
    return n
@lru_cache(maxsize=2)
def HIT(n):
    return n
def f():
    return SIZE(1), KEY(1), BODY(2), HIT(2)
### cache rebound name
from functools import lru_cache
@lru_cache(maxsize=None)
def g(n):
    return n
def f():
    global g
    old = g
    g = lambda n: n + 1
    return g(1), old.cache_info()
### cp private name
from functools import cached_property
class A:
    @cached_property
    def _total(self):
        print("computed")
        return 3
def f():
    a = A()
    return a._total + a._total
### cp getattr
from functools import cached_property
class A:
    def __getattr__(self, name):
        return "dyn " + name
    @cached_property
    def total(self):
        print("computed")
        return 3
def f():
    a = A()
    return a.total, a.other
### cp slots dataclass
from functools import cached_property
from dataclasses import dataclass
@dataclass(slots=True)
class A:
    x: int
    @cached_property
    def total(self):
        return 3
def f():
    return A(1).total
### cp namedtuple
from functools import cached_property
from typing import NamedTuple
class A(NamedTuple):
    x: int
    @cached_property
    def total(self):
        return 3
def f():
    return A(1).total
### cp getattribute
from functools import cached_property
class A:
    def __getattribute__(self, n):
        print("get", n)
        return object.__getattribute__(self, n)
    @cached_property
    def total(self):
        return 3
def f():
    a = A()
    return a.total + a.total
### cp delattr
from functools import cached_property
class A:
    def __delattr__(self, n):
        print("del", n)
        object.__delattr__(self, n)
    @cached_property
    def total(self):
        return 3
def f():
    a = A()
    a.total
    del a.total
    return a.total
### cp type access
from functools import cached_property
class A:
    @cached_property
    def total(self):
        "doc"
        return 3
    def kind(self):
        return type(type(self).total).__name__, type(self).total.__doc__
def f():
    return A().kind()
### cp doc by class
from functools import cached_property
class A:
    @cached_property
    def total(self):
        "doc"
        return 3
def f():
    kinds = [A]
    return [k.total.attrname for k in kinds]
### dispatch multi inheritance
from functools import singledispatch
class A: pass
class B: pass
class C(A, B): pass
@singledispatch
def show(x): return "object"
@show.register
def _(x: A): return "A"
@show.register
def _(x: B): return "B"
def f():
    return show(C()), show(A()), show(B()), show(1)
### dispatch before registering
from functools import singledispatch
@singledispatch
def show(x): return "object"
early = show(3)
@show.register
def _(x: int): return "int"
def f():
    return early, show(3)
### dispatch named registered called direct
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register
def show_int(x: int): return "int"
def f():
    return show(3), show_int(4)
### dispatch no args
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
def f():
    return show()
### dispatch too many
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
def f():
    return show(1, 2)
### dispatch param named as class
from functools import singledispatch
@singledispatch
def show(list): return "object"
@show.register
def _(list: list): return "list"
def f():
    return show([1]), show(1)
### dispatch abc register order
from functools import singledispatch
from abc import ABC
class Sq: pass
class Shape(ABC): pass
Shape.register(Sq)
@singledispatch
def show(x): return "object"
@show.register
def _(x: Shape): return "shape"
@show.register
def _(x: Sq): return "sq"
def f():
    return show(Sq())
### dispatch metaclass instancecheck
from functools import singledispatch
class M(type):
    def __instancecheck__(cls, o): return True
class P(metaclass=M): pass
@singledispatch
def show(x): return "object"
@show.register
def _(x: P): return "p"
def f():
    return show(3), show(P())
### dispatch rebound class
from functools import singledispatch
class A: pass
@singledispatch
def show(x): return "object"
@show.register
def _(x: A): return "A"
B = A
class A: pass
def f():
    return show(A()), show(B())
### dispatch class used local isinstance rebound
from functools import singledispatch
def isinstance(a, b): return False
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
def f():
    return show(1)
### dispatch function replaced as dict value, via getattr
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
def kinds(fn):
    return fn.dispatch(int)(3), sorted(k.__name__ for k in fn.registry)
def f():
    return kinds(show)
### dispatch impl uses _ afterwards
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register
def _(x: int): return "int"
def f():
    return _(4)
### dispatch missing annotation plain
from functools import singledispatch
@singledispatch
def show(x): return "object"
@show.register(list)
def show_list(x):
    return [show(e) for e in x]
@show.register(tuple)
def show_tuple(x):
    return show_list(list(x))
def f():
    return show([1, (2, 3)])
### dd none factory same name
from collections import defaultdict
def g():
    d = defaultdict(lambda: 0)
    d["a"] += 1
    return d["b"]
def f():
    r = g()
    d = defaultdict(None, {"x": 1})
    try:
        return d["y"]
    except KeyError as e:
        return r, "KeyError", e.args
### dd no factory same name
from collections import defaultdict
def g():
    d = defaultdict(lambda: 0)
    return d["b"]
def f():
    r = g()
    d = defaultdict()
    try:
        d["y"] += 1
    except KeyError as e:
        return r, "KeyError", e.args
### dd contains override
from collections import defaultdict
class D(defaultdict):
    def __contains__(self, k):
        return False
def make():
    return 7
def f():
    d = defaultdict(make)
    d[1] += 1
    d = D(make)
    d[1] = 5
    return d[1]
### dd global rebinding in key
from collections import defaultdict
d = defaultdict(lambda: 0)
old = d
def k():
    global d
    d = defaultdict(lambda: 100)
    return 1
def f():
    d[k()] += 1
    return dict(old), dict(d)
### dd class level 2
from collections import defaultdict
class A:
    counts = defaultdict(lambda: 0)
    counts["x" + "y"] += 1
def f():
    return dict(A.counts), [k for k in A.__dict__ if not k.startswith("__")]
### dd default_factory attr set through setattr
from collections import defaultdict
def f():
    d = defaultdict(lambda: 1)
    setattr(d, "default_factory", None)
    try:
        return d[1]
    except KeyError:
        return "KeyError"
### dd bool eq keys frozen dataclass
from collections import defaultdict
from dataclasses import dataclass
@dataclass(frozen=True)
class K:
    x: int
    def __eq__(self, o):
        print("eq")
        return self.x == o.x
def f():
    d = defaultdict(lambda: 1)
    d[K(1)] += 1
    return d[K(1)]
### suppress not exception
from contextlib import suppress
def f():
    with suppress(int):
        raise ValueError("v")
### suppress own non-exception
from contextlib import suppress
class A: pass
def f():
    with suppress(A, ValueError):
        raise ValueError("v")
    return 1
### suppress before class
from contextlib import suppress
def g():
    with suppress(Mine):
        return 1
try:
    x = g()
except NameError as e:
    x = str(e)
class Mine(Exception): pass
def f():
    return x, g()
### suppress exception with metaclass
from contextlib import suppress
class M(type):
    def __subclasscheck__(cls, k): return True
class E(Exception, metaclass=M): pass
def f():
    with suppress(E):
        raise ValueError("v")
    return "suppressed"
### cm method overridden by class attribute
from contextlib import contextmanager
class A:
    @contextmanager
    def managed(self):
        print("A in")
        yield 1
        print("A out")
    def run(self):
        with self.managed() as x:
            print(x)
class Other:
    def __enter__(self): return 2
    def __exit__(self, *a): print("other out")
class B(A):
    managed = lambda self: Other()
def f():
    A().run(); B().run()
### cm method instance attr by setattr
from contextlib import contextmanager, nullcontext
class A:
    @contextmanager
    def managed(self):
        print("A in")
        yield 1
        print("A out")
    def run(self):
        with self.managed() as x:
            print(x)
def f():
    a = A()
    setattr(a, "managed", lambda: nullcontext(5))
    a.run()
### cm method nested function parameter
from contextlib import contextmanager
class A:
    @contextmanager
    def managed(self):
        print("A in")
        yield 1
        print("A out")
    def run(self, others):
        def go(other):
            with other.managed() as x:
                print(x)
        for each in others:
            go(each)
def f():
    try:
        A().run([A(), None])
    except AttributeError as e:
        return str(e)
### cm method receivers after nested def
from contextlib import contextmanager
class A:
    @contextmanager
    def managed(self):
        print("A in")
        yield 1
        print("A out")
def g(x):
    def inner():
        x = A()
        return x
    inner()
    with x.managed() as v:
        print(v)
def f():
    g(A())
    try:
        g(3)
    except AttributeError as e:
        return str(e)
### cm stopiteration in manager
from contextlib import contextmanager
class A:
    @contextmanager
    def managed(self):
        x = next(iter([]))
        yield x
    def run(self):
        with self.managed() as v:
            return v
def f():
    try:
        A().run()
    except Exception as e:
        return type(e).__name__, str(e)
### co create_task mutable
import asyncio
async def g(xs):
    return len(xs)
async def main():
    xs = [1]
    t = asyncio.create_task(g(xs))
    xs.append(2)
    return await t
def f():
    return asyncio.run(main())
### co create_task raising
import asyncio
async def g(s):
    return int(s)
async def main():
    t = asyncio.create_task(g("x"))
    print("started")
    try:
        return await t
    except ValueError as e:
        return str(e)
def f():
    return asyncio.run(main())
### co gather raising order
import asyncio
async def g(s, d):
    await asyncio.sleep(d)
    return int(s)
async def main():
    try:
        return await asyncio.gather(g("slow", 0.02), g("fast", 0))
    except ValueError as e:
        return str(e)
def f():
    return asyncio.run(main())
### co gather args order
import asyncio
n = 0
def bump():
    global n
    n += 1
    return n
async def g(x):
    return x + n
async def main():
    return await asyncio.gather(g(bump()), g(bump()))
def f():
    return asyncio.run(main())
### co gather mutable args
import asyncio
def push(xs):
    xs.append(1)
    return xs
async def g(xs):
    return len(xs)
async def main():
    xs = []
    return await asyncio.gather(g(push(xs)), g(push(xs)))
def f():
    return asyncio.run(main())
### co gather exception in first, args print
import asyncio
def p(x):
    print("arg", x)
    return x
async def g(x):
    return int(x)
async def main():
    return await asyncio.gather(g(p("a")), g(p("b")))
def f():
    try:
        return asyncio.run(main())
    except ValueError as e:
        return str(e)
### co __await__
import asyncio
class W:
    def __await__(self):
        yield from asyncio_none()
        return 5
def asyncio_none():
    return iter(())
async def main():
    w = W()
    return await w
def f():
    return asyncio.run(main())
### co await non awaitable
import asyncio
async def main(x):
    try:
        return await x
    except TypeError as e:
        return str(e)
def f():
    return asyncio.run(main(3))
### co task twice awaited, task identity
import asyncio
async def g(x):
    return [x]
async def main():
    t = asyncio.create_task(g(1))
    u = asyncio.create_task(g(1))
    a = await t
    b = await t
    return a is b, t == u, a == await u
def f():
    return asyncio.run(main())
### co sleep div zero
import asyncio
async def main(n):
    try:
        await asyncio.sleep(1 / n)
    except ZeroDivisionError as e:
        return str(e)
    return "slept"
def f():
    return asyncio.run(main(0))
### co sleep undefined type
import asyncio
async def main(n):
    try:
        await asyncio.sleep(n)
    except TypeError as e:
        return "TypeError"
    return "slept"
def f():
    return asyncio.run(main("a"))
### co rebinding builtin
import asyncio
def len(x):
    print("len")
    return 3
async def g(x):
    await asyncio.sleep(0)
    return len(x)
async def main():
    print("a")
    t = asyncio.create_task(g([]))
    print("b")
    return await t
def f():
    return asyncio.run(main())
### co own objects str
import asyncio
class A:
    def __init__(self): self.n = 0
    def __str__(self):
        self.n += 1
        return f"A{self.n}"
async def g(a):
    return f"{a}"
async def main():
    a = A()
    t = asyncio.create_task(g(a))
    x = str(a)
    return x, await t
def f():
    return asyncio.run(main())
### co iterator consumed
import asyncio
async def g(it):
    return sum(it)
async def main():
    it = iter([1, 2, 3])
    t = asyncio.create_task(g(it))
    first = next(it)
    return first, await t
def f():
    return asyncio.run(main())
### co task truth and print type
import asyncio
async def g(x):
    return x
async def main():
    t = asyncio.create_task(g(0))
    r = "task" if t else "none"
    return r, type(t).__name__, await t
def f():
    return asyncio.run(main())
### co gather global read
import asyncio
total = 0
async def g(x):
    return x + total
async def main():
    global total
    t = asyncio.create_task(g(1))
    total = 100
    return await t
def f():
    return asyncio.run(main())
### slots post_init object setattr
from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class P:
    x: int
    def __post_init__(self):
        object.__setattr__(self, "area", self.x * 2)
def f():
    try:
        return P(2).area
    except AttributeError as e:
        return str(e)
### slots weakref_slot
from dataclasses import dataclass
@dataclass(slots=True, weakref_slot=True)
class P:
    x: int
def f():
    return P(2)
### slots default del
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int = 5
def f():
    p = P(2)
    del p.x
    return hasattr(p, "x")
### slots class attr default
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int = 5
def f():
    return type(P.x).__name__
### slots set other
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int = 5
class Q:
    def __init__(self): self.z = 1
def f():
    p = P()
    try:
        p.z = 3
    except AttributeError as e:
        return str(e)
    return p.z
### slots other class sets z outside
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int = 5
class Q:
    def __init__(self): self.z = 1
def put(o):
    o.z = 2
def f():
    q = Q()
    put(q)
    try:
        put(P())
    except AttributeError as e:
        return q.z, str(e)
    return "set"
### slots classvar set on instance
from dataclasses import dataclass, field
from typing import ClassVar
@dataclass(slots=True)
class P:
    x: int
    n: ClassVar[int] = 3
def f():
    p = P(1)
    try:
        p.n = 4
    except AttributeError as e:
        return str(e), P.n
    return p.n, P.n
### slots super
from dataclasses import dataclass
@dataclass(slots=True)
class P:
    x: int
    def __repr__(self):
        return super().__repr__()[:3]
def f():
    try:
        return repr(P(1))[:2]
    except TypeError as e:
        return str(e)
### partial args through parameter
from functools import partial
def g(a, b, c=0): return a + b + c
def show(p):
    return p.args
def f():
    return show(partial(g, 1, c=2))
### partial args attr on self
from functools import partial
def g(a, b, c=0): return a + b + c
class H:
    def __init__(self):
        self.p = partial(g, 1)
    def what(self):
        return self.p.args, self.p(3)
def f():
    return H().what()
### partial nested flatten
from functools import partial
def g(a, b, c=0): return a + b + c
def f():
    p = partial(partial(g, 1), 2, c=5)
    return p.func is g, p.args, p.keywords, p()
### partial class attr
from functools import partial
def g(*a): return len(a)
class A:
    go = partial(g, 1)
def f():
    return A().go(2), A.go(2)
### partial kw function/self
from functools import partial
def g(*a, **k): return a, k
def f():
    p = partial(g, 1, function=2, self=3)
    return p(function=4, self=5, given=6), partial(g, named=1, others=2)(more=3)
### partial kw function asked
from functools import partial
def g(*a, **k): return a, k
def f():
    p = partial(g, 1, function=2, self=3)
    return p(function=4, self=5, given=6), p.keywords, p.func is g
### partial getattr func
from functools import partial
def g(a, b): return a - b
def f():
    p = partial(g, 5)
    return getattr(p, "args"), p(3)
### partial repr/eq/name
from functools import partial
def g(a, b): return a - b
def f():
    p = partial(g, 5)
    return hasattr(p, "__name__"), hasattr(p, "args"), type(p).__name__
### partial mutate keywords
from functools import partial
def g(**k): return k
def f():
    h = partial(g, a=1)
    h.keywords["z"] = 5
    i = partial(h, b=2)
    return h(), i.keywords, i(), h.args
### unpack chain
def g():
    yield 1
    yield 2
def f():
    a, b = x = g()
    return a, b, type(x).__name__
### unpack chain 2
def g():
    yield 1
    yield 2
def f():
    try:
        a, b = c, d = g()
    except ValueError as e:
        return str(e)
    return a, b, c, d
### unpack name other function non iterable
def g():
    yield 1
    yield 2
def h():
    x = g()
    a, b = x
    return a
def f():
    x = 5
    try:
        a, b = x
    except TypeError as e:
        return h(), str(e)
### decorator order of registry
class R:
    def __init__(self): self.t = {}
    def register(self, name):
        def deco(fn):
            print("deco", name, fn.__name__)
            self.t[name] = fn
            return fn
        return deco
def p(x):
    print("p", x)
    return x
r = R()
@r.register(p("a"))
def g(x=p("default")):
    return x
def f():
    return r.t["a"](), g()
"""
CASES = dict(case.split("\n", 1) for case in PROGRAMS.strip().removeprefix("### ").split("\n### "))


@pytest.mark.parametrize("name", CASES)
def test_a_doubtful_program_behaves_as_before(name: str) -> None:
    check_same(CASES[name] + "\n", "")

"""Programs with other classes of their own: containers, dataclasses, exceptions; every one must be Markov."""

CLASSES: dict[str, tuple[str, str]] = {
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
}

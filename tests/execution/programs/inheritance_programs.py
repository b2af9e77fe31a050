"""Programs whose classes have operators, properties and bases; every one must be Markov."""

INHERITANCE: dict[str, tuple[str, str]] = {
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
}

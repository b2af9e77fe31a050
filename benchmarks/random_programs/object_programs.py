"""Random programs with classes, dataclasses, exceptions and generators of their own, for the Markov check.

`object_program(seed)` has a function `f(n)` that makes objects, links them, changes them, and asks their operators; it
catches what it raises. Every construct of docs/constructs.md under *Classes* and *Generators* occurs.
"""

from random import Random

_OPERATORS = {
    "__add__": "def __add__(self, other):\n    if not isinstance(other, {C}):\n        return NotImplemented\n"
    "    return {C}(self.a + other.a, self.b)",
    "__radd__": "def __radd__(self, other):\n    return {C}(self.a + 1, [other])",
    "__iadd__": "def __iadd__(self, other):\n    self.a += 1\n    return self",
    "__eq__": "def __eq__(self, other):\n    return isinstance(other, {C}) and self.a == other.a",
    "__lt__": "def __lt__(self, other):\n    return self.a < other.a",
    "__len__": "def __len__(self):\n    return len(self.b)",
    "__bool__": "def __bool__(self):\n    return self.a > {k}",
    "__getitem__": "def __getitem__(self, i):\n    return self.b[i]",
    "__setitem__": "def __setitem__(self, i, v):\n    self.b[i] = v",
    "__contains__": "def __contains__(self, v):\n    return v == self.a or v in self.b",
    "__repr__": "def __repr__(self):\n    return f'{C}({{self.a}}, {{self.b!r}})'",
    "__str__": "def __str__(self):\n    return '<' + str(self.a) + '>'",
    "__iter__": "def __iter__(self):\n    for v in self.b:\n        yield v + self.a",
    "__call__": "def __call__(self, x, *more):\n    return self.a * x + len(more)",
    "__neg__": "def __neg__(self):\n    return {C}(-self.a)",
    "__hash__": "def __hash__(self):\n    return hash(self.a)",
}
_METHODS = [
    "def grow(self, n={k}):\n    self.a += n\n    self.b.append(n)\n    return self",
    "def total(self):\n    t = self.a\n    for v in self.b:\n        t += v\n    return t",
    "@property\ndef half(self):\n    return self.a // 2",
    "@property\ndef size(self):\n    return len(self.b)\n@size.setter\ndef size(self, n):\n    self.b = self.b[:n]",
    "@staticmethod\ndef twice(x):\n    return x * 2",
    "@classmethod\ndef make(cls, n):\n    cls.made += 1\n    return cls(n)",
    "def link(self, other):\n    self.next = other\n    return other.a",
    "def chain(self):\n    node, seen = self, 0\n    while node is not None and seen < 3:\n        seen += 1\n"
    "        node = getattr(node, 'next', None)\n    return seen",
    "def walk(self, depth=0):\n    yield depth, self.a\n    for v in self.b[:2]:\n        yield depth + 1, v",
    "def check(self):\n    if self.a > {k}:\n        raise Failure('big', self.a)\n    return self.a",
    "def _{m}(self, x):\n    self.__last = x\n    return self.__last + self.a",
]
_STATEMENTS = [
    "out.append({p}.grow({k}).a)",
    "out.append({p}.total())",
    "out.append({p}.half)",
    "out.append({p}.size)\n{p}.size = 1",
    "out.append({C}.twice({p}.a))",
    "{q} = {C}.make({k})\nout.append({C}.made)",
    "out.append({p}.link({q}))\nout.append({p}.chain())",
    "out.append(list({p}.walk()))",
    "for d, v in {p}.walk():\n    out.append(d + v)",
    "out.append({p}.check())",
    "r = {p} + {q}\nout.append(r.a)",
    "r = {k} + {p}\nout.append(r.a)",
    "{p} += {q}\nout.append({p}.a)",
    "out.append({p} == {q})\nout.append({p} != {p})",
    "out.append({p} < {q})",
    "out.append(len({p}))",
    "if {p}:\n    out.append('true')\nelse:\n    out.append('false')",
    "out.append({p}[0])",
    "{p}[0] = {k}",
    "out.append({k} in {p})",
    "out.append(f'{{{p}}} {{{k}}}')",
    "out.append(str({p}))",
    "for v in {p}:\n    out.append(v)\n    break",
    "out.append([v * 2 for v in {p}])",
    "out.append({p}({k}))",
    "out.append((-{p}).a)",
    "out.append({p} is {q})",
    "out.append(isinstance({p}, {C}))",
    "out.append(type({q}).__name__)",
    "del {p}.a",
    "out.append(hasattr({p}, 'next'))",
    "i = Item({k})\ni.tags.append(n)\nout.append(i == Item({k}, tags=[n]))",
    "i = Item({k}, 'z')\nout.append(repr(i))\nout.append(i.cost())",
    "i, j = Item({k}), Item(2)\nout.append(i < j)",
    "g = count(n)\nout.append(next(g))\nout.append(next(g, 'end'))\nfor x in g:\n    out.append(x)",
    "out.append(sum(count({k})))",
    "out.append(list(both({k})))",
    "m = (x + n for x in [{k}, 2])\nout.append(next(m))\nout.append(list(m))",
    "objects = [{p}, {q}]\nout.append([each.a for each in objects])",
    "table = {{'k': {p}}}\ntable['k'].a = n\nout.append({p}.a)",
    "raise Plain({k})",
    "raise Failure('odd', {k})",
]
_FIXED = """
class Plain(Exception):
    pass
class Failure(ValueError):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code
@dataclass(order=True)
class Item:
    price: int
    name: str = 'x'
    tags: list = field(default_factory=list)
    def cost(self):
        return self.price * 2
def count(n):
    i = 0
    while i < n:
        yield i
        i += 1
    return n
def both(n):
    yield from count(n)
    last = yield from count(1)
    yield last
"""


def object_program(seed: int) -> str:
    """A program with objects and generators; the same seed gives the same program."""
    rng = Random(seed)
    names = ["Box", "Big", "Far"][: rng.randint(1, 3)]
    parts = ["from dataclasses import dataclass, field", _FIXED.strip()]
    parts += [_class(rng, name, names[:index]) for index, name in enumerate(names)]
    return "\n".join([*parts, _entry(rng, names)]) + "\n"


def object_arguments(seed: int) -> str:
    """The arguments of the program's call."""
    return str(seed % 5)


def _class(rng: Random, name: str, before: list[str]) -> str:
    base = rng.choice(before) if before and rng.random() < 0.7 else ""
    chosen = rng.sample(_METHODS, rng.randint(3, len(_METHODS))) if not base else rng.sample(_METHODS, 2)
    operators = rng.sample(sorted(_OPERATORS), rng.randint(1, 8))
    operators = sorted({*operators, "__repr__"})  # without one, an object's text is its address
    if "__eq__" in operators and "__hash__" not in operators:
        operators.append("__hash__")
    if base:
        first = "def __init__(self, a, b=None):\n    super().__init__(a + 1, b)\n    self.c = a"
        more = "def total(self):\n    return super().total() + self.c if hasattr(super(), 'total') else self.c"
        bodies = [first, *([more] if rng.random() < 0.5 else [])]
    else:
        bodies = ["made = 0", "def __init__(self, a, b=None):\n    self.a = a\n    self.b = b or [a, 1]"]
    bodies += [text.replace("{k}", str(rng.randint(0, 4))).replace("{m}", name.lower()) for text in chosen]
    bodies += [_OPERATORS[each].replace("{k}", str(rng.randint(0, 3))).replace("{C}", name) for each in operators]
    lines = [line.replace("{{", "{").replace("}}", "}") for body in bodies for line in body.split("\n")]
    return "\n".join([f"class {name}({base}):" if base else f"class {name}:", *[f"    {line}" for line in lines]])


def _entry(rng: Random, names: list[str]) -> str:
    lines = ["def f(n):", "    out = []", f"    p = {rng.choice(names)}(n)", f"    q = {names[0]}(n + 1, [n, 2])"]
    for _ in range(rng.randint(3, 9)):
        text = rng.choice(_STATEMENTS)
        p, q = rng.sample(["p", "q"], 2)
        filled = text.format(p=p, q=q, k=rng.randint(0, 3), C=rng.choice(names))
        lines.append("    try:")
        lines += [f"        {line}" for line in filled.split("\n")]
        lines.append("    except Failure as error:")
        lines.append("        out.append((str(error), error.code))")
        lines.append("    except Exception as error:")
        lines.append("        out.append(type(error).__name__)")
    return "\n".join([*lines, "    return len(out), out[0]" if rng.random() < 0.1 else "    return out"])

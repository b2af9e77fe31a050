"""Random programs of objects that hold each other, methods that run at operators, and functions that share variables.

`program(seed)` is a source whose function `f(a, xs)` changes objects in ways that its lines do not spell out:
`arguments(seed)` calls it. The same seed always gives the same program. They exist for the tracer, which must notice.
"""

from random import Random

METHODS = {
    "set": "    def set(self, v):\n        self.v = v\n        return self",
    "link": "    def link(self, other):\n        self.next = other\n        other.next = self\n        return other.v",
    "push": "    def push(self, x):\n        self.items.append(x)\n        return len(self.items)",
    "walk": "    def walk(self, k):\n        if k and self.next is not None:\n            return self.next.walk(k - 1)\n        return self.v",
    "twin": "    def twin(self):\n        return Node(self.v, self)",
    "__add__": "    def __add__(self, other):\n        self.items.append(other)\n        return Node(self.v, other)",
    "__iadd__": "    def __iadd__(self, other):\n        self.v = [other]\n        return self",
    "__eq__": "    def __eq__(self, other):\n        return self.v == other\n    __hash__ = object.__hash__",
    "__len__": "    def __len__(self):\n        LOG.append(self)\n        return 3",
    "__bool__": "    def __bool__(self):\n        self.v = [self.v]\n        return True",
    "__getitem__": "    def __getitem__(self, at):\n        if at > 2:\n            raise IndexError(at)\n        self.seen = at\n        return self.items",
    "__setitem__": "    def __setitem__(self, at, v):\n        self.items[at:at] = [v]",
    "__contains__": "    def __contains__(self, x):\n        global TOTAL\n        TOTAL += 1\n        return x in self.items",
    "__call__": "    def __call__(self, x=None):\n        self.next = x\n        return [x]",
    "__getattr__": "    def __getattr__(self, name):\n        if name.startswith('_'):\n            raise AttributeError(name)\n        return LOG",
    "__lt__": "    def __lt__(self, other):\n        return id(self) != id(other) and str(self.v) < str(other.v)",
    "__repr__": "    def __repr__(self):\n        return f'<{self.v}>'",
    "__iter__": "    def __iter__(self):\n        return iter(self.items)",
    "__enter__": "    def __enter__(self):\n        self.items.append(0)\n        return self\n    def __exit__(self, kind, value, where):\n        self.v = kind and kind.__name__\n        return True",
    "half": "    @property\n    def half(self):\n        self.looked = [1]\n        return self.v\n    @half.setter\n    def half(self, v):\n        self.v = v",
    "made": "    @staticmethod\n    def made(x):\n        LOG.append(x)\n        return Node(x)",
    "counted": "    @classmethod\n    def counted(cls, x):\n        cls.kept = x\n        return x",
}
INNER = [
    "    def inner(x):\n        nonlocal n\n        n = n + 1\n        return n",
    "    def inner(x):\n        nonlocal n\n        n = [n, x]\n        return x",
    "    def inner(x):\n        ys.append(x)\n        return ys",
    "    def inner(x, kept=[]):\n        kept.append(x)\n        return kept",
    "    def inner(x):\n        def deep():\n            nonlocal n\n            n = x\n            return p\n        return deep",
    "    def inner(x):\n        p.v = x\n        return lambda: (n, x)",
    "    def inner(x):\n        global TOTAL\n        TOTAL = [x]\n        return TOTAL",
]
STATEMENTS = [
    "{o}.v = {e}", "{o}.next = {o}", "{o}.items.append({e})", "{o}.items = {l}", "del {o}.next", "{o}.fresh = {o}.items",
    "{o}.v += 1", "{o} = {o}.next", "{o} = Node({e}, {o})", "{l}.append({o})", "{l}[0] = {o}", "d[{e}] = {o}",
    "{o}, {o2} = {o2}, {o}", "y = {o}.items", "y.append({o})", "y = [{o}, {o2}]", "y = ({o}, {l})", "z = {o}.{m}",
    "y = {o}.set({e})", "y = {o}.link({o2})", "{o}.push({o2})", "y = {o}.walk(2)", "y = {o}.twin()", "y = {o} + {o2}",
    "{o} += {e}", "y = {o} == {e}", "y = len({o})", "y = bool({o})", "if {o}:\n    y = 1", "y = {o}[1]", "{o}[0] = {e}",
    "y = {e} in {o}", "y = {o}({l})", "y = {o}.missing", "y = sorted([{o}, {o2}])", "y = str({o})", "print({o}, {l})",
    "for w in {o}:\n    y = w", "for w in {l}:\n    y = w\n    {o}.v = w", "with {o} as w:\n    w.v = {e}\n    y = 1 // a",
    "y = {o}.half", "{o}.half = {e}", "y = Node.made({e})", "y = Node.counted({l})", "Node.kept = {l}", "y = Node.kept",
    "y = inner({e})", "y = inner({o})", "n = {e}", "n = {l}", "y = n", "z = inner", "y = z({e})", "LOG.append({e})",
    "{o}.act = {l}.append", "{o}.act({e})", "y = getattr({o}, 'v')", "setattr({o}, 'v', {l})", "y = {{{o}, {o2}}}",
    "y = list(map(inner, {l}))", "y = [inner(w) for w in {l}]", "it = iter({l})", "y = next(it)", "{o}.it = it",
    "y = next({o}.it, 0)", "it = enumerate({l})", "{l}.sort(key=str)", "{l}.pop()", "y = {l}[0]", "y = {l} + [{o}]",
    "try:\n    {o}.v = 1 // 0\nexcept ZeroDivisionError as error:\n    y = error\n    n = error",
    "try:\n    raise KeyError({o})\nexcept KeyError as error:\n    y = error.args\nfinally:\n    {o}.items = []",
    "try:\n    y = {o}.walk(n)\nfinally:\n    {o}.v = {e}", "def late(q={l}):\n    q.append(p)\n    return n\ny = late()",
    "g = lambda q: q + n\ny = g(1)", "del y", "y = Plain()", "y = Bad({o})", "y = type({o})({e})", "TOTAL", "y = y", "a = 0",
    "y = {o}.items is {l}", "y = not {o}", "y = f'{{{o}}}'", "y = {o} and {o2}", "while n and a:\n    a -= 1\n    y = inner(a)",
]  # fmt: skip


def program(seed: int) -> str:
    """The source of one program; its entry is `f`."""
    rng = Random(f"objects {seed}")
    names = rng.sample(sorted(METHODS), rng.randint(4, 14))
    made = "        Node.made_so_far = v\n" if rng.random() < 0.2 else ""
    parts = ["TOTAL = 0", "LOG = []", "class Node:", "    kept = []"]
    parts += ["    def __init__(self, v, next=None):", "        self.v = v", "        self.next = next"]
    parts += [f"        self.items = [v]\n{made}".rstrip(), *(METHODS[name] for name in names)]
    parts += ["class Plain:\n    pass", "class Bad(Exception):\n    pass"]
    parts += ["def f(a, xs):", "    n = 0", "    d = {}", "    y = z = w = it = None", "    ys = [xs, a]"]
    parts += ["    p = Node(a)", "    q = Node(xs, p)", "    r = p", rng.choice(INNER)]
    # Objects of a set that come in an order of their own, two of them alike, stand there by their addresses.
    fitting = [text for text in STATEMENTS if "{{" not in text or "__lt__" not in names]
    for _ in range(rng.randint(4, 14)):
        parts += _statement(rng, fitting)
    return "\n".join([*parts, "    return y, n, p, q, r, d, ys, xs, LOG"]) + "\n"


def _statement(rng: Random, fitting: list[str]) -> list[str]:
    o, other = rng.sample(["p", "q", "r"], 2)
    blanks = {
        "o": o,
        "o2": other,
        "l": rng.choice(["xs", "ys", "LOG", "[a]"]),
        "e": rng.choice(["a", "1", "xs", o, "[2]", "n", "(p, 1)"]),
        "m": rng.choice(["set", "push", "v", "walk"]),
    }
    lines = rng.choice(fitting).format(**blanks).split("\n")
    if rng.random() < 0.6:
        return ["    try:", *(f"        {line}" for line in lines), "    except Exception as failed:", "        y = 0"]
    return [f"    {line}" for line in lines]


def arguments(seed: int) -> str:
    rng = Random(f"arguments {seed}")
    return f"{rng.randint(0, 3)}, {[rng.randint(0, 3) for _ in range(rng.randint(0, 3))]}"

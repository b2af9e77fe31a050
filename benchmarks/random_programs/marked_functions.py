"""Functions and classes that random programs call; each use prints a mark.

Source text only, put together by `benchmarks.random_programs.program_generator`.
"""

PIECES = {
    "tick": """
def tick(tag, value=None):
    print(tag, value)
    return value
""",
    "bump": """
def bump(by):
    global N
    N = N + by if N < 50 else 1
    print("bump", N)
    return N
""",
    "grow": """
def grow(by):
    SHARED.append(by)
    return len(SHARED) % 5
""",
    "sign": """
def sign(value):
    if value < 0:
        return -1
    return value > 0
""",
    "spread": """
def spread(*parts, k=0, **rest):
    print("spread", parts, k, sorted(rest))
    return len(parts) + k
""",
    "Box": """
class Box:
    def __init__(self, v):
        self.v = v
        self.items = {0: v}

    def __add__(self, other):
        print("add", self.v, other)
        return Box(self.v + other)

    def __eq__(self, other):
        print("eq", self.v, other)
        return self.v == other

    def __getitem__(self, at):
        print("get", at)
        return self.items.get(at, 0) + at

    def __setitem__(self, at, v):
        print("set", at, v)
        self.items[at] = v

    def add(self, x, y=1):
        self.v += x * y
        return self.v - 2 * x

    def __repr__(self):
        return f"Box({self.v})"
""",
    "Guard": """
class Guard:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        print("enter")
        return self.swallow, 1

    def __exit__(self, kind, value, where):
        print("exit", kind and kind.__name__)
        return self.swallow
""",
}
"""Definitions by name; a program includes the ones it uses."""
TRUTH = """
    def __bool__(self):
        print("bool", self.v)
        return self.v % 2 == 1

    __hash__ = None
"""
"""In some programs the truth value of a box is a method that prints."""

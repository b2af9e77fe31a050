"""Chains of string operations, and programs that change a collection during iteration. Knows no oracle."""

from dataclasses import dataclass
from random import Random

OPERATIONS = (
    "{}.upper()", "{}.lower()", "{}.swapcase()", "{}.capitalize()", "{}.strip()", "{}.replace('a', 'xy')",
    "{}.replace('b', '')", "{}[::-1]", "{}[1:]", "{}[:-1]", "{} + 'Qz'", "'-' + {}", "{}.removeprefix('a')",
)  # fmt: skip
_LETTERS = "aabbcdeABCxyz  "


@dataclass(frozen=True, slots=True)
class Mutating:
    """A program that changes a collection during iteration, with its calls."""

    what: str
    calls: tuple[str, ...]
    source: str


MUTATING = (
    Mutating(
        "remove while iterating",
        ("[1, 3, 5, 2]", "[4, 1, 7, 9]"),
        """\
def f(xs):
    for x in xs:
        if x % 2:
            xs.remove(x)
    return xs
""",
    ),
    Mutating(
        "append while iterating",
        ("[1, 5]", "[3, 8, 2]"),
        """\
def f(xs):
    for x in xs:
        if x < 9 and len(xs) < 8:
            xs.append(x * 2)
    return xs
""",
    ),
    Mutating(
        "pop while iterating",
        ("[1, 2, 3, 4, 5]", "[7, 7, 1]"),
        """\
def f(xs):
    n = 0
    for x in xs:
        n = n + x
        xs.pop()
    return n
""",
    ),
    Mutating(
        "insert while iterating",
        ("[1, 2]", "[5]"),
        """\
def f(xs):
    for x in xs:
        if len(xs) < 7:
            xs.insert(0, x + 1)
        else:
            break
    return xs
""",
    ),
    Mutating(
        "item set while iterating",
        ("[1, 2, 3]", "[4, 4, 4, 4]"),
        """\
def f(xs):
    for i, x in enumerate(xs):
        xs[i - 1] = x + i
    return xs
""",
    ),
    Mutating(
        "dict grown while iterating",
        ("{'a': 1}", "{'p': 0, 'q': 1}"),
        """\
def f(d):
    try:
        for k in d:
            d[k + 'x'] = 1
    except RuntimeError:
        return len(d)
    return d
""",
    ),
    Mutating(
        "dict item set while iterating",
        ("{'a': 1, 'b': 5}", "{'p': 0}"),
        """\
def f(d):
    for k in d:
        d[k] = d[k] + 1
    return d
""",
    ),
    Mutating(
        "deleted through keys listed",
        ("{'a': 1, 'b': 5}", "{'p': 0, 'q': 1, 'r': 3}"),
        """\
def f(d):
    for k in list(d):
        if d[k] < 2:
            del d[k]
    return d
""",
    ),
)


@dataclass(frozen=True, slots=True)
class Chain:
    """Operations applied to a string, innermost first."""

    operations: tuple[str, ...]
    text: str

    @property
    def composed(self) -> str:
        """A program with all operations in one expression."""
        inner = "s"
        for operation in self.operations:
            inner = operation.format(inner if operation.startswith("{}.") or "[" in operation else f"{inner}")
            inner = f"({inner})" if " + " in operation else inner
        return f"def f(s):\n    t = {inner}\n    return t\n"

    @property
    def arguments(self) -> str:
        return repr(self.text)


def chains(depth: int, count: int, seed: int) -> list[Chain]:
    """Random chains of one depth over strings of 6 to 12 characters."""
    rng = Random(f"{seed} chains {depth}")
    return [
        Chain(tuple(rng.choices(OPERATIONS, k=depth)), "".join(rng.choice(_LETTERS) for _ in range(rng.randint(6, 12))))
        for _ in range(count)
    ]

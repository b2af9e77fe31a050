"""Chains of operations on one value, as text: strings, and integers and lists as the control that is no string.

    x='tram'|x=x.upper()|x=x+'s'>            the question, one operation after another
    'TRAM'|'TRAMS'                           every frame; of a sparse trace every k-th one and always the last

Python itself computes the frames. The same seed gives the same chains.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

KINDS = ("string", "integer", "list")
DEPTHS = (1, 2, 3, 4, 5)
LETTERS = "abcdeiklmnorst"
HELD_OUT = 2**40
"""Evaluation draws seeds from here on."""
_MOST = 24
"""Characters of a value; longer ones end a chain early."""
Operation = tuple[str, Callable[[Any], Any]]


@dataclass(frozen=True, slots=True)
class OperationChain:
    """One value, the operations on it, and every value on the way."""

    kind: str
    first: str
    operations: tuple[str, ...]
    """Each as an expression of x."""
    names: tuple[str, ...]
    """The kind of each operation, for the table of failures."""
    frames: tuple[str, ...]

    @property
    def depth(self) -> int:
        return len(self.operations)

    @property
    def question(self) -> str:
        """The program as text."""
        return "|".join([f"x={self.first}", *(f"x={each}" for each in self.operations)]) + ">"

    def answer(self, every: int) -> str:
        """The frames that a model writes: each `every`-th one and the last; with 0 the last alone."""
        kept = [frame for number, frame in enumerate(self.frames[:-1], start=1) if every and number % every == 0]
        return "|".join([*kept, self.frames[-1]])


def chains(seed: int, kinds: tuple[str, ...] = KINDS) -> Iterator[OperationChain]:
    """An infinite stream of chains of all depths."""
    rng = Random(seed)
    while True:
        found = drawn(rng, rng.choice(kinds), rng.choice(DEPTHS))
        if found is not None:
            yield found


def held_out(kind: str, depth: int, count: int) -> list[OperationChain]:
    """Chains of one kind and depth that training never draws."""
    rng, found = Random(HELD_OUT + 100 * KINDS.index(kind) + depth), list[OperationChain]()
    while len(found) < count:
        chain = drawn(rng, kind, depth)
        if chain is not None:
            found.append(chain)
    return found


def drawn(rng: Random, kind: str, depth: int) -> OperationChain | None:
    """A random chain; None where a value grew too long."""
    value, operations, names, frames = _value(rng, kind), [], [], []
    first = repr(value)
    for _ in range(depth):
        name, text = _DRAW[kind](rng, value)
        value = eval(text, {"__builtins__": {"len": len, "sorted": sorted}}, {"x": value})  # noqa: S307  # our own text
        if len(repr(value)) > _MOST:
            return None
        operations.append(text)
        names.append(name)
        frames.append(repr(value))
    return OperationChain(kind, first, tuple(operations), tuple(names), tuple(frames))


def _value(rng: Random, kind: str) -> Any:
    if kind == "string":
        return "".join(rng.choices(LETTERS, k=rng.randint(3, 9)))
    if kind == "integer":
        return rng.randint(0, 99)
    return [rng.randint(0, 9) for _ in range(rng.randint(2, 5))]


def _string(rng: Random, value: str) -> tuple[str, str]:
    one, two = rng.choice(LETTERS), rng.choice(LETTERS)
    at = rng.randint(1, max(1, len(value) - 1))
    return rng.choice(
        (
            ("replace", f"x.replace('{one}','{two}')"),
            ("upper", "x.upper()"),
            ("swapcase", "x.swapcase()"),
            ("reverse", "x[::-1]"),
            ("slice", f"x[:{at}]"),
            ("slice", f"x[{at}:]"),
            ("append", f"x+'{one}{two}'"),
            ("strip", f"x.strip('{one}{two}')"),
            ("rotate", f"x[{at}:]+x[:{at}]"),
        )
    )


def _integer(rng: Random, value: int) -> tuple[str, str]:
    small, large = rng.randint(2, 9), rng.randint(2, 99)
    return rng.choice(
        (
            ("add", f"x+{large}"),
            ("subtract", f"x-{large}"),
            ("multiply", f"x*{small}"),
            ("divide", f"x//{small}"),
            ("remainder", f"x%{large}"),
            ("negate", "-x"),
        )
    )


def _list(rng: Random, value: list[int]) -> tuple[str, str]:
    digit, at = rng.randint(0, 9), rng.randint(1, max(1, len(value) - 1))
    return rng.choice(
        (
            ("append", f"x+[{digit}]"),
            ("reverse", "x[::-1]"),
            ("sort", "sorted(x)"),
            ("slice", f"x[:{at}]"),
            ("slice", f"x[{at}:]"),
            ("rotate", f"x[{at}:]+x[:{at}]"),
            ("add", f"[i+{digit} for i in x]"),
        )
    )


_DRAW: dict[str, Callable[[Random, Any], tuple[str, str]]] = {"string": _string, "integer": _integer, "list": _list}

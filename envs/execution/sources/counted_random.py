"""Python's random generator that counts what it draws, so that its state is a seed and a position.

The values are those of `random.Random`: a program that seeds its generator gets the numbers it gets without us.
"""

import random
from typing import Any

MOST_WORDS = 10_000_000
"""A generator that drew more words than this is not made again."""


class CountedRandom(random.Random):
    """A generator with its seed and the number of 32-bit words drawn since."""

    seeded: Any = None
    words = 0
    gauss_next: float | None
    """The second normal value of a pair, which `gauss` keeps for its next call."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(0)  # not from the machine's entropy
        self.seed(seed)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin anew; a generator without a seed of its own takes one from `fresh_seed`."""
        if a is None:
            a = self.fresh_seed()
        super().seed(a, version)
        self.seeded, self.words = a if version == 2 else None, 0

    @staticmethod
    def fresh_seed() -> int:
        """The seed where the program gives none; `SourceSet` replaces this by a draw from the functions of `random`."""
        return 0

    def random(self) -> float:
        self.words += 2
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        found = super().getrandbits(k)
        self.words += -(-k // 32)
        return found

    def setstate(self, state: Any) -> None:
        super().setstate(state)
        self.seeded = None  # the position is no longer known

    def become(self, other: "CountedRandom") -> None:
        """Take over the state of another generator."""
        random.Random.setstate(self, other.getstate())
        self.seeded, self.words = other.seeded, other.words

    @property
    def state(self) -> str:
        """Seed, words drawn, and the second normal value that `gauss` keeps, as text; `?` where the seed is unknown."""
        if type(self.seeded) not in (int, str, float, bytes):
            return "?a random generator whose state no seed tells"
        kept = () if self.gauss_next is None else (self.gauss_next,)
        return ", ".join(map(repr, (self.seeded, self.words, *kept)))


CountedRandom.__name__ = CountedRandom.__qualname__ = "Random"
CountedRandom.__module__ = "random"  # what a program sees of it


class ModuleRandom(CountedRandom):
    """The generator behind the functions of the module `random`."""


def random_at(kind: type[CountedRandom], seed: object, words: int, kept: float | None = None) -> CountedRandom:
    """The generator with this seed after this many words."""
    if not 0 <= words <= MOST_WORDS:
        raise ValueError(f"a generator after {words} words")
    made = kind(seed)
    random.Random.getrandbits(made, 32 * words) if words else 0
    made.words, made.gauss_next = words, kept
    return made

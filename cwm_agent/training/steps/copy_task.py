"""Two small sources that any machine learns in seconds, for smoke runs and tests of the training code.

They are real tasks with exact answers, but the shipped models do not need them.
"""

from collections.abc import Iterator
from random import Random

from cwm_agent.training.example import Example

LETTERS = "abcdefghij"


def copies(seed: int) -> Iterator[Example]:
    """Words to copy, half of the time in reverse; without context."""
    rng = Random(seed)
    while True:
        word = "".join(rng.choices(LETTERS, k=rng.randint(1, 8)))
        if rng.random() < 0.5:
            yield Example(b"", f"v0 = v1\nv1={word!r}".encode(), f"v0={word!r}".encode(), "copy")
        else:
            yield Example(b"", f"v0 = v1[::-1]\nv1={word!r}".encode(), f"v0={word[::-1]!r}".encode(), "reverse")


def additions(seed: int) -> Iterator[Example]:
    """Lines of a numbered program of additions; several examples share the program as context."""
    rng = Random(seed)
    while True:
        terms = [rng.randint(0, 9) for _ in range(rng.randint(2, 6))]
        context = "".join(f"{n} x += {term}\n" for n, term in enumerate(terms, start=1)).encode()
        for number, term in enumerate(terms, start=1):
            x = rng.randint(0, 9)
            yield Example(context, f"{number} x={x}".encode(), f"{number + 1} x={x + term}".encode(), "add")

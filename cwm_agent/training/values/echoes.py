"""Texts and lists in which the same parts come again: a reader that looks for what followed last time loses its place.

Each recipe is `(rng, *values drawn before) -> object`.
"""

from collections.abc import Sized
from random import Random

from cwm_agent.training.values import scalars, texts


def gapped(rng: Random) -> str:
    """Words with one or more blanks between and around them."""
    words = [texts.word(rng) for _ in range(rng.randint(1, 6))]
    blank = rng.choice((" ", " ", " ", ",", "\n", "\t", "-"))
    found = "".join(word + blank * rng.choice((1, 1, 2, 3, 5)) for word in words)
    return blank * rng.choice((0, 0, 1, 3)) + (found if rng.random() < 0.4 else found.rstrip())


def gap(rng: Random, text: str) -> str:
    """Blanks, or a blank with a letter beside it, mostly as in the text."""
    held = [at for at, each in enumerate(text) if not each.isalnum()]
    if not held or rng.random() < 0.1:
        return rng.choice((" ", "  ", texts.char(rng)))
    at = rng.choice(held)
    return text[max(0, at - rng.choice((0, 0, 0, 1))) : at + rng.choice((1, 1, 1, 2, 3))]


def echo_letters(rng: Random) -> list[str]:
    """The letters of a text with repeated parts, sometimes its parts."""
    text = texts.echoing(rng)
    size = rng.choice((1, 1, 1, 2, 3))
    return [text[at : at + size] for at in range(0, min(len(text), 30), size)]


def echo_list(rng: Random) -> list[object]:
    """Few different items, many times, in repeated parts."""
    item = rng.choice((scalars.small, scalars.small, scalars.integer, texts.char, texts.word))
    parts: list[list[object]] = [[item(rng) for _ in range(rng.randint(1, 3))] for _ in range(rng.randint(1, 3))]
    return [each for _ in range(rng.randint(1, 6)) for each in rng.choice(parts)][:16]


def echo_item(rng: Random, held: list[object]) -> object:
    """Mostly an item of the list."""
    return rng.choice(held) if isinstance(held, list) and held and rng.random() < 0.9 else scalars.small(rng)


def whitespace(rng: Random) -> str:
    return rng.choice((" ", "\t", "\n", "\r", "\x0b", "\x0c"))


def rising_list(rng: Random) -> list[int]:
    """Six to twenty numbers, mostly sorted."""
    found = [rng.randint(0, rng.choice((9, 99, 1000))) for _ in range(rng.randint(6, 20))]
    return sorted(found) if rng.random() < 0.7 else found


def beyond(rng: Random, held: Sized) -> int:
    """A place just inside or outside of either end."""
    size = len(held)
    return rng.choice((size, size, size + 1, size + rng.randint(0, 6), size - 1, size - 2, -size, -size - 1, -size + 1))

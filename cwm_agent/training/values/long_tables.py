"""Long lists, and texts and lists in which the same parts come again: a small network loses its place in them.

Each recipe is `(rng, *values drawn before) -> object`.
"""

from collections.abc import Sized
from random import Random

from cwm_agent.training.values import scalars, texts


def _length(rng: Random) -> int:
    return rng.randint(11, 40) if rng.random() < 0.5 else rng.randint(21, 160)


def table(rng: Random) -> list[object]:
    """From 11 to 160 items of one type; neighbours may be equal."""
    count = _length(rng)
    chance = rng.random()
    if chance < 0.3:
        few = [rng.choice((0, 1, 2, 3, 5, 7, 10, 12, -1)) for _ in range(rng.randint(2, 5))]
        return [rng.choice(few) for _ in range(count)]
    if chance < 0.45:
        return [rng.random() < 0.4 for _ in range(count)]
    if chance < 0.75:
        item = scalars.narrow(rng) if rng.random() < 0.6 else scalars.integer
        return [item(rng) for _ in range(count)]
    if chance < 0.85:
        start, step = rng.randint(-5, 30), rng.choice((1, 1, 2, 3, 5, 10, 100))
        return [start + step * at for at in range(count)]
    return [texts.char(rng) if chance < 0.95 else texts.word(rng) for _ in range(count)]


def ladder(rng: Random) -> list[object]:
    """Numbers that grow fast and look similar: 1, 3, 10, 30, 100, 300."""
    steps = rng.sample((1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 25, 75), rng.randint(1, 4))
    found = [step * 10**power for power in range(rng.randint(2, 5)) for step in sorted(steps)]
    return sorted(found) if rng.random() < 0.8 else rng.sample(found, len(found))


def run(rng: Random) -> list[object]:
    """One item many times, sometimes with another one at the end or inside."""
    item = rng.choice((0, 0, 0, 1, -1, None, False, False, True, True, "", " ", ".", "0", "#", 999, 0.0))
    found: list[object] = [item] * rng.choice((rng.randint(8, 20), rng.randint(10, 120)))
    if rng.random() < 0.35:
        found[rng.randrange(len(found))] = rng.choice((1, 5, True, "x", None, 42))
    return found


def char_run(rng: Random) -> str:
    """One character many times, sometimes with others around."""
    sign = rng.choice(" -=*#.0aAxyz") if rng.random() < 0.7 else texts.char(rng)
    found = sign * rng.choice((rng.randint(12, 30), rng.randint(18, 90)))
    chance = rng.random()
    return found if chance < 0.6 else found + texts.word(rng) if chance < 0.8 else texts.word(rng) + found


def big_text(rng: Random) -> str:
    """A text of 20 to 200 characters."""
    found = texts.text(rng)
    wanted = rng.randint(20, 70) if rng.random() < 0.6 else rng.randint(60, 200)
    while len(found) < wanted:
        found += rng.choice((" ", "", "-")) + texts.text(rng)
    return found[:200]


def many(rng: Random) -> int:
    """A number of repetitions, small or large."""
    return rng.choice((rng.randint(1, 12), rng.randint(8, 40), rng.randint(10, 120), rng.randint(10, 500)))


def one_plain(rng: Random) -> list[object]:
    """A list of one plain item, for repetition."""
    return [rng.choice((0, 0, 0, 1, -1, None, False, True, "", " ", ".", 100, 0.0, "ab", 7))]


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

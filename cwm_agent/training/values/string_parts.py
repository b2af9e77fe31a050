"""Operands made from a string: a substring, a separator, a prefix or suffix, characters to strip or translate.

Each recipe is `(rng, text) -> object`; most results occur in the text, some do not.
"""

from random import Random

from cwm_agent.training.values import texts


def part(rng: Random, text: str) -> str:
    """Mostly a substring of the text, more often short than long."""
    if not text or rng.random() < 0.15:
        return texts.char(rng) if rng.random() < 0.7 else texts.word(rng)
    length = rng.choices((1, 2, 3, rng.randint(1, len(text))), (60, 18, 10, 12))[0]
    start = rng.randrange(len(text))
    found = text[start : start + length]
    return found.swapcase() if rng.random() < 0.06 else found


def almost(rng: Random, text: str) -> str:
    """A substring with one character added, removed or changed, so that it mostly does not occur."""
    start = 0 if rng.random() < 0.5 else rng.randrange(len(text) + 1)
    found = text[start : start + rng.choice((2, 3, 4, 6, 10, len(text) or 1))]
    at = rng.randrange(len(found) + 1)
    added = texts.char(rng) if rng.random() < 0.6 or not text else rng.choice(text)
    return (
        found[:at] + added + found[at + rng.choice((0, 0, 1)) :] if rng.random() < 0.8 else found[:at] + found[at + 1 :]
    )


def mark(rng: Random, text: str) -> str:
    """A separator to split the text at; mostly one that occurs."""
    held = [letter for letter in text if not letter.isalnum()]
    if held and rng.random() < 0.75:
        found = rng.choice(held)
        return found * 2 if found * 2 in text and rng.random() < 0.4 else found
    return part(rng, text) if rng.random() < 0.6 else rng.choice((" ", ",", "-", "\n", "/", ", ", ".", "_", ":"))


def one(rng: Random, text: str) -> str:
    """One character; at least half of the time one of the text."""
    return rng.choice(text) if text and rng.random() < 0.7 else texts.char(rng)


def head(rng: Random, text: str) -> str:
    """A prefix of the text half of the time."""
    if text and rng.random() < 0.55:
        return text[: rng.choice((1, 1, 2, 3, rng.randint(0, len(text)), len(text)))]
    return part(rng, text)


def tail(rng: Random, text: str) -> str:
    """A suffix of the text half of the time."""
    if text and rng.random() < 0.55:
        return text[-rng.choice((1, 1, 2, 3, rng.randint(1, len(text)), len(text))) :]
    return part(rng, text)


def heads(rng: Random, text: str) -> tuple[str, ...]:
    return tuple(head(rng, text) for _ in range(rng.randint(1, 3)))


def tails(rng: Random, text: str) -> tuple[str, ...]:
    return tuple(tail(rng, text) for _ in range(rng.randint(1, 3)))


def ends(rng: Random, text: str) -> str:
    """Characters to strip; mostly some are at an end of the text."""
    found = [*text[:2], *text[-2:]]
    rng.shuffle(found)
    found = found[: rng.randint(1, 3)]
    if rng.random() < 0.25:
        found.append(texts.char(rng))
    return "".join(found) or rng.choice((" ", "-", "ab"))


def width(rng: Random, text: str) -> int:
    """A width to pad to; mostly larger than the length of the text."""
    return len(text) + rng.choice((1, 2, 3, 4, 5, 7, 10, 0, -1, -3)) if rng.random() < 0.8 else rng.randint(0, 30)


def as_long(rng: Random, text: str) -> str:
    """A string of the same length, as `maketrans` needs."""
    return "".join(rng.choices(texts.LOWER + texts.UPPER, k=len(text) + (1 if rng.random() < 0.03 else 0)))


def table_for(rng: Random, text: str) -> dict[int, object]:
    """A translation table for some letters of the text; None deletes."""
    held = [letter for letter in dict.fromkeys(text) if rng.random() < 0.6][:4] or ["a"]
    return {ord(letter): _translation(rng) for letter in held}


def _translation(rng: Random) -> object:
    chance = rng.random()
    return ord(texts.char(rng)) if chance < 0.75 else None if chance < 0.9 else texts.word(rng)


def letters_map(rng: Random) -> dict[str, object]:
    return {texts.char(rng): texts.char(rng) for _ in range(rng.randint(0, 4))}

"""Operands of plain lines that a model slips on: signs, lengths, keys and beginnings that are nearly those of another.

Each recipe is `(rng, *values drawn before) -> value`.
"""

from collections import Counter, defaultdict
from math import gcd
from random import Random

from cwm_agent.training.values import texts
from cwm_agent.training.values.changed.disturbed_values import disturbed


def below_nothing(rng: Random) -> int:
    """A negative number, mostly of two digits."""
    return -(rng.randint(1, 99) if rng.random() < 0.75 else rng.randint(1, 5000))


def round_divisor(rng: Random) -> int:
    """What programs reduce places, hours or letters by."""
    return rng.choice((2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 24, 26, 60, 97, 100, rng.randint(2, 40)))


def some_modulus(rng: Random) -> int:
    return rng.choice((3, 5, 7, 9, 10, 11, 13, 17, 19, 23, 26, 29, 31, rng.randint(2, 40)))


def coprime(rng: Random, modulus: int) -> int:
    """A number that has an inverse, mostly."""
    found = rng.randint(1, 2 * modulus)
    return found if gcd(found, modulus) == 1 or rng.random() < 0.05 else modulus + 1


def cents_total(rng: Random) -> int:
    return rng.randint(10 ** rng.randint(1, 5), 10**6)


def rival_total(rng: Random, total: int) -> int:
    """A number of as many digits, or nearly the same."""
    return total + rng.choice((-1, 1)) * rng.choice((0, 1, 10, 100, rng.randint(1, 9999))) or 1


def narrow_form(rng: Random) -> str:
    return rng.choice(("02b", "03b", "04b", "08b", "b", "x", "02x", "03d", "5", ">4", "+d", "05", "o", ",", "04X"))


def keyed_by_pairs(rng: Random) -> dict[object, object]:
    """A dict whose keys are tuples of two words, two numbers or one of each."""
    first, second = rng.choice(((texts.word, texts.word), (_small, _small), (texts.word, _small), (_small, texts.word)))
    value = rng.choice((_small, cents_total, texts.word))
    return {(first(rng), second(rng)): value(rng) for _ in range(rng.randint(1, 5))}


def _small(rng: Random) -> int:
    return rng.randint(-3, 9)


def begun_row(rng: Random) -> object:
    """A row of numbers and words, as a list or a tuple."""
    row = [_small(rng) if rng.random() < 0.6 else texts.word(rng) for _ in range(rng.randint(1, 5))]
    return row if rng.random() < 0.4 else tuple(row)


def row_rival(rng: Random, row: list[object] | tuple[object, ...]) -> object:
    """A row with the same beginning, another end, or more behind it."""
    items = list(row)
    chance = rng.random()
    if chance < 0.35:
        items[-1] = items[-1] + rng.choice((-1, 1)) if isinstance(items[-1], int) else str(items[-1]) + texts.char(rng)
    elif chance < 0.6:
        items.append(_small(rng))
    elif chance < 0.8 and isinstance(items[-1], str):
        items[-1] = rng.choice(("", items[-1][:-1], texts.char(rng), texts.word(rng)))
    elif chance < 0.9:
        items.pop()
    return items if isinstance(row, list) else tuple(items)


def long_dict(rng: Random) -> dict[str, int]:
    """Seven to twenty entries."""
    made = dict.fromkeys((texts.word(rng) for _ in range(rng.randint(7, 20))), 0)
    found = {key: rng.randint(0, 9) for key in made}
    return defaultdict(int, found) if rng.random() < 0.3 else found


def near_one_key(rng: Random, entries: dict[str, int]) -> object:
    """A key that the dict has, or almost."""
    key = rng.choice(list(entries))
    return key if rng.random() < 0.5 else disturbed(rng, key)


def unsorted_row(rng: Random) -> list[int]:
    """Numbers in order but for a few, as a program leaves them that sorts too late."""
    found = sorted(rng.randint(0, 99) for _ in range(rng.randint(2, 9)))
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        found.append(found.pop(rng.randrange(len(found))))
    return found


def tallied_words(rng: Random) -> Counter[str]:
    return Counter({texts.word(rng)[:5]: rng.randint(0, 4) for _ in range(rng.randint(1, 6))})


def shared_words(rng: Random, tally: Counter[str]) -> Counter[str]:
    """A counter that has some keys of another, and some that are almost keys of it."""
    kept = [key for key in tally if rng.random() < 0.6]
    others = [str(disturbed(rng, key)) for key in tally if rng.random() < 0.4]
    return Counter({key: rng.randint(0, 4) for key in (*kept, *others, texts.char(rng))})


def chosen_of(rng: Random) -> int:
    return rng.randint(1, 20)


def place_between(rng: Random, row: list[int]) -> int:
    """A number to be put into a row: one of it, beside one of it, or any."""
    return rng.choice((rng.choice(row), rng.choice(row) + rng.choice((-1, 1)), rng.randint(0, 99)))


def wide_word(rng: Random) -> int:
    """A number as hashes and random generators hold."""
    return rng.getrandbits(rng.randint(17, 38)) | 1 << 16


def low_mask(rng: Random) -> int:
    return rng.choice((255, 255, 65535, 127, 15, 31, 1023, 4294967295, 2147483647))


def low_word(rng: Random) -> int:
    return rng.randint(2, 255)


def some_places(rng: Random) -> int:
    return rng.choice((1, 3, 4, 5, 7, 8, 8, 13, 16, 16, 17))


_STRICT = (
    (r"\d{4}", "2024"), (r"\d{2}", "17"), (r"\d{1,3}", "305"), (r"\d+", "48"), ("[a-z]{3}", "abc"), ("[A-Z]+", "ERROR"),
    (r"\w+", "word_1"), ("[a-z0-9_]{2,7}", "id_7"), ("[A-Z][a-z]+", "Anna"), (r"[+-]?\d+", "-5"), (r"\w{2,5}", "tea"),
    (r"[A-Fa-f0-9]{2}", "a9"), ("(?:GET|POST)", "GET"), ("(?:am|pm)", "pm"),
)  # fmt: skip
_BETWEEN = ("-", ":", "/", " ", r"\.", "@", ", ", "=", "")


def strict_pattern(rng: Random) -> str:
    """An expression of two to five parts that count their letters, some of them groups."""
    found = ""
    for place in range(rng.randint(1, 4)):
        part = rng.choice(_STRICT)[0]
        found += (rng.choice(_BETWEEN) if place else "") + (f"({part})" if rng.random() < 0.45 else part)
    return found + rng.choice(("", "", "", "$", " (.*)"))


def strict_text(rng: Random, pattern: str) -> str:
    """A text that the expression matches, mostly after a small change."""
    found = pattern.removesuffix("$")
    for part, text in sorted(_STRICT, key=lambda pair: -len(pair[0])):
        found = found.replace(f"({part})", part).replace(part, text)
    found = found.replace(" (.*)", f" {texts.word(rng)} {texts.word(rng)}").replace("\\.", ".")
    found = "".join(_like(rng, letter) for letter in found)
    return str(disturbed(rng, found)) if rng.random() < 0.6 else found


def _like(rng: Random, letter: str) -> str:
    if letter.isdigit():
        return rng.choice(texts.DIGITS)
    return rng.choice(texts.LOWER) if letter.islower() and rng.random() < 0.4 else letter

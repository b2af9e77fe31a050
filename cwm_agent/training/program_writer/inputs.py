"""Random arguments by kind, small and simple like those in tests: ints mostly below 100, words, short lists.

Kinds are the words behind the parameters of templates. Knows no program.
"""

from collections.abc import Callable
from random import Random

WORDS = (
    "apple", "banana", "cat", "dog", "hello", "world", "the", "quick", "brown", "fox", "level", "radar",
    "python", "code", "data", "test", "abc", "xyz", "aa", "bb", "Moon", "Sun", "River", "stone", "blue",
    "RED", "Green", "key", "value", "one", "two", "three", "zebra", "yak", "noon", "civic", "banter",
    "mississippi", "kayak", "is", "a", "of", "in", "And", "OR", "tree", "leaf", "root", "x", "y", "z", "q1",
    "v2", "file.txt", "a-b", "foo_bar", "camelCase", "Tom", "Ann", "Bob", "Zoe", "café", "naïve", "über",
    "ß", "東京", "добро", "pizza", "taco", "42", "007", "3.14", "-5", "", "  pad ", "tic", "tac", "toe",
)  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MIXED = "abcdeXYZ 019.,-_!?#@aaeio\t"


def number(rng: Random) -> int:
    """An integer like those in tests."""
    draw = rng.random()
    if draw < 0.55:
        return rng.randint(0, 12)
    if draw < 0.85:
        return rng.randint(0, 99)
    return rng.randint(-99, -1) if draw < 0.95 else rng.randint(100, 5000)


def word(rng: Random) -> str:
    """A word, sometimes a random one."""
    draw = rng.random()
    if draw < 0.6:
        return rng.choice(WORDS)
    if draw < 0.9:
        letters = LETTERS[: rng.choice((2, 3, 5, 26))]
        return "".join(rng.choices(letters, k=_length(rng, 0, 7)))
    return "".join(rng.choices(MIXED, k=_length(rng, 1, 9)))


def text(rng: Random) -> str:
    """A word, a sentence or random letters, up to 60 characters."""
    draw = rng.random()
    if draw < 0.35:
        return word(rng)
    if draw < 0.7:
        words = " ".join(word(rng) for _ in range(rng.randint(2, 5)))
        return words[:60] if rng.random() < 0.8 else words.title()[:60]
    if draw < 0.8:
        return "".join(rng.choices("0123456789", k=_length(rng, 1, 8)))
    if draw < 0.85:
        return rng.choice((",", "-", ", ", ":", "\n", "/", "=", "|")).join(word(rng) for _ in range(rng.randint(1, 5)))[
            :60
        ]
    alphabet = rng.choice((LETTERS, MIXED, "ab", "abc", "ABCabc", "aeioubcd", "xX ", "éüßaяЖ中"))
    return "".join(rng.choices(alphabet, k=_length(rng, 0, 20)))


def _length(rng: Random, least: int, most: int) -> int:
    return rng.randint(least, most) if rng.random() < 0.9 else rng.randint(least, 2 * most)


def _size(rng: Random) -> int:
    draw = rng.random()
    if draw < 0.06:
        return 0
    return rng.randint(1, 6) if draw < 0.85 else rng.randint(7, 14)


def numbers(rng: Random) -> list[int]:
    """A list of integers; small values occur often more than once."""
    size = _size(rng)
    if rng.random() < 0.4:
        return [rng.randint(0, rng.choice((3, 9))) for _ in range(size)]
    return [number(rng) for _ in range(size)]


def words(rng: Random) -> list[str]:
    """A list of words or of single letters."""
    size = _size(rng)
    if rng.random() < 0.25:
        return [rng.choice(LETTERS[:6]) for _ in range(size)]
    found = [word(rng) for _ in range(size)]
    return found + found[: rng.randint(0, 2)]


def _grid(rng: Random) -> list[list[int]]:
    rows, columns = rng.randint(1, 4), rng.randint(1, 4)
    return [[rng.randint(0, 9) for _ in range(columns)] for _ in range(rows)]


def _ragged(rng: Random) -> list[list[int]]:
    return [[rng.randint(0, 20) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(0, 4))]


def _nested(rng: Random, depth: int = 2) -> list[object]:
    def item() -> object:
        return _nested(rng, depth - 1) if depth and rng.random() < 0.35 else rng.randint(0, 20)

    return [item() for _ in range(rng.randint(0, 4))]


def _mixed(rng: Random) -> list[object]:
    makers: list[Callable[[], object]] = [
        lambda: rng.randint(-5, 30), lambda: word(rng), lambda: None, lambda: rng.random() < 0.5,
        lambda: [rng.randint(0, 9) for _ in range(rng.randint(0, 3))], lambda: (rng.randint(0, 9), word(rng)),
        lambda: round(rng.uniform(0, 10), 1), lambda: rng.choice("abcXYZ"),
    ]  # fmt: skip
    return [rng.choice(makers)() for _ in range(rng.randint(0, 6))]


def _dict(rng: Random, key: Callable[[Random], object], value: Callable[[Random], object]) -> dict[object, object]:
    return {key(rng): value(rng) for _ in range(rng.choice((0, 1, 2, 3, 3, 4, 5, 6)))}


def _digits(rng: Random) -> str:
    return "".join(rng.choices("0123456789", k=_length(rng, 1, 7)))


def _brackets(rng: Random) -> str:
    alphabet = rng.choice(("()", "()", "()[]", "<>", "({})", "()a"))
    return "".join(rng.choices(alphabet, k=_length(rng, 0, 10)))


def _small(rng: Random) -> int:
    return rng.randint(0, 6)


def _short(rng: Random) -> list[int]:
    return [rng.randint(0, 9) for _ in range(rng.randint(0, 4))]


def _isodate(rng: Random) -> str:
    return f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def _log(rng: Random) -> str:
    """A line as in a log: a number, a range or a date, then words."""
    begin = rng.choice((f"{number(rng)}-{rng.randint(0, 99)}", _isodate(rng), word(rng), f"#{rng.randint(1, 999)}"))
    return f"{begin} {rng.choice(('INFO', 'WARN', 'Error', 'x=3'))} {text(rng)[:20]}"


MAKERS: dict[str, Callable[[Random], object]] = {
    "int": number,
    "pos": lambda rng: rng.randint(1, 30),
    "small": _small,
    "digit": lambda rng: rng.randint(0, 9),
    "big": lambda rng: rng.randint(10, 9999),
    "float": lambda rng: round(rng.uniform(-5, 50), rng.choice((0, 1, 1, 2))),
    "floats": lambda rng: [round(rng.uniform(0, 20), 1) for _ in range(rng.randint(1, 5))],
    "bool": lambda rng: rng.random() < 0.5,
    "word": word,
    "str": text,
    "char": lambda rng: rng.choice("abcdexyz ,-.:1AZ"),
    "digits": _digits,
    "bits": lambda rng: "".join(rng.choices("01", k=_length(rng, 0, 10))),
    "brackets": _brackets,
    "ints": numbers,
    "full": lambda rng: numbers(rng) or [rng.randint(0, 9)],
    "short": _short,
    "long": lambda rng: [number(rng) for _ in range(rng.randint(8, 30))],
    "size": lambda rng: rng.randint(10, 40) if rng.random() < 0.6 else rng.randint(30, 110),
    "sorted": lambda rng: sorted(numbers(rng)),
    "strs": words,
    "chars": lambda rng: rng.choices(LETTERS[: rng.choice((3, 6, 26))], k=_size(rng)),
    "grid": _grid,
    "ragged": _ragged,
    "nested": _nested,
    "mixed": _mixed,
    "strlists": lambda rng: [words(rng)[:3] for _ in range(rng.randint(0, 3))],
    "pairs": lambda rng: [(word(rng), rng.randint(0, 20)) for _ in range(rng.randint(0, 5))],
    "spans": lambda rng: [(a := rng.randint(0, 20), a + rng.randint(0, 8)) for _ in range(rng.randint(0, 4))],
    "pair": lambda rng: (rng.randint(0, 20), rng.randint(0, 20)),
    "tuple": lambda rng: tuple(numbers(rng)),
    "set": lambda rng: set(numbers(rng)),
    "counts": lambda rng: _dict(rng, word, lambda rng: rng.randint(0, 30)),
    "table": lambda rng: _dict(rng, lambda rng: rng.randint(0, 9), lambda rng: rng.randint(0, 30)),
    "wordmap": lambda rng: _dict(rng, word, word),
    "groups": lambda rng: _dict(rng, word, _short),
    "graph": lambda rng: {n: sorted(rng.sample(range(5), rng.randint(0, 2))) for n in range(rng.randint(2, 5))},
    "triples": lambda rng: [
        (word(rng), rng.randint(0, 12), rng.randint(0, 30)) for _ in range(rng.choice((0, 1, 2, 3, 4)))
    ],
    "isodate": _isodate,
    "isodates": lambda rng: [_isodate(rng) for _ in range(rng.randint(0, 4))],
    "prices": lambda rng: [f"{rng.randint(0, 30)}.{rng.randint(0, 99):02d}" for _ in range(rng.randint(0, 4))],
    "ratios": lambda rng: [f"{rng.randint(-5, 9)}/{rng.randint(1, 12)}" for _ in range(rng.randint(1, 4))],
    "log": _log,
    "zero": lambda rng: 0,
    "nothing": lambda rng: None,
    "maybe": lambda rng: None if rng.random() < 0.4 else number(rng),
}


LONG: dict[str, Callable[[Random], object]] = {
    "int": lambda rng: rng.randint(40, 400),
    "pos": lambda rng: rng.randint(30, 300),
    "small": lambda rng: rng.randint(5, 40),
    "digit": lambda rng: rng.randint(5, 60),
    "str": lambda rng: " ".join(word(rng) for _ in range(rng.randint(12, 40)))[:220],
    "word": lambda rng: "".join(rng.choices(LETTERS[: rng.choice((3, 26))], k=rng.randint(10, 60))),
    "digits": lambda rng: "".join(rng.choices("0123456789", k=rng.randint(20, 80))),
    "bits": lambda rng: "".join(rng.choices("01", k=rng.randint(20, 120))),
    "ints": lambda rng: [number(rng) for _ in range(rng.randint(25, 90))],
    "full": lambda rng: [number(rng) for _ in range(rng.randint(25, 90))],
    "short": lambda rng: [rng.randint(0, 30) for _ in range(rng.randint(15, 60))],
    "long": lambda rng: [number(rng) for _ in range(rng.randint(40, 100))],
    "sorted": lambda rng: sorted(number(rng) for _ in range(rng.randint(25, 90))),
    "strs": lambda rng: [word(rng) for _ in range(rng.randint(15, 50))],
    "chars": lambda rng: rng.choices(LETTERS[: rng.choice((3, 6, 26))], k=rng.randint(20, 70)),
    "grid": lambda rng: [rng.choices(range(10), k=8) for _ in range(rng.randint(5, 9))],
    "pairs": lambda rng: [(word(rng), rng.randint(0, 99)) for _ in range(rng.randint(12, 35))],
    "spans": lambda rng: [(a := rng.randint(0, 200), a + rng.randint(0, 20)) for _ in range(rng.randint(12, 35))],
    "counts": lambda rng: {f"{word(rng)}{i}": rng.randint(0, 99) for i in range(rng.randint(12, 35))},
}
"""Inputs over which a loop takes hundreds of steps; the other kinds stay as they are."""


def long_argument(rng: Random, kind: str) -> str:
    """A random value of that kind as source text, long where it has a length."""
    return source_of((LONG.get(kind) or MAKERS[kind])(rng))


def argument(rng: Random, kind: str) -> str:
    """A random value of that kind as source text."""
    return source_of(MAKERS[kind](rng))


def source_of(value: object) -> str:
    """A value as a literal; sets are sorted, so that the same seed gives the same text."""
    if isinstance(value, set):
        return "{" + ", ".join(map(repr, sorted(value))) + "}" if value else "set()"
    return repr(value)

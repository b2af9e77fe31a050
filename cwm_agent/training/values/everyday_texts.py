"""Texts and errors as ordinary programs meet them: names, phrases, rows of files and logs, tables, real messages.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import string
from collections.abc import Callable
from datetime import date
from random import Random

from cwm_agent.training.values import library_values, scalars, texts

_FIRST = (
    "Ana Ben Carla David Emma Finn Greta Hugo Ines Jonas Kira Leo Mona Nils Olga Paul Rosa Sam Tina Uwe Vera Will Yara "
    "Zoe Alice Bob Carol Dave Eve Frank Grace Heidi Ivan Judy Mallory Oscar Peggy Trent Victor Wendy"
).split()
_LAST = "Adams Baker Chen Diaz Evans Fischer Garcia Hansen Ivanov Jones Kim Lopez Meyer Novak Okoye Patel Rossi".split()
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG", "WARNING", "CRITICAL")


def first_name(rng: Random) -> str:
    return rng.choice(_FIRST)


def full_name(rng: Random) -> str:
    """A name in one of the orders in which names are written."""
    first, last = rng.choice(_FIRST), rng.choice(_LAST)
    return rng.choice((f"{first} {last}", f"{last}, {first}", f"{first.lower()}.{last.lower()}", f"{first[0]}. {last}"))


def phrase(rng: Random) -> str:
    """Two to eight words of the dictionary, in lower case, as a title or as a sentence."""
    words = [texts.word(rng).lower() for _ in range(rng.randint(2, 8))]
    found = " ".join(words)
    return rng.choice((found, found, found.title(), found.capitalize() + rng.choice(".!?")))


def phrases(rng: Random) -> list[str]:
    return [phrase(rng) if rng.random() < 0.7 else texts.word(rng) for _ in range(rng.randint(2, 6))]


def _price(rng: Random) -> str:
    return f"{rng.randint(0, 99)}.{rng.randint(0, 99):02d}"


def _number(rng: Random) -> str:
    return str(rng.randint(0, 10 ** rng.randint(1, 4)))


_FIELDS: tuple[Callable[[Random], str], ...] = (
    *(first_name, full_name, texts.word, _price, _number, library_values.day_text, texts.identifier, texts.coded),
)


def field_line(rng: Random) -> str:
    """A row of a file: fields of several kinds, with one separator, sometimes blanks around them."""
    between = rng.choice((",", ",", ",", ";", "\t", "|", " | ", ", ", ":", "="))
    return between.join(rng.choice(_FIELDS)(rng) for _ in range(rng.randint(2, 5)))


def log_line(rng: Random) -> str:
    """A row of a log: stamp, level, source and message."""
    clock = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}"
    stamp = rng.choice((f"{library_values.day_text(rng)} {clock}", f"[{clock}]", clock))
    source = rng.choice(("", f"{texts.word(rng).lower()}: ", f"[{texts.word(rng).lower()}] "))
    return f"{stamp} {rng.choice(_LEVELS)} {source}{phrase(rng)} {rng.choice(('', _number(rng)))}".rstrip()


def file_text(rng: Random) -> str:
    """Rows below each other, sometimes with an empty one."""
    kind = rng.choice((field_line, field_line, phrase, _setting))
    rows = [kind(rng) if rng.random() < 0.94 else "" for _ in range(rng.randint(2, 4))]
    return "\n".join(rows) + rng.choice(("", "\n"))


def _setting(rng: Random) -> str:
    return f"{texts.identifier(rng)}{rng.choice(('=', ': ', ' = '))}{rng.choice(_FIELDS)(rng)}"


def any_line(rng: Random) -> str:
    return rng.choice((field_line, log_line, phrase, _setting, full_name, path))(rng)


def path(rng: Random) -> str:
    parts = [texts.word(rng).lower() for _ in range(rng.randint(1, 4))]
    ending = rng.choice(("", "", ".py", ".txt", ".tar.gz", ".csv", "/"))
    return rng.choice(("", "/", "./", "../")) + "/".join(parts) + ending


def line_part(rng: Random, line: object) -> str:
    """A separator, a word or a piece of the line; seldom something that is not in it."""
    text = line if isinstance(line, str) else "a,b"
    marks = [each for each in ",;:|=/. -\t@" if each in text]
    if marks and rng.random() < 0.6:
        return rng.choice(marks)
    if rng.random() < 0.15:
        return rng.choice((",", ": ", "=", texts.word(rng)))
    start = rng.randrange(len(text) or 1)
    return text[start : start + rng.randint(1, 5)] or ","


def ruled_cells(rng: Random) -> list[str]:
    """Cells of a table: padded words, or rows of dashes."""
    if rng.random() < 0.4:
        return [rng.choice("-=*#") * rng.randint(1, 12)] * rng.randint(1, 2) + ["-" * rng.randint(1, 12) for _ in "ab"]
    return [texts.word(rng).ljust(rng.randint(1, 10)) for _ in range(rng.randint(2, 5))]


def joint(rng: Random) -> str:
    return rng.choice((" | ", "-+-", "+", "|", ", ", " -> ", "->", "; ", "\n", "\n", " / ", "-", " ", "", "...", "\t"))


def padded_digits(rng: Random) -> str:
    """Digits, often with zeros before them, as clocks and dates have them."""
    return f"{rng.randint(0, rng.choice((9, 60, 999))):0{rng.randint(1, 4)}d}"


def digit_texts(rng: Random) -> list[str]:
    return [padded_digits(rng) for _ in range(rng.randint(2, 6))]


def clock_text(rng: Random) -> str:
    between = rng.choice((":", ":", ":", "-", ".", "/"))
    return between.join(padded_digits(rng) for _ in range(rng.randint(2, 4)))


def maker_letters(rng: Random) -> dict[str, object]:
    """A table for `str.maketrans`: letters or marks to texts, numbers or nothing."""
    letters = rng.sample(string.ascii_letters + string.punctuation, rng.randint(1, 6))
    kind = rng.choice((lambda: " ", lambda: None, lambda: texts.char(rng), lambda: rng.choice(("", "--", "oo"))))
    return {letter: kind() for letter in letters}


def translation(rng: Random) -> dict[int, object]:
    """The table that `str.maketrans` makes: codes to codes, texts or nothing."""
    if rng.random() < 0.5:
        return dict(str.maketrans(maker_letters(rng)))
    count = rng.randint(1, 6)
    return dict(str.maketrans("aeiost"[:count], "431057"[:count], rng.choice(("", "", ".,!", "-"))))


_FAILING: tuple[Callable[[Random], object], ...] = (
    lambda rng: int(rng.choice((texts.word(rng), "", "3.5", "1,200", "x9", "12a", " "))),
    lambda rng: float(rng.choice((texts.word(rng), "", "1,5", "$3"))),
    lambda rng: {}[texts.word(rng)],  # type: ignore[index]
    lambda rng: {}[scalars.small(rng)],  # type: ignore[index]
    lambda rng: {}[(1, scalars.small(rng))],  # type: ignore[index]
    lambda rng: [][scalars.small(rng)],
    lambda rng: ()[scalars.small(rng)],
    lambda rng: texts.word(rng)[99],
    lambda rng: [].pop(),
    lambda rng: dict[str, int]().pop(texts.word(rng)),
    lambda rng: set[str]().remove(texts.word(rng)),
    lambda rng: [1].remove(2),
    lambda rng: [1, 2].index(scalars.small(rng) + 5),
    lambda rng: texts.word(rng).index("@"),
    lambda rng: 1 / 0,
    lambda rng: 1 // 0,
    lambda rng: 5 % 0,
    lambda rng: 1.5 / 0,
    lambda rng: texts.word(rng) + scalars.small(rng),  # type: ignore[operator]
    lambda rng: scalars.small(rng) + texts.word(rng),  # type: ignore[operator]
    lambda rng: [1] + (2,),  # type: ignore[operator]
    lambda rng: None + 1,  # type: ignore[operator]
    lambda rng: texts.word(rng) > 3,  # type: ignore[operator]
    lambda rng: len(scalars.small(rng)),  # type: ignore[arg-type]
    lambda rng: int(None),  # type: ignore[call-overload]
    lambda rng: int([1]),  # type: ignore[call-overload]
    lambda rng: max([]),
    lambda rng: date(2024, 13, 1),
    lambda rng: date(2023, 2, 29),
    lambda rng: date.fromisoformat(rng.choice(("2024-13-01", texts.word(rng), "24-1-1"))),
    lambda rng: None.name,  # type: ignore[attr-defined]
    lambda rng: texts.word(rng).push(1),  # type: ignore[attr-defined]
    lambda rng: [1, 2].add(3),  # type: ignore[attr-defined]
    lambda rng: chr(-1),
    lambda rng: {[]: 1},
    lambda rng: next(iter([])),
)


def _unpacked(rng: Random) -> None:
    _, _, _ = range(rng.choice((1, 2, 4)))


def real_error(rng: Random) -> BaseException:
    """An error that Python itself raised, or one with a message as programs write it."""
    chance = rng.random()
    if chance < 0.3:
        message = rng.choice((phrase, _complaint, _complaint))(rng)
        kind = rng.choice((ValueError, ValueError, KeyError, RuntimeError, TypeError, LookupError, ArithmeticError))
        return kind(message) if rng.random() < 0.85 else kind(message, scalars.small(rng))
    try:
        (_unpacked if chance < 0.34 else rng.choice(_FAILING))(rng)
    except Exception as error:
        return error.with_traceback(None)
    return ValueError(phrase(rng))


def _complaint(rng: Random) -> str:
    word, number = texts.word(rng), scalars.integer(rng)
    forms = (f"unknown {word}: {texts.word(rng)!r}", f"{word} must be positive, got {number}", f"bad {word} {word!r}")
    return rng.choice((*forms, f"line {number}: {phrase(rng)}", f"need {number} more", f"{word}: {number} left"))


def stopped(rng: Random) -> StopIteration:
    """The end of a generator, with what it returned."""
    return StopIteration(rng.choice((None, scalars.scalar(rng), (scalars.small(rng), float(scalars.small(rng))))))


def error_class(rng: Random) -> type[BaseException]:
    return rng.choice((ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, RuntimeError, AttributeError))


def maketrans_function(_: Random) -> Callable[..., object]:
    return str.maketrans


def turned(rng: Random, letters: object) -> str:
    """The same letters from another one on."""
    text = letters if isinstance(letters, str) else "abc"
    start = rng.randint(0, len(text))
    return text[start:] + text[:start]


def marks_table(rng: Random) -> dict[str, object]:
    """All marks, or many of them, each to a blank or to nothing."""
    marks = rng.choice((string.punctuation, string.punctuation, string.punctuation[: rng.randint(6, 20)]))
    fill = rng.choice((" ", " ", "", None, "_", "-"))
    return dict.fromkeys(marks, fill)


def marks_translation(rng: Random) -> dict[int, object]:
    return dict(str.maketrans(marks_table(rng)))


def whole_alphabet(rng: Random) -> str:
    """The letters of one case, sometimes with the digits behind them."""
    found = rng.choice((string.ascii_lowercase, string.ascii_lowercase, string.ascii_uppercase))
    return found + string.digits if rng.random() < 0.2 else found


def turned_alphabet(rng: Random, letters: object) -> str:
    """The same letters from another one on, backwards, or in the other case."""
    text = letters if isinstance(letters, str) else string.ascii_lowercase
    return rng.choice((turned(rng, text), turned(rng, text), text[::-1], text.swapcase()))


def long_phrase(rng: Random) -> str:
    """Eight to sixteen short words, as texts that are wrapped have."""
    words = [texts.word(rng).lower()[: rng.randint(1, 9)] for _ in range(rng.randint(6, 14))]
    return " ".join(words) + rng.choice(("", ".", ""))


def indented_lines(rng: Random) -> str:
    """Lines of which most begin with the same blanks, and some with more."""
    margin = " " * rng.randint(0, 4)
    rows = [margin + rng.choice(("", "", "  ")) + texts.word(rng) for _ in range(rng.randint(1, 4))]
    return rng.choice(("", "\n")) + rng.choice(("\n", "\n", "\n\n")).join(rows) + rng.choice(("", "\n"))


def later_word(rng: Random) -> str:
    """Words of which the first begins like one of those behind it."""
    word = texts.word(rng)
    start = word[: rng.randint(1, max(1, len(word) - 1))]
    return f"{start}{texts.char(rng)} {word}{rng.choice(('', ' ' + texts.word(rng)))}"


def last_word(rng: Random, line: object) -> str:
    """A word of the line, or one that only begins like it."""
    words = line.split() if isinstance(line, str) else []
    word = rng.choice(words) if words else texts.word(rng)
    return word if rng.random() < 0.7 else word[:-1] + texts.char(rng)


def bracketed(rng: Random) -> str:
    """A template for `%` with two fields and marks around them."""
    first, second = rng.choice((("%r", "%d"), ("%s", "%d"), ("%r", "%r"), ("%s", "%s"), ("%s", "%r")))
    word = texts.word(rng)
    return rng.choice(
        (f"{word} {first} at {second}", f"{first}[{second}]", f"({first}, {second})", f"<{first}:{second}> {word}")
    )


def word_or_mark(rng: Random) -> str:
    return rng.choice((texts.word(rng), rng.choice("()[]{}<>,;:+-*/='\"")))


def mark_and_place(rng: Random) -> tuple[str, int]:
    return word_or_mark(rng), rng.choice((0, 1, rng.randint(0, 99)))


def marks(rng: Random) -> str:
    return rng.choice((string.punctuation, string.punctuation, ".,!?", "".join(rng.sample(string.punctuation, 8))))


def dots(rng: Random) -> str:
    return rng.choice(("...", "...", "..", " ...", " [...]", "~"))


def margin(rng: Random) -> str:
    return rng.choice(("  ", "    ", "> ", "# ", "- "))

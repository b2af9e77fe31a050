"""Random regular expressions of the everyday kind, and texts that they match or nearly match.

An expression is a row of parts, each with a recipe for a text that it matches; some parts are groups.
"""

import re
from collections.abc import Callable
from random import Random

from cwm_agent.training.values import texts

Recipe = Callable[[Random], str]


def _digits(least: int, most: int) -> Recipe:
    return lambda rng: "".join(rng.choice("0123456789") for _ in range(rng.randint(least, most)))


def _one_of(*choices: str) -> Recipe:
    return lambda rng: rng.choice(choices)


def _letters(rng: Random) -> str:
    return texts.syllables(rng).lower()


def _capitalised(rng: Random) -> str:
    return _letters(rng).capitalize()


def _phrase(rng: Random) -> str:
    return " ".join(texts.word(rng) for _ in range(rng.randint(1, 3)))


_PARTS: tuple[tuple[str, Recipe], ...] = (
    (r"\d+", _digits(1, 4)),
    (r"\d{4}", _digits(4, 4)),
    (r"\d{2}", _digits(2, 2)),
    (r"\d{1,3}", _digits(1, 3)),
    (r"\d", _digits(1, 1)),
    (r"\d*", _digits(0, 3)),
    (r"\w+", texts.word),
    (r"\w*", texts.word),
    (r"\w", _one_of("a", "k", "7", "_", "Z")),
    (r"[a-z]+", _letters),
    (r"[A-Z]+", lambda rng: _letters(rng).upper()),
    (r"[A-Z]\w*", _capitalised),
    (r"[A-Z][a-z]+", _capitalised),
    (r"[a-z0-9]+", lambda rng: _letters(rng) + _digits(0, 2)(rng)),
    (r"[A-Za-z]+", _capitalised),
    (r"[aeiou]", _one_of(*"aeiou")),
    (r"[^,]+", _phrase),
    (r"[^ ]+", texts.word),
    (r"\S+", texts.word),
    (r".*", _phrase),
    (r".+", _phrase),
    (r"[+-]?\d+", lambda rng: rng.choice(("", "+", "-")) + _digits(1, 3)(rng)),
    (r"\d+\.\d+", lambda rng: f"{rng.randint(0, 99)}.{rng.randint(0, 99)}"),
    (r"\d{2}:\d{2}", lambda rng: f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"),
    (r"\d{4}-\d{2}-\d{2}", lambda rng: f"{rng.randint(1990, 2035)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"),
    (r"(?:a|b)+", lambda rng: "".join(rng.choice("ab") for _ in range(rng.randint(1, 3)))),
    (r"[a-z]{3}", lambda rng: _letters(rng)[:3].ljust(3, "a")),
    (r"[a-z0-9_]{2,7}", lambda rng: (_letters(rng) + "_9")[-rng.randint(2, 7) :]),
    (r"\w{2,5}", lambda rng: texts.word(rng)[:5]),
    (r"[A-Z]{2}\d{3}", lambda rng: _letters(rng)[:2].upper().ljust(2, "A") + _digits(3, 3)(rng)),
    (r"-?\d+", lambda rng: rng.choice(("", "-")) + _digits(1, 3)(rng)),
    (r"\D", _one_of("x", "-", " ", "_")),
    (r"\D+", _letters),
    (r"[^0-9]+", _letters),
    (r"\d+%?", lambda rng: _digits(1, 2)(rng) + rng.choice(("", "%"))),
    (r"(?:\d{3}-)?\d{4}", lambda rng: rng.choice(("", _digits(3, 3)(rng) + "-")) + _digits(4, 4)(rng)),
    (r"cat|dog", _one_of("cat", "dog")),
    (r"GET|POST", _one_of("GET", "POST")),
)
_BETWEEN: tuple[tuple[str, Recipe], ...] = (
    (" ", _one_of(" ")),
    (" ", _one_of(" ")),
    (r"\s+", _one_of(" ", "  ", "\t")),
    (r"\s*", _one_of("", " ")),
    ("-", _one_of("-")),
    (":", _one_of(":")),
    (": ", _one_of(": ")),
    ("=", _one_of("=")),
    (r"\s*=\s*", _one_of("=", " = ", "= ")),
    (",", _one_of(",")),
    (r",\s*", _one_of(",", ", ")),
    ("/", _one_of("/")),
    ("@", _one_of("@")),
    (r"\.", _one_of(".")),
    (r"[,;]\s*", _one_of(",", "; ", ", ")),
    ("", _one_of("")),
)
_WHOLE = (
    r"\D",
    r"\D+",
    r"[-_]",
    r"[,;]",
    r"\W",
    r"[^\w]",
    r"\d",
    r"[.!?]",
    r"[A-Z]",
    r"(\w)\1",
    r"\b\w",
    r"a.c",
    r"x*",
    r"^\d",
    r"[^a-z]",
    r"\s+",
    r"-",
    r"\.",
    r"\b\w+\b",
    r"\W+",
    r"[aeiou]",
)


def _written(rng: Random) -> tuple[str, Callable[[Random], str]]:
    """An expression and a recipe for texts that it matches, most of the time."""
    count = rng.choice((1, 1, 2, 2, 3, 4))
    grouped = rng.random() < (0.3 if count == 1 else 0.75)
    pieces: list[tuple[str, Recipe]] = []
    for place in range(count):
        if place:
            pieces.append(rng.choice(_BETWEEN))
        text, recipe = rng.choice(_PARTS)
        pieces.append((_group(rng, text, place) if grouped and rng.random() < 0.85 else _whole(text), recipe))
    text = "".join(piece for piece, _ in pieces)
    return _anchored(rng, text), lambda rng: "".join(recipe(rng) for _, recipe in pieces)


def _group(rng: Random, text: str, place: int) -> str:
    return f"(?P<{('key', 'value', 'rest', 'last')[place]}>{text})" if rng.random() < 0.12 else f"({text})"


def _whole(text: str) -> str:
    """A choice stands in brackets, so that it does not reach over its neighbours."""
    return f"(?:{text})" if "|" in text and not text.startswith("(") else text


def _anchored(rng: Random, text: str) -> str:
    return {0: f"^{text}", 1: f"^{text}$", 2: f"{text}$"}.get(rng.randrange(14), text)


_LOG_FIELDS: tuple[tuple[str, str, Recipe], ...] = (
    (
        "day",
        r"\d{4}-\d{2}-\d{2}",
        lambda rng: f"{rng.randint(1990, 2035)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
    ),
    (
        "when",
        r"\S+ \S+",
        lambda rng: f"2024-01-{rng.randint(1, 28):02d} {rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:05",
    ),
    ("time", r"\d\d:\d\d", lambda rng: f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"),
    ("level", r"[A-Z]+", _one_of("INFO", "WARN", "ERROR", "DEBUG")),
    ("level", r"INFO|WARN|ERROR", _one_of("INFO", "WARN", "ERROR")),
    ("source", r"\w+", _letters),
    ("user", r"[\w.]+", lambda rng: f"{_letters(rng)}.{_letters(rng)}"),
    ("host", r"[a-z.]+", lambda rng: f"{_letters(rng)}.org"),
    ("mail", r"\w+@\w+\.\w+", lambda rng: f"{_letters(rng)}@{_letters(rng)}.com"),
    ("size", r"\d+", _digits(1, 4)),
    ("price", r"\d+\.\d\d", lambda rng: f"{rng.randint(0, 99)}.{rng.randint(0, 99):02d}"),
    ("number", r"\d+(?:\.\d+)?", lambda rng: _digits(1, 2)(rng) + rng.choice(("", f".{_digits(1, 2)(rng)}"))),
    ("color", r"#[0-9a-f]{6}", lambda rng: f"#{rng.randrange(1 << 24):06x}"),
    ("text", r".*", _phrase),
    ("rest", r".+", _phrase),
)
_GLUES = ((" ", " "), (": ", ": "), (" - ", " - "), (r"\s+", " "), (r",\s*", ", "), (r"\s*=\s*", " = "), ("/", "/"))
_UNITS = ("h", "m", "s", "d", "w", "kg", "g", "px", "%")


def _fields_written(rng: Random) -> tuple[str, Recipe]:
    """An expression for a row of a log or a file: a group for each field."""
    chosen = rng.sample(_LOG_FIELDS, rng.randint(2, 5))
    chosen = list({name: (name, text, recipe) for name, text, recipe in chosen}.values())
    named, glue = rng.random() < 0.5, rng.choice(_GLUES)
    groups = [f"(?P<{name}>{text})" if named else f"({text})" for name, text, _ in chosen]
    found = glue[0].join(groups)
    written = f"^{found}$" if rng.random() < 0.25 else found
    return written, lambda rng: glue[1].join(recipe(rng) for *_, recipe in chosen)


def _optional_written(rng: Random) -> tuple[str, Recipe]:
    """Numbers with units behind them, each of which may be missing."""
    units = rng.sample(_UNITS, rng.randint(1, 3))
    parts = [f"(?:(\\d+){unit})?" if rng.random() < 0.8 else f"(\\d+){unit}" for unit in units]
    return "".join(parts), lambda rng: "".join(f"{rng.randint(0, 99)}{unit}" for unit in units if rng.random() < 0.7)


def _noted(drawn: tuple[str, Recipe]) -> str:
    _recipes.clear()
    _recipes[drawn[0]] = drawn[1]
    return drawn[0]


def field_expression(rng: Random) -> str:
    return _noted(_fields_written(rng))


def optional_expression(rng: Random) -> str:
    return _noted(_optional_written(rng))


def field_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(field_expression(rng))


def optional_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(optional_expression(rng))


def field_match(rng: Random) -> re.Match[str]:
    """A match of a row of fields, or of numbers with units."""
    while True:
        text, recipe = _fields_written(rng) if rng.random() < 0.75 else _optional_written(rng)
        found = re.match(text, recipe(rng))
        if found is not None and found.re.groups:
            return found


def whole_expression(rng: Random) -> str:
    """What programs look for in a row: numbers, words, marks."""
    return rng.choice(
        (*_WHOLE, r"\d+", r"\w+", r"[A-Z]\w+", r"\d+\.\d+", r"[,;]\s*", r"[^\w\s]", r"\s*[,;|]\s*", r"(\w+)=(\w+)")
    )


def swap_expression(rng: Random) -> str:
    return rng.choice((r"(\w+), (\w+)", r"(\w+) (\w+)", r"(\w+)\.(\w+)", r"(\w)(\w*)", r"(\w+)\W+(\w+)"))


def swap_fill(rng: Random) -> str:
    return rng.choice((r"\2 \1", r"\2, \1", r"\2-\1", r"\1_\2", r"<\2>", r"\g<2> \g<1>"))


_recipes: dict[str, Recipe] = {}
"""Of the expressions drawn last."""


def expression(rng: Random) -> str:
    """A regular expression of the simple kind."""
    if rng.random() < 0.15:
        return rng.choice(_WHOLE)
    text, recipe = _written(rng)
    _recipes.clear()
    _recipes[text] = recipe
    return text


def text_for(rng: Random, expression: object) -> str:
    """A text for the expression drawn last: mostly one that it matches somewhere, else one of other expressions."""
    text = expression.pattern if isinstance(expression, re.Pattern) else str(expression)
    if text not in _recipes or rng.random() < 0.3:
        return _text(rng)
    repeats = rng.randint(2, 3) if rng.random() < 0.35 else 1
    matched = rng.choice((" ", ", ", "; ", "")).join(_recipes[text](rng) for _ in range(repeats))
    if rng.random() < 0.3:
        matched = f"{_text(rng)} {matched}"
    return f"{matched} {texts.word(rng)}" if rng.random() < 0.2 else matched


def _text(rng: Random) -> str:
    """Texts of one to three expressions in a row."""
    parts = [_written(rng)[1](rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    return rng.choice((" ", " ", ", ", "")).join(parts)


def _matched(rng: Random, group: bool) -> re.Match[str]:
    while True:
        text, recipe = _written(rng)
        before, after = (rng.choice(("", "", texts.word(rng) + " ")) for _ in range(2))
        found = re.search(text, before + recipe(rng) + (" " + after if after else ""))
        if found is not None and (found.re.groups or not group):
            return found


def match(rng: Random) -> re.Match[str]:
    """A match."""
    return _matched(rng, group=False)


def grouped_match(rng: Random) -> re.Match[str]:
    """A match with groups."""
    return _matched(rng, group=True)


def compiled(rng: Random) -> re.Pattern[str]:
    """A compiled expression."""
    return re.compile(expression(rng))


_TOKENS: tuple[tuple[str, str, Recipe], ...] = (
    ("word", r"[a-z]+", _letters),
    ("name", r"[A-Za-z_]\w*", _capitalised),
    ("ident", r"[a-z]\w*", lambda rng: _letters(rng) + _digits(0, 1)(rng)),
    ("num", r"\d+", _digits(1, 3)),
    ("float", r"\d+\.\d+", lambda rng: f"{rng.randint(0, 99)}.{rng.randint(0, 99)}"),
    ("op", r"[-+*/]", _one_of(*"+-*/")),
    ("sym", r"[=+*()]", _one_of(*"=+*()")),
    ("paren", r"[()]", _one_of("(", ")")),
    ("space", r"\s+", _one_of(" ", "  ")),
    ("string", r"'[a-z]*'", lambda rng: f"'{_letters(rng)}'"),
    ("hex", r"0x[0-9a-f]+", lambda rng: f"0x{rng.randint(0, 4095):x}"),
    ("arrow", r"->|=>", _one_of("->", "=>")),
    ("NUMBER", r"\d+(?:\.\d+)?", lambda rng: _digits(1, 2)(rng) + rng.choice(("", f".{_digits(1, 2)(rng)}"))),
    ("NAME", r"[A-Za-z_]\w*", _capitalised),
    ("OP", r"[-+*/=()]", _one_of(*"+-*/=()")),
    ("VALUE", r"\d+(\.\d*)?", lambda rng: _digits(1, 2)(rng) + rng.choice(("", ".", f".{_digits(1, 2)(rng)}"))),
    ("COMMA", r"[,;]", _one_of(*",;")),
    ("KEY", r"let|print|if", _one_of("let", "print", "if")),
    ("SKIP", r"[ \t]+", _one_of(" ", "  ")),
    ("NEWLINE", r"\n", _one_of("\n")),
)


def token_expression(rng: Random) -> re.Pattern[str]:
    """A choice of named parts, as small scanners have it; seldom without names."""
    chosen = rng.sample(_TOKENS, rng.choice((2, 3, 3, 4, 4, 5, 6)))
    named = rng.random() < 0.85
    parts = [f"(?P<{name}>{text})" if named else f"({text})" for name, text, _ in chosen]
    found = "|".join(parts)
    return re.compile(rf"\s*(?:{found})" if rng.random() < 0.2 else found)


def token_text(rng: Random, expression: object) -> str:
    """A text of such parts, some of them of another scanner, with blanks between them."""
    pattern = expression.pattern if isinstance(expression, re.Pattern) else ""
    own = [recipe for _, text, recipe in _TOKENS if text in pattern] or [_letters]
    parts = [
        rng.choice(own)(rng) if rng.random() < 0.85 else rng.choice(_TOKENS)[2](rng) for _ in range(rng.randint(1, 6))
    ]
    return rng.choice((" ", " ", "", "  ")).join(parts)[:40]


def text_place(rng: Random, text: object) -> int:
    """A place in a text, or its end."""
    return rng.randint(0, len(text)) if isinstance(text, str) else 0


def token_match(rng: Random) -> re.Match[str]:
    """A match of a choice of named parts, often in the middle of the text."""
    while True:
        expression = token_expression(rng)
        text = token_text(rng, expression)
        found = expression.search(text, rng.choice((0, text_place(rng, text))))
        if found is not None:
            return found


def named_match(rng: Random) -> re.Match[str]:
    """A match whose groups all have names."""
    while True:
        chosen = rng.sample(_TOKENS, rng.randint(2, 3))
        glue = rng.choice((" ", "-", ":", "="))
        text = glue.join(f"(?P<{name}>{part})" for name, part, _ in chosen)
        before = rng.choice(("", "", texts.word(rng) + " "))
        found = re.search(text, before + glue.join(recipe(rng) for _, _, recipe in chosen))
        if found is not None:
            return found


def group_name(rng: Random, match: object) -> object:
    """Mostly the name of a group of the match, else a number."""
    names = list(match.re.groupindex) if isinstance(match, re.Match) else []
    return rng.choice(names) if names and rng.random() < 0.8 else rng.randint(0, 2)


def group_fill(rng: Random) -> str:
    return rng.choice((r"\1", r"<\1>", r"[\1]", r"\1-\1", r"\1 "))


def grouped_expression(rng: Random) -> str:
    """An expression with at least one group."""
    while True:
        text, recipe = _written(rng)
        if re.compile(text).groups:
            _recipes.clear()
            _recipes[text] = recipe
            return text

"""Texts with marks in them and the expressions that find these: tags, names with commas, formulas, templates.

Each recipe is `(rng, *values drawn before) -> text or pattern`.
"""

import re
import string
from random import Random

from cwm_agent.training.values import everyday_texts, texts

_TAGS = ("p", "b", "i", "div", "span", "a", "li", "h1", "em", "ul")


def markup(rng: Random) -> str:
    """A line of markup, some tags with attributes."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        tag = rng.choice(_TAGS)
        given = rng.choice(("", "", "", f" class='{texts.char(rng)}'", f' id="{texts.word(rng)}"'))
        inner = rng.choice((texts.word(rng), f"{texts.word(rng)} <br> {texts.word(rng)}", "", "&amp;"))
        parts.append(f"<{tag}{given}>{inner}</{tag}>")
    return rng.choice(("", " ")).join(parts)


def tag_expression(rng: Random) -> str:
    return rng.choice(
        (
            *(r"<[^>]+>", r"</?(\w+)", r"<\w+", r"</\w+>", r"<(\w+)>", r"<(\w+)[^>]*>(.*?)</\1>", r"&\w+;", r"<.*?>"),
            *(r">([^<]*)<", r"(\w+)='(\w+)'"),
        )
    )


def tag_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(tag_expression(rng))


def formula(rng: Random) -> str:
    """Numbers, signs and brackets, with blanks between some."""
    found = str(rng.randint(0, 99))
    for _ in range(rng.randint(1, 4)):
        blank = rng.choice(("", " ", " "))
        part = rng.choice((str(rng.randint(0, 20)), texts.char(rng), f"({rng.randint(0, 9)} - {rng.randint(0, 9)})"))
        found += f"{blank}{rng.choice('+-*/')}{blank}{part}"
    return f"({found})" if rng.random() < 0.15 else found


def formula_expression(rng: Random) -> str:
    return rng.choice(
        (
            *(r"\s*(?:(\d+)|(.))", r"\d+|[-+*/()]", r"(\d+)|([-+*/])", r"\d+|\w|\S", r"(\d+)\s*([-+*/])", r"[-+*/]"),
            *(r"(?:\d+)", r"\d+(?:\.\d+)?", r"([a-z])|(\d)", r"\(([^()]*)\)"),
        )
    )


def formula_pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(formula_expression(rng))


def turned_names(rng: Random) -> str:
    """Family names before first names, with marks between people."""
    names = [everyday_texts.full_name(rng).split()[:2] for _ in range(rng.randint(1, 3))]
    middle = rng.choice(("", "", f" {texts.word(rng).title()}"))
    return rng.choice(("; ", ";", " / ")).join(f"{name[-1]}, {name[0]}{middle}" for name in names)


def name_expression(rng: Random) -> str:
    return rng.choice((r"(\w+), (\w+)", r"(\w+),\s*(\w+)", r"(\w+) (\w+)", r"(?P<last>\w+), (?P<first>\w+)"))


def name_fill(rng: Random) -> str:
    return rng.choice((r"\2 \1", r"\2 \1", r"\1", r"<\1>", r"\2-\1", r"\g<2>.\g<1>"))


def mark_expression(rng: Random) -> str:
    return rng.choice((r";\s*", r"\s*;\s*", r",\s*", r"\s+", r"[;,/]\s*", r"\s*[,;]\s*", r"(?:, |; )", r" / "))


def flagged_expression(rng: Random) -> str:
    return rng.choice((r"(?i)[a-f]+", r"(?i)the|an?", r"(?m)^\w+", r"(?m)\w+$", r"(?s)a.*z", r"(?i)\bto\b"))


def initial_pattern(rng: Random) -> re.Pattern[str]:
    """What finds the beginning of each word, or a word."""
    return re.compile(
        rng.choice((r"\b(\w)", r"\b\w", r"\w+", r"\b[A-Z]", r"[A-Z]\w*", r"(\w)\w*", r"[aeiou]", r"\d+", r"(\w+)\s*"))
    )


def name_text(rng: Random) -> str:
    return rng.choice((everyday_texts.full_name(rng), everyday_texts.phrase(rng), texts.sentence(rng)))


_WORDS = ("name", "day", "item", "city", "user", "n", "key")


def letter_template(rng: Random) -> str:
    """A text with places for `name`, `amount` and `day`."""
    return rng.choice(
        (
            *(
                "Dear {name}, you owe {amount:.2f} EUR since {day}.",
                "{name}: {amount} ({day})",
                "{day} {name:<8}{amount:>8}",
            ),
            *("Hi {name}! {day}: {amount:.1f}", "{name:>10}|{amount:6.2f}|{day}", "{amount:05.1f} by {name} on {day}"),
            *("<{name}> {day} = {amount:8.3f}", "{name} - {name} - {day} {amount!r}"),
        )
    )


def place_template(rng: Random) -> str:
    """A text with a text, a whole number and something named `n`."""
    return rng.choice(
        (
            *(
                "{1:04d}|{0:>12}|{n}",
                "{0} {1} {n}",
                "{0:<10}{1:>5}{n}",
                "{n}: {0!r} {1:+d}",
                "{1:x}-{0}-{n}",
                "{0:^9}|{1:3d}|{n}",
            ),
            *("{0}{0}{1:05d}{n!r}", "{1:b} {0:.3} {n:>4}"),
        )
    )


def dollar(rng: Random) -> float:
    whole = rng.choice((float(rng.randint(0, 99)), rng.randint(0, 99)))
    return rng.choice((rng.randint(0, 400) / 4, whole, round(rng.uniform(0, 500), 2)))


def letters_constant(rng: Random) -> str:
    return rng.choice((string.ascii_letters, string.ascii_lowercase, string.ascii_uppercase, string.digits))


def all_letters(_: Random) -> str:
    return string.ascii_letters


def turned_letters(rng: Random, letters: object) -> str:
    """Both alphabets, each turned by as many places, or backwards."""
    by = rng.randint(1, 25)
    low, high = string.ascii_lowercase, string.ascii_uppercase
    if not isinstance(letters, str) or len(letters) != 52:
        return str(letters)[::-1]
    return rng.choice((low[by:] + low[:by] + high[by:] + high[:by], letters[::-1], low[::-1] + high[::-1], high + low))


def separator_text(rng: Random) -> str:
    """Words with a word, a comma or a mark between them."""
    mark = rng.choice((" and ", " or ", ", ", " -> ", "::", " - ", "__"))
    return mark.join(texts.word(rng) for _ in range(rng.randint(2, 5)))


def separator_of(rng: Random, text: object) -> str:
    return next((mark for mark in (" and ", " or ", " -> ", ", ", "::", " - ", "__") if mark in str(text)), " ")


def letter_values(rng: Random) -> dict[str, object]:
    """What a letter template is filled with, seldom without one of its parts."""
    found = {"name": everyday_texts.first_name(rng), "amount": dollar(rng), "day": texts.word(rng)}
    if rng.random() < 0.05:
        found.pop("day")
    return found


def marked_match(rng: Random) -> re.Match[str]:
    """A match somewhere in a marked text or a formula."""
    while True:
        pattern, text = rng.choice(((tag_pattern, markup), (formula_pattern, formula), (initial_pattern, name_text)))
        found = list(pattern(rng).finditer(text(rng)))
        if found:
            return rng.choice(found)


def colour(rng: Random) -> tuple[int, int, int]:
    low, middle, high = (rng.choice((0, 8, 15, 16, 127, 128, 136, 255, rng.randint(0, 255))) for _ in "rgb")
    return low, middle, high

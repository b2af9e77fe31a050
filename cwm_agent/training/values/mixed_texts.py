"""Texts that mix kinds: accents among plain letters, apostrophes and digits inside words, overlapping parts; and bytes.

Each recipe is `(rng, *values drawn before) -> object`; `texts.py` draws one alphabet at a time.
"""

from collections.abc import Iterator, Sequence
from random import Random

from cwm_agent.training.values import texts

_ACCENTS = {
    "a": "áàâäãåæ", "c": "ç", "d": "ð", "e": "éèêë", "i": "íìîï", "n": "ñ", "o": "óòôöøõ", "s": "ß", "t": "þ",
    "u": "úùûü", "y": "ýÿ",
}  # fmt: skip
_FARTHER = {
    "a": "āąă", "c": "ćč", "d": "ďđ", "e": "ęěēė", "g": "ğ", "i": "ıī", "l": "ł", "n": "ńň", "o": "őœō", "r": "ř",
    "s": "šśş", "t": "ťţ", "u": "ůűū", "w": "ŵ", "z": "žźż",
}  # fmt: skip
"""Accents of one byte in Latin-1, and those beyond it."""
_BESIDE = ("'s", "'re", "'", "-", "_", ".", "3", "2nd", "/", "'n'", "1", "%", "!", "(", ")", ":", '"')
_LETTER_TESTS = (str.isupper, str.islower, str.isdigit, str.isalpha, str.isalnum, str.isspace, str.isdecimal)
_LETTER_CHANGES = (str.upper, str.lower, str.title, str.swapcase, str.capitalize, str.strip, str.casefold)
_ALMOST_NUMBERS = (
    "1.234,5", "1,000", "12a", "0x1f", "--5", "+-3", "1_0", " 42\n", "inf", "-inf", "nan", "", " ", "1e5", "1e-3", "½",
    "3²", "٣", "٣٤", "VII", "1.2.3", ".5", "5.", "-.5", "0b11", "1 2", "+7", "- 7", "None", "True", "1e", "$5", "5%",
)  # fmt: skip
_CODE = (
    "[0, 0]", "{'@': 0}", '{"@": "0"}', "(@)", "None", "True", "0", "0.5", "#0", "v0", "v0=0", "<@>0</@>", "@(0)",
    "@[0]", "${@}", "{@}", "{0}", "%(@)s", "%s %d", "@ == 0", "0+0*0", "'@'", '"@"', "~@", "!@", "..@", "[]", "{}",
    "()", "''", "#1", "/@/@.py", "@=%s&x=0", "\\@", "@\\n", "{{}}", "@;\n", "[@](0)", "^@$", "[a-z]+", "@: {}",
    "b'@'", "{:>5}|{@}", "{0}{1}",
)  # fmt: skip
"""Texts of programs; `@` stands for a word, `0` for a number."""


def accented(rng: Random) -> str:
    """Plain words in which some letters have accents, in any case."""
    found = " ".join(texts.word(rng) for _ in range(rng.choice((1, 1, 2, 2, 3, 4))))
    forms = _ACCENTS if rng.random() < 0.75 else _FARTHER
    places = [at for at, letter in enumerate(found) if letter.lower() in forms]
    made = list(found)
    for at in rng.sample(places, min(len(places), rng.randint(1, 4))):
        new = rng.choice(forms[found[at].lower()])
        made[at] = new.upper() if found[at].isupper() and new != "ß" else new
    changed = "".join(made)
    return rng.choice((changed, changed, changed, changed.title(), changed.upper(), changed.capitalize()))[:40]


def accent_part(rng: Random, text: str) -> str:
    """One to three letters of a text, those beside an accent more often."""
    if not isinstance(text, str) or not text:
        return "é"
    strange = [at for at, letter in enumerate(text) if not letter.isascii()]
    at = rng.choice(strange) if strange and rng.random() < 0.6 else rng.randrange(len(text))
    return text[max(0, at - rng.choice((0, 0, 1))) : at + rng.choice((1, 1, 2))]


def accent_letter(rng: Random) -> str:
    """One letter with an accent, or a letter of another alphabet; rarely two."""
    if rng.random() < 0.2:
        return rng.choice((texts.foreign(rng)[:1], accented(rng)[:2]))
    forms = _ACCENTS if rng.random() < 0.7 else _FARTHER
    found = rng.choice(forms[rng.choice(list(forms))])
    return found.upper()[:1] if rng.random() < 0.3 else found


def accent_code(rng: Random) -> int:
    """The number of such a letter."""
    return rng.randint(160, 255) if rng.random() < 0.8 else rng.randint(256, 400)


def kin_accent(rng: Random, other: str) -> str:
    """A text that differs from another in one letter, or in the accent of one."""
    if not other:
        return "é"
    at = rng.randrange(len(other))
    new = rng.choice(_ACCENTS.get(other[at].lower(), texts.char(rng)))
    return rng.choice((other, other[:at] + new + other[at + 1 :], other.swapcase(), other[:at]))


def accent_iterator(rng: Random) -> Iterator[str]:
    found = iter(accented(rng))
    for _ in range(rng.choice((0, 1, 2, 4))):
        next(found, None)
    return found


def odd_phrase(rng: Random) -> str:
    """Words with apostrophes, hyphens and digits inside, cases mixed."""
    words = []
    for _ in range(rng.randint(1, 6)):
        made = texts.word(rng)
        at = rng.randint(0, len(made))
        words.append(made[:at] + rng.choice(_BESIDE) + made[at:] if rng.random() < 0.5 else made)
    found = rng.choice((" ", " ", " ", "  ", ", ", "-")).join(words)
    return rng.choice((found, found, found.title(), found.capitalize(), texts.cased(rng, found)))[:60]


def quote_fields(rng: Random) -> str:
    """Fields between commas or blanks, some in single and some in double quotes."""
    marks = ("", "", "'", '"', '"', "`")
    fields = []
    for _ in range(rng.randint(1, 5)):
        mark = rng.choice(marks)
        fields.append(rng.choice(("", " ")) + mark + texts.word(rng) + (mark if rng.random() < 0.85 else ""))
    return rng.choice((",", ",", " ", ";", "=", ", ")).join(fields) + rng.choice(("", "", " ", ",", "'"))


def quoted_words(rng: Random) -> list[str]:
    """Short texts, some with an apostrophe, some with double quotes, some with both: `repr` chooses for each."""
    marks = ("", "", "'", "'", '"', "'\"", "\\")
    found = []
    for _ in range(rng.randint(1, 6)):
        made = texts.word(rng)
        at = rng.randint(0, len(made))
        found.append(made[:at] + rng.choice(marks) + made[at:])
    return found


def quoted_lines(rng: Random) -> str:
    return "\n".join(quoted_words(rng)) + rng.choice(("", "\n"))


def remark(rng: Random) -> str:
    """A sentence of 25 to 80 characters with punctuation."""
    found = odd_phrase(rng)
    while len(found) < 25:
        found += rng.choice((" ", ", ", ": ", "; ", " - ", "! ", "? ", ". ", " (", ") ")) + odd_phrase(rng)
    return found[:80]


def edge_marks(rng: Random) -> str:
    """Characters that stand at the ends of phrases."""
    return rng.choice((".,!? ", "'\"", "-_", " ", "!", "()", ".0 ", "aeiou", "".join(rng.choices(texts.LOWER, k=4))))


def overlapping(rng: Random) -> str:
    """A text of short parts that overlap each other, with other words before, between or behind."""
    unit = "".join(rng.choices(rng.choice(("ab", "an", "abc", ".", "aA", "<>=", "sip", "01", "the")), k=2))
    run = unit * rng.randint(1, 4) + unit[:1] * rng.randint(0, 2)
    other = rng.choice((texts.word(rng), rng.choice(".,- "), ""))
    return "".join(rng.choice((run, run, other, unit, " ")) for _ in range(rng.randint(2, 6)))[:45]


def overlap_part(rng: Random, text: str) -> str:
    """Two to four characters that begin anywhere in the text; rarely in another case."""
    if not isinstance(text, str) or not text:
        return "aa"
    at = rng.randrange(len(text))
    found = text[at : at + rng.choice((1, 2, 2, 3, 3, 4))]
    return found.swapcase() if rng.random() < 0.08 else found


def start_place(rng: Random, text: Sequence[object]) -> int:
    """A place where a search begins: anywhere in the text, sometimes from its end or past it."""
    size = len(text)
    return rng.randint(0, size) if rng.random() < 0.8 else rng.randint(-size - 1, size + 2)


def tabbed(rng: Random) -> str:
    """Words of several lengths between tabs."""
    return "".join(
        texts.word(rng)[: rng.randint(0, 7)] + rng.choice(("\t", "\t", "\t\t", " \t", "\n"))
        for _ in range(rng.randint(1, 4))
    ) + texts.word(rng)


def almost_number(rng: Random) -> str:
    """What `int` or `float` accepts in an unusual form, or does not accept."""
    if rng.random() < 0.5:
        return rng.choice(_ALMOST_NUMBERS)
    made = str(round(rng.uniform(-999, 9999), rng.choice((0, 1, 2, 3))))
    at = rng.randint(0, len(made))
    return made[:at] + rng.choice(("", "", " ", ",", ".", "-", "_", "x", "e", "%")) + made[at:]


def numeric_text(rng: Random) -> str:
    """Digits with fractions, powers and digits of other alphabets among them."""
    return "".join(rng.choices("0123456789½²³٣４Ⅷ¼x .-", (3,) * 10 + (2,) * 7 + (1,) * 4, k=rng.randint(1, 5)))


def almost_identifier(rng: Random) -> str:
    """An identifier, or almost one."""
    found = texts.identifier(rng)
    digit = rng.randint(0, 9)
    forms = (found, f"_{found}", f"{found}{digit}", f"{digit}{found}", f"{found} {found}", f"{found}-x", f"{found}__")
    return rng.choice((*forms, "class", "None", "", "__", accented(rng), found))


def letter_tests(rng: Random) -> Iterator[bool]:
    """A test of letters, mapped over a text."""
    return map(rng.choice(_LETTER_TESTS), rng.choice((odd_phrase, accented, texts.soup, texts.word))(rng)[:30])


def letter_changes(rng: Random) -> Iterator[str]:
    """A change of case, mapped over words."""
    return map(rng.choice(_LETTER_CHANGES), [odd_phrase(rng)[:12] for _ in range(rng.randint(1, 4))])


def few_fields(rng: Random) -> str:
    """A template for `%`, with no field, one or two, complete or not."""
    stem = texts.word(rng)
    return stem + rng.choice((": %s", " %d", "%%", " 5%", " %s-%s", "=%r", " %s%%", ", %5.1f", "", " %s %d", "% x"))


def pair_fields(rng: Random) -> str:
    """A template for `%` with two fields; rarely fewer or more."""
    return rng.choice(
        ("%s %s", "%s: %r", "<%s|%s>", "%s%s", "%r-%r", "%5s|%-5s|", "%s=%s%%", "%s %d", "%s", "%s %s %s")
    )


def format_fields(rng: Random) -> str:
    """A template for `str.format`, by place, by name, with widths; sometimes broken."""
    return rng.choice(
        ("{} {}", "{}:{!r}", "{1}{0}", "{0:>6}|{1}", "{:<5}{:>5}", "{} {} {}", "{{{}}} {}", "{a} {}", "{", "{0[0]} {1}",
         "<{:^7}>{}", "{:05.1f} {}", "{:x} {}", "{!s:>4}{!r:>4}", "{0}{0}{1}", "plain")
    )  # fmt: skip


def plain_bytes(rng: Random) -> bytes:
    """A short ASCII text as bytes."""
    return rng.choice((texts.word, texts.soup, odd_phrase, texts.coded))(rng)[:24].encode("ascii", "ignore")


def accent_bytes(rng: Random) -> bytes:
    """A text with accents as UTF-8 or Latin-1."""
    return accented(rng)[:20].encode("latin-1", "ignore") if rng.random() < 0.3 else accented(rng)[:20].encode()


def any_bytes(rng: Random) -> bytes:
    chance = rng.random()
    if chance < 0.2:
        return bytes(rng.choices(range(256), k=rng.randint(0, 8)))
    return plain_bytes(rng) if chance < 0.8 else accent_bytes(rng)


def mixed_byte_array(rng: Random) -> bytearray:
    return bytearray(any_bytes(rng)[:16])


def byte_iterator(rng: Random) -> Iterator[int]:
    found = iter(any_bytes(rng))
    for _ in range(rng.choice((0, 0, 1, 3))):
        next(found, None)
    return found


def byte_list(rng: Random) -> list[bytes]:
    return [any_bytes(rng)[:8] for _ in range(rng.randint(0, 4))]


def byte_numbers(rng: Random) -> list[int]:
    return [byte_value(rng) for _ in range(rng.randint(0, 6))]


def byte_part(rng: Random, held: bytes) -> bytes:
    """One or two bytes, mostly of the others."""
    at = rng.randint(0, len(held))
    return held[at : at + rng.choice((1, 1, 2))] or b"a"


def byte_value(rng: Random) -> int:
    """Mostly a letter's number, sometimes none of a byte."""
    return rng.choice((rng.randint(97, 122), rng.randint(32, 90), rng.randint(0, 255), rng.randint(250, 260)))


def codec(rng: Random) -> str:
    names = ("utf-8", "utf8", "ascii", "latin-1", "latin1", "rot13", "utf-16-le")
    return rng.choices(names, (30, 8, 25, 20, 6, 2, 1))[0]


def forgiving(rng: Random) -> str:
    """How a codec treats what it cannot write."""
    return rng.choices(("ignore", "replace", "strict", "backslashreplace"), (6, 4, 2, 1))[0]


def three_fields(rng: Random) -> str:
    """A template for `str.format` with three fields between words."""
    fields = [rng.choice(("{}", "{}", "{}", "{!r}", "{:>4}", "{!s}")) for _ in range(3 if rng.random() < 0.95 else 4)]
    between = rng.choice((" ", ", ", " and ", "-", "|", f" {texts.word(rng)} "))
    return rng.choice(("", texts.word(rng) + ": ")) + between.join(fields) + rng.choice(("", "!", "."))


def code_text(rng: Random) -> str:
    """A text that looks like a value, a template, a tag or an expression, and is only a text."""
    return rng.choice(_CODE).replace("@", texts.word(rng)).replace("0", str(rng.randint(0, 99)))


def code_texts(rng: Random) -> list[str]:
    return [code_text(rng)[:20] for _ in range(rng.randint(0, 4))]


def numeric_letter(rng: Random) -> str:
    """One character that may be a digit, a decimal or a number."""
    return rng.choice("0123456789½²³¹¼¾٣४４Ⅷ①一百x.-")


_EDGES = ("0", "0", ".", ". 0", ".0", "0.", " ", "xy", "-_ ", ".,;", "!?", "()", "aeiou")


def edge_set(rng: Random) -> str:
    """Characters to strip, of which the order says nothing."""
    found = list(rng.choice(_EDGES))
    rng.shuffle(found)
    return "".join(found)


def padded_marks(rng: Random) -> str:
    """A number or a word between runs of such characters, which also occur inside."""
    around = rng.choice(_EDGES) + rng.choice(" .0x-")
    inner = rng.choice((str(rng.randint(0, 5000)), f"{rng.randint(0, 99)}.{rng.randint(0, 99):02d}00", texts.word(rng)))
    before, after = ("".join(rng.choices(around, k=rng.randint(0, 4))) for _ in range(2))
    middle = rng.choice(("", "", rng.choice(around) + texts.char(rng)))
    return before + inner + middle + after

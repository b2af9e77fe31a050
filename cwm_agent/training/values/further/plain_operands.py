"""Operands of ordinary lines that programs write and tables rarely had: parts of several letters, wide bits, rivals.

Each recipe is `(rng, *values drawn before) -> value`; knows nothing of the lines that use them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random

from cwm_agent.training.values import texts

_STEMS = ("an", "ana", "ing", "tion", "er", "ss", "the", "over", "ab", "abc", "ill", "oo", "ssi", "red", "un", "re")
_TABLE_LETTERS = "abcdeinorstu"
_EDGES = ("xy", "ab", "-_", ".,", "*#", "<>", "ao", "_.", "0 ", "/.", "xyz", "\"'", "=-", "!?.", "aeiou", "st")
_FIELDS = ("name", "who", "what", "n", "sum", "item", "city", "key", "day", "x")
_CASES = "ßẞıİéÉÄöÖüÇñØøſςΣσЖжǆ"
_WIDE = (2**16, 2**20, 2**24, 2**28, 2**32, 2**32, 2**36)


def stemmed(rng: Random) -> str:
    """Words that contain one short stem again and again, as `banana bandana`."""
    stem = rng.choice(_STEMS) if rng.random() < 0.7 else texts.syllables(rng)[:4]
    made = []
    for _ in range(rng.randint(1, 5)):
        before, after = texts.syllables(rng)[: rng.randint(0, 3)], texts.syllables(rng)[: rng.randint(0, 3)]
        made.append(before + stem * rng.choice((1, 1, 1, 2)) + after if rng.random() < 0.8 else texts.word(rng))
    return rng.choice((" ", " ", " ", "", "-", ", ")).join(made)


def stem_of(rng: Random, text: str) -> str:
    """A part of two to five letters, mostly the one that occurs most often."""
    if len(text) < 3:
        return text
    size = rng.choice((2, 2, 3, 3, 4, 5))
    parts = [text[place : place + size] for place in range(max(len(text) - size, 0) + 1)]
    return max(parts, key=text.count) if rng.random() < 0.6 else rng.choice(parts)


def stem_instead(rng: Random, text: str) -> str:
    """What replaces such a part: its other case, a mark or another word."""
    return rng.choice((text.upper(), text[::-1], text[:1], "*", "<>", "", texts.syllables(rng), text + text))


def text_end(rng: Random, text: str) -> int:
    """The end of a search, in the text or behind it."""
    return rng.randint(2 * len(text) // 3, len(text) + 2)


def text_begin(rng: Random, text: str) -> int:
    """The begin of a search in the first half of a text."""
    return rng.randint(0, max(len(text) // 3, 1))


def back_count(rng: Random, text: Sequence[object]) -> int:
    """How many items to leave out or to keep at the end; may be more than there are."""
    return rng.randint(1, max(len(text), 1) + 1)


def braced(rng: Random) -> str:
    """A letter with places to fill in, some of them twice."""
    opening, closing = rng.choice((("{{", "}}"), ("{", "}"), ("<", ">"), ("%", "%"), ("$", ""), ("[[", "]]")))
    names = rng.sample(_FIELDS, rng.randint(1, 3))
    parts = []
    for _ in range(rng.randint(1, 4)):
        parts += [texts.word(rng), opening + rng.choice(names) + closing + rng.choice(("", "", ",", "!"))]
    return " ".join(parts)


def brace_of(rng: Random, text: str) -> str:
    """One of its places, seldom another one."""
    held = [word.rstrip(",!") for word in text.split() if not word[:1].isalnum()]
    return rng.choice(held) if held and rng.random() < 0.9 else "{{" + rng.choice(_FIELDS) + "}}"


def filled_in(rng: Random) -> str:
    return rng.choice((texts.word(rng).title(), "Mr. Orr", str(rng.randint(0, 300)), f"{rng.uniform(0, 99):.2f}", ""))


def worn_edges(rng: Random) -> str:
    """A word between marks of a few kinds in any order, which may occur in the word too."""
    edges = rng.choice(_EDGES)
    sides = ["".join(rng.choices(edges, k=rng.randint(0, 5))) for _ in range(3)]
    inner = texts.word(rng) + (sides[2] + texts.word(rng) if rng.random() < 0.5 else "")
    return sides[0] + inner + sides[1]


def worn_set(rng: Random, text: str) -> str:
    """The marks to strip: mostly those of the text, in any order."""
    fitting = [each for each in _EDGES if set(each) & set(text[:1] + text[-1:])]
    found = rng.choice(fitting) if fitting else rng.choice(_EDGES)
    return "".join(rng.sample(found, len(found))) if rng.random() < 0.85 else found[0]


def mixed_table(rng: Random) -> dict[int, object]:
    """A table for `translate` with texts of several letters, letters and `None` in one."""
    made: dict[int, object] = {}
    for letter in rng.sample(_TABLE_LETTERS, rng.randint(2, 5)):
        odd = rng.choice((None, letter * 2, f"<{letter.upper()}>", letter.upper(), str(rng.randint(0, 9)), "--", ""))
        made[ord(letter)] = odd if rng.random() < 0.8 else ord(rng.choice("xyz"))
    return made


def left_out(rng: Random) -> dict[int, None]:
    """A table that leaves out vowels or marks."""
    letters = rng.choice(("aeiou", "aeiou.,!", ".,!?;", "0123456789", " -_", "aeiouAEIOU"))
    return dict.fromkeys(map(ord, letters))


def table_text(rng: Random, table: Mapping[int, object]) -> str:
    """A text in which many letters of a table occur."""
    letters = "".join(chr(each) for each in table if isinstance(each, int))
    if rng.random() < 0.4 or not letters:
        return texts.sentence(rng)
    return "".join(rng.choice(letters + letters + "xyzkl ") for _ in range(rng.randint(3, 22)))


def tab_cells(rng: Random) -> str:
    """Cells of different lengths behind single tabs."""
    cells = ["".join(rng.choices(texts.LOWER, k=rng.randint(0, 6))) for _ in range(rng.randint(2, 5))]
    return "\t".join(cells)


def tab_stop(rng: Random) -> int:
    return rng.choice((2, 3, 4, 4, 5, 6, 8))


def odd_affixes(rng: Random, text: str, place: int) -> tuple[str, ...]:
    """Two or three beginnings to test at a place; one fits half of the time, sometimes only at another place."""
    begin = place if rng.random() < 0.75 else rng.randint(0, 4)
    return _among_affixes(rng, text[begin : begin + rng.randint(1, 3)])


def odd_endings(rng: Random, text: str) -> tuple[str, ...]:
    """The same at the end of a text."""
    return _among_affixes(rng, text[-rng.randint(1, 3) :])


def _among_affixes(rng: Random, fitting: str) -> tuple[str, ...]:
    made = [texts.syllables(rng)[:2], rng.choice(("un", "re", "pre", "io", "e", ".py", ".txt", "ing"))]
    if fitting and rng.random() < 0.75:
        made.append(fitting)
    rng.shuffle(made)
    return tuple(made)


def placed_part(rng: Random, text: str, place: int) -> str:
    """One to four letters that begin at a place, or almost."""
    begin = place if rng.random() < 0.65 else place + 1
    return text[begin : begin + rng.randint(1, 4)] or "e"


def few_places(rng: Random) -> int:
    return rng.randint(0, 4)


def name_like(rng: Random) -> str:
    """A name as programs have it, in any style, seldom none."""
    parts = [texts.syllables(rng) for _ in range(rng.randint(1, 3))]
    found = rng.choice(("_".join(parts), "".join(map(str.title, parts)), "_".join(map(str.title, parts)), parts[0]))
    ending = rng.choice(("", "", str(rng.randint(0, 99)), "_", "-1", ".x"))
    return rng.choice(("", "", "", "_", "2")) + found + ending


def wide_bits(rng: Random) -> int:
    """A number of 16 to 36 bits, as hashes, colours and addresses are."""
    return rng.randrange(rng.choice(_WIDE))


def octet(rng: Random) -> int:
    return rng.choice((0, 1, 15, 16, 127, 128, 255, rng.randint(0, 255), rng.randint(0, 255), rng.randint(97, 122)))


def octet_shift(rng: Random) -> int:
    return rng.choice((1, 2, 4, 5, 8, 8, 8, 13, 16, 16, 24))


def octet_mask(rng: Random) -> int:
    return rng.choice((1, 7, 15, 63, 255, 255, 255, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xF0F0))


def octet_tail(rng: Random) -> int:
    """A number whose last byte is empty, to which a byte is added."""
    return rng.randrange(2 ** rng.choice((4, 8, 12, 16, 24))) << 8


def hex_digits(rng: Random) -> str:
    found = "".join(rng.choices("0123456789abcdef", k=rng.choice((1, 2, 2, 2, 2, 3, 4))))
    return found.upper() if rng.random() < 0.3 else found


def modular_base(rng: Random) -> int:
    return rng.randint(2, 40)


def clock_module(rng: Random) -> int:
    """What a power is reduced by."""
    return rng.choice((7, 10, 11, 13, 26, 41, 97, 100, 101, 1000, rng.randint(5, 200)))


def escaped_text(rng: Random) -> str:
    """A text with quotes, tabs, line ends and backslashes."""
    marks = ("'", '"', "\t", "\n", "\\", " ", "\\n", "''", '"x"')
    parts = [rng.choice(marks) if rng.random() < 0.5 else texts.syllables(rng) for _ in range(rng.randint(2, 7))]
    return "".join(parts)


def spelt_text(rng: Random) -> str:
    """How Python writes such a text."""
    return repr(escaped_text(rng))


def length_rival(rng: Random, text: str) -> str:
    """A word as long as another, or one or a few letters longer or shorter."""
    size = max(len(text) + rng.choice((-2, -1, -1, 0, 0, 1, 1, 2, 4)), 0)
    return "".join(rng.choices(texts.LOWER, k=size))


def short_word(rng: Random) -> str:
    return "".join(rng.choices(texts.LOWER, k=rng.randint(1, 7)))


def coded_words(rng: Random) -> str:
    """Letters of both cases, digits and marks in one text."""
    parts = [rng.choice((texts.word(rng).title(), str(rng.randint(0, 99)), texts.word(rng))) for _ in range(3)]
    return rng.choice(("", "", " ", "-")).join(parts)[:24]


_TESTS = (str.isdigit, str.islower, str.isupper, str.isalpha, str.isalnum, str.isspace)


def tested_walk(rng: Random) -> Iterator[bool]:
    """The truths of one test of each letter."""
    return map(rng.choice(_TESTS[:5]), coded_words(rng))


def sifted_walk(rng: Random) -> Iterator[str]:
    """The letters that a test lets through."""
    return filter(rng.choice(_TESTS), coded_words(rng))


def sign_codes(rng: Random) -> dict[str, str]:
    """Signs or words for a few letters."""
    letters = rng.sample("abeinost", rng.randint(2, 5))
    return {
        each: rng.choice((".-" * 2, "...", "-", each.upper(), "<" + each + ">", "--.", each * 2)) for each in letters
    }


def signed_letters(rng: Random, codes: Mapping[str, str]) -> str:
    """Letters of which most have a sign."""
    held = [each for each in codes if isinstance(each, str)] or ["a"]
    return "".join(rng.choice((*held, *held, rng.choice("abeinost"))) for _ in range(rng.randint(1, 6)))


def code_walk(rng: Random) -> Iterator[object]:
    """Looks the letters of a text up."""
    codes = sign_codes(rng)
    return map(codes.get, signed_letters(rng, codes))


def backward_bytes(rng: Random) -> Iterator[int]:
    return reversed(texts.word(rng)[:9].encode())


def sums_rivals(rng: Random) -> list[list[int]]:
    """Windows of numbers whose sums are near one another."""
    size, low = rng.choice((2, 3, 3, 4)), rng.choice((-9, 0, 0))
    row = [rng.randint(low, rng.choice((9, 9, 30))) for _ in range(size + rng.randint(1, 5))]
    return [row[place : place + size] for place in range(len(row) - size + 1)]


def western_text(rng: Random) -> str:
    """A word that Latin-1 can write, mostly with an accent."""
    word = texts.syllables(rng) + rng.choice(("", " " + texts.syllables(rng)))
    place = rng.randint(0, len(word))
    return word[:place] + rng.choice("éñüöäçàåß½") + word[place:] if rng.random() < 0.7 else word


def cased_letters(rng: Random) -> str:
    """A word in any case with one or two letters whose other case is special."""
    found = texts.cased(rng, texts.syllables(rng))
    for _ in range(rng.randint(1, 2)):
        place = rng.randint(0, len(found))
        found = found[:place] + rng.choice(_CASES) + found[place:]
    return found


_FORMS: Mapping[type, tuple[str, ...]] = {
    int: ("", ":03d", ":>4", ":,", ":+d", ":04d", ":x", ":<4", ":^5", ":b", ":#x", ":08b", ":o"),
    float: ("", ":.2f", ":>8.1f", ":.0f", ":+.1f", ":.1%", ":,.2f", ":8.3f", ":.3e", ":<9.2f"),
    str: ("", "!r", ":>6", ":<8", ":^7", ":.3", "!s:>8", "!r:^9"),
}


def record_fields(rng: Random) -> dict[str, object]:
    """What a form is filled with."""
    names = rng.sample(_FIELDS, rng.randint(2, 4))
    return {each: _field(rng) for each in names}


def _field(rng: Random) -> object:
    made: tuple[object, ...] = (texts.word(rng).title()[:9], rng.randint(0, 2000), round(rng.uniform(0, 99), 3))
    return rng.choice(made)


def record_form(rng: Random, fields: Mapping[str, object]) -> str:
    """A form that names these fields with a specification each, some of them again."""
    parts = []
    for name in rng.sample(list(fields), len(fields)):
        forms = _FORMS.get(type(fields[name]), ("",))
        parts.append(rng.choice(("", texts.word(rng) + " ")) + "{" + str(name) + rng.choice(forms) + "}")
    return rng.choice((" ", "|", "", ", ", " has ")).join(parts)


def row_fields(rng: Random) -> tuple[object, ...]:
    """A row that an old-style form shows."""
    return tuple(_field(rng) for _ in range(rng.randint(2, 4)))


def row_form(rng: Random, fields: Sequence[object]) -> str:
    """An old-style form for a row."""
    shown = []
    for each in fields:
        if isinstance(each, str):
            shown.append(rng.choice(("%s", "%-10s", "%8s", "%r", "%.3s")))
        elif isinstance(each, float):
            shown.append(rng.choice(("%.2f", "%+.2f", "%7.1f", "%.3e", "%08.2f", "%g")))
        else:
            shown.append(rng.choice(("%d", "%05d", "%x", "%-6d", "%+d", "%o", "%X", "%4d")))
    return rng.choice(("|", " ", ", ", ":")).join(shown) + rng.choice(("", "", "%%", "."))


def letter_set(rng: Random) -> set[str]:
    """Six to twelve letters."""
    return set(rng.sample(texts.LOWER, rng.randint(5, 12)))


def few_pairs(rng: Random) -> dict[str, int]:
    words = rng.sample(("one", "two", "six", "ten", "k", "m", "n", "red", "blue", "x", "y"), rng.randint(1, 4))
    return {each: rng.randint(0, 4) for each in words}


def kin_pairs(rng: Random, other: Mapping[str, object]) -> dict[str, object]:
    """Some pairs of another dict, with one added or changed half of the time."""
    if rng.random() < 0.1:
        return dict(other)
    kept: dict[str, object] = {key: value for key, value in other.items() if rng.random() < 0.6}
    return kept | few_pairs(rng) if rng.random() < 0.5 else kept


def keys_view(rng: Random) -> object:
    return few_pairs(rng).keys()


def items_view(rng: Random) -> object:
    return few_pairs(rng).items()


def kin_items(rng: Random, view: Iterable[tuple[str, object]]) -> object:
    """The pairs of a kindred dict."""
    return kin_pairs(rng, dict(view)).items()


def kin_keys(rng: Random, view: Iterable[str]) -> object:
    """Some of the keys and others: as keys of another dict, a set or a list."""
    made = list(kin_pairs(rng, dict.fromkeys(view, 0)))
    return rng.choice((dict.fromkeys(made, 1).keys(), set(made), frozenset(made)))


def tens_list(rng: Random) -> list[int]:
    """Five to twelve numbers that are easily told apart."""
    return [10 * each for each in range(1, rng.randint(6, 13))] if rng.random() < 0.5 else rng.sample(range(99), 8)

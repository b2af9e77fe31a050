"""Random strings as in programs: words, sentences, codes, numbers, punctuation, whitespace, many alphabets.

Each recipe is `(rng) -> str`; knows nothing of the lines that use the strings.
"""

from collections.abc import Callable, Sequence
from random import Random

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnprstvwz"
_FOREIGN = (
    "àáâäãåçèéêëìíîïñòóôöõøùúûüýßæœ",
    "ÀÁÂÄÇÈÉÊËÌÎÑÒÓÔÖØÙÚÛÜ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "ΑΒΓΔΕΘΛΞΠΣΦΨΩ",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЭЮЯ",
    "日本語中文字漢人大小上下水火木金土山川口目耳手足",
    "あいうえおかきくけこさしすせそアイウエオカキクケコ",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "한국어가나다라마바사아자차카타파하",
    "😀😂🎉🚀❤👍🌍🐍✨",
    "€£¥§©®°±²³¼½×÷—–…“”‘’«»",
    "٠١٢٣٤٥६७८９１Ⅳ⅔",
)
_ECHOED = (
    LOWER, LOWER, LOWER, "ab", "abc", "aeiou ", UPPER, DIGITS, "01", "aA", "xyXY", LOWER + DIGITS, PUNCTUATION, "@#!$ ",
    "-_.", LOWER + " ",
)  # fmt: skip
_WORDS = (
    "a an the and or not is it he she we you they this that to of in on at by for with from up down out over "
    "one two three four five six ten red green blue black white big small old new good bad hot cold fast slow "
    "cat dog bird fish horse mouse tree flower river stone house door table chair book pen paper word letter line "
    "name key value item list index count total sum max min first last next left right start end node path file "
    "data text user code test hello world python program function string number apple banana orange grape lemon "
    "bread milk water sugar salt coffee tea day night week month year time hour city street king queen child friend "
    "run walk jump read write open close find make take give love hate think know see hear say play work sleep "
    "alpha beta gamma delta error true false none yes no maybe ok id x y z i j n foo bar baz"
).split()


def _length(rng: Random) -> int:
    """Mostly short, sometimes up to 60, rarely longer."""
    chance = rng.random()
    if chance < 0.72:
        return rng.randint(1, 9)
    if chance < 0.93:
        return rng.randint(8, 24)
    return rng.randint(20, 60) if chance < 0.995 else rng.randint(60, 110)


def _from(rng: Random, alphabet: Sequence[str], length: int) -> str:
    return "".join(rng.choices(alphabet, k=length))


def syllables(rng: Random) -> str:
    """A pronounceable random word."""
    parts = [rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randint(1, 4))]
    return "".join(parts) + (rng.choice(_CONSONANTS) if rng.random() < 0.4 else "")


def word(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.45:
        found = rng.choice(_WORDS)
    elif chance < 0.7:
        found = syllables(rng)
    else:
        found = _from(rng, LOWER, rng.randint(1, 8))
    return cased(rng, found) if rng.random() < 0.25 else found


def cased(rng: Random, text: str) -> str:
    """The text in another case, or with cases mixed."""
    chance = rng.random()
    if chance < 0.35:
        return text.capitalize()
    if chance < 0.6:
        return text.upper()
    if chance < 0.75:
        return text.title()
    return "".join(letter.upper() if rng.random() < 0.5 else letter for letter in text)


def char(rng: Random) -> str:
    """One character, mostly a letter."""
    chance = rng.random()
    if chance < 0.6:
        return rng.choice(LOWER)
    if chance < 0.75:
        return rng.choice(UPPER)
    if chance < 0.87:
        return rng.choice(DIGITS)
    return rng.choice(PUNCTUATION + "    \n\t") if chance < 0.97 else rng.choice(rng.choice(_FOREIGN))


def sentence(rng: Random) -> str:
    words = [word(rng) for _ in range(rng.choices((1, 2, 3, 4, 5, 6, 8, 10), (2, 4, 5, 4, 3, 2, 1, 1))[0])]
    text = rng.choice((" ", " ", " ", " ", " ", "  ", ", ", ". ")).join(words)
    if rng.random() < 0.3:
        text = text[:1].upper() + text[1:] + rng.choice(".!?.")
    return text


def repetitive(rng: Random) -> str:
    """Few different characters, so that searching and counting find something; sometimes one repeated."""
    if rng.random() < 0.3:
        return rng.choice(("", "", "", char(rng), "1")) + char(rng) * rng.randint(1, 45)
    alphabet = rng.sample(rng.choice((LOWER, LOWER, LOWER, UPPER, DIGITS, PUNCTUATION, "aAbB ")), rng.randint(1, 4))
    return _from(rng, alphabet, _length(rng))


def echoing(rng: Random) -> str:
    """One to three short parts again and again in any order, with up to two letters changed: what followed a part last
    time need not follow it now."""
    return _echo(rng, rng.choices((2, 3, 4, 5, 6, 8, 12), (3, 4, 4, 3, 2, 2, 1))[0])


def shorter_echo(rng: Random) -> str:
    return _echo(rng, rng.randint(1, 3))


def _echo(rng: Random, count: int) -> str:
    alphabet = rng.choice(_ECHOED)
    parts = [_from(rng, alphabet, rng.randint(1, 5)) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.25:
        parts.append(rng.choice((" ", "  ", ",", "-", "\n", word(rng))))
    found = "".join(rng.choice(parts) for _ in range(count))
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(found) + 1)
        found = found[:at] + rng.choice((char(rng), rng.choice(alphabet), "")) + found[at + rng.randint(0, 1) :]
    return found[:70]


def soup(rng: Random) -> str:
    """Random letters, like many test inputs."""
    alphabet = rng.choice(
        (LOWER, LOWER, UPPER, LOWER + UPPER, LOWER + DIGITS, LOWER + UPPER + DIGITS + PUNCTUATION + " ")
    )
    return _from(rng, alphabet, _length(rng))


def digits(rng: Random) -> str:
    """Digits only."""
    return _from(rng, DIGITS, rng.choices((1, 2, 3, 4, 6, 9, 14), (5, 6, 4, 3, 2, 1, 1))[0])


def numeral(rng: Random) -> str:
    """Text that `int` or `float` can parse; sometimes almost."""
    chance = rng.random()
    if chance < 0.55:
        return str(rng.randint(0, 10 ** rng.randint(1, 5)))
    if chance < 0.7:
        return str(-rng.randint(0, 10 ** rng.randint(1, 4)))
    if chance < 0.8:
        return rng.choice(("+", " ", "0", "00", "  ")) + str(rng.randint(0, 999)) + rng.choice(("", "", " ", "\n"))
    if chance < 0.9:
        return f"{rng.randint(-99, 99)}.{rng.randint(0, 99)}"
    return rng.choice((f"{rng.randint(0, 99)}{rng.choice(LOWER)}", "", word(rng), "1_000", "1e5", "- 5", "."))


def separated(rng: Random) -> str:
    """Fields with separators: rows, paths, dates, addresses."""
    between = rng.choice(
        (",", ",", ", ", "/", "-", "_", ".", ":", ";", "|", " ", "\t", "\n", "=", "&", "--", "->", "x")
    )
    field = rng.choice((word, word, digits, char, syllables))
    fields = [field(rng) if rng.random() < 0.92 else "" for _ in range(rng.randint(1, 6))]
    text = between.join(fields)
    return between + text if rng.random() < 0.08 else text + between if rng.random() < 0.08 else text


def spaced(rng: Random) -> str:
    """Whitespace of all kinds around and inside."""
    blank = rng.choice((" ", " ", "  ", "\t", "\n", " \n", "\r\n", "\x0b", "\x0c", "   "))
    parts = [word(rng) if rng.random() < 0.8 else "" for _ in range(rng.randint(0, 4))]
    return rng.choice(("", "", blank, " ")) + blank.join(parts) + rng.choice(("", "", blank, " ", "\n"))


def lined(rng: Random) -> str:
    """Several lines."""
    return rng.choice(("\n", "\n", "\r\n", "\n\n")).join(
        rng.choice((word, sentence, digits))(rng) for _ in range(rng.randint(1, 4))
    ) + rng.choice(("", "", "\n"))


def punctuated(rng: Random) -> str:
    alphabet = rng.choice(("()", "()[]{}", "<>", "+-*/", PUNCTUATION, ".,!?", "-_", "#@$%", "*", "\\'\""))
    text = _from(rng, alphabet, rng.randint(1, 12))
    return text if rng.random() < 0.5 else word(rng) + text + word(rng)


def identifier(rng: Random) -> str:
    words = [rng.choice(_WORDS) for _ in range(rng.randint(1, 3))]
    style = rng.random()
    if style < 0.5:
        return "_".join(words)
    return words[0] + "".join(map(str.capitalize, words[1:])) if style < 0.75 else "".join(map(str.capitalize, words))


def coded(rng: Random) -> str:
    """Letters with numbers: licence plates, versions, hexadecimal, addresses."""
    return rng.choice(
        (
            lambda: word(rng) + digits(rng)[:3],
            lambda: f"{_from(rng, UPPER, 2)}{rng.randint(0, 999)}",
            lambda: hex(rng.randint(0, 65535))[2:],
            lambda: bin(rng.randint(0, 255))[2:],
            lambda: f"{word(rng)}@{word(rng)}.com",
            lambda: f"http://{word(rng)}.org/{word(rng)}",
            lambda: f"{rng.randint(1, 12)}:{rng.randint(0, 59):02d}",
            lambda: f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
            lambda: f"{rng.randint(0, 9)}{rng.choice(LOWER)}{rng.randint(0, 9)}",
        )
    )()


def foreign(rng: Random) -> str:
    """Non-ASCII letters, alone or among others."""
    alphabet = rng.choice(_FOREIGN)
    if rng.random() < 0.3:
        alphabet += LOWER
    return _from(rng, alphabet, rng.randint(1, 12))


def empty(_: Random) -> str:
    return ""


_KINDS: tuple[tuple[Callable[[Random], str], float], ...] = (
    (word, 20),
    (sentence, 14),
    (repetitive, 12),
    (echoing, 12),
    (soup, 14),
    (separated, 8),
    (spaced, 5),
    (lined, 2),
    (punctuated, 4),
    (identifier, 5),
    (coded, 5),
    (digits, 4),
    (numeral, 2),
    (foreign, 3.5),
    (char, 5),
    (empty, 3),
)
_RECIPES = [kind for kind, _ in _KINDS]
_WEIGHTS = [weight for _, weight in _KINDS]


def text(rng: Random) -> str:
    """Any string, weighted by how often its kind occurs in programs."""
    found = rng.choices(_RECIPES, _WEIGHTS)[0](rng)
    return cased(rng, found) if rng.random() < 0.08 else found


def binary(rng: Random) -> str:
    return ("0b" if rng.random() < 0.15 else "") + _from(rng, "01", rng.randint(1, 10))


def hexadecimal(rng: Random) -> str:
    return ("0x" if rng.random() < 0.15 else "") + _from(rng, "0123456789abcdefABCDEF", rng.randint(1, 5))


def fill(rng: Random) -> str:
    """A replacement, joiner or padding: short, often empty or blank."""
    chance = rng.random()
    if chance < 0.25:
        return rng.choice(
            ("", "", " ", "-", ",", "_", ", ", "*", "#", ".", "\n", "/", "|", "  ", ":", "0", "+", "...", "&")
        )
    return char(rng) if chance < 0.7 else word(rng)


def blank(rng: Random) -> str:
    return rng.choice((" ", " ", "-", "*", "0", "_", "#", ".", "=", "x", "/", "~", rng.choice(LOWER)))


def braces(rng: Random) -> str:
    """A template for `str.format` with one field."""
    place = rng.choice(("{}", "{}", "{}", "{0}", "{:>6}", "{:<5}|", "{!r}", "{:^7}"))
    chance = rng.random()
    if chance < 0.3:
        return place
    return fill(rng) + place + (fill(rng) if chance < 0.7 else "").replace("{", "").replace("}", "")


def two_braces(rng: Random) -> str:
    between = rng.choice((" ", ", ", "-", ": ", "", "=", "/", " and "))
    return between.join(rng.choice((("{}", "{}"), ("{}", "{}"), ("{0}", "{1}"), ("{1}", "{0}"), ("{:>4}", "{}"))))


def percents(rng: Random) -> str:
    """A template for `%` with one field."""
    place = rng.choice(("%s", "%s", "%s", "%d", "%r", "%5s", "%-5s"))
    return (syllables(rng) + " " if rng.random() < 0.5 else "") + place + rng.choice(("", "", "!", " ", "%%", ", ok"))


def titled(rng: Random) -> str:
    """A title, or almost one."""
    found = sentence(rng).title() if rng.random() < 0.8 else f"{rng.randint(0, 999)} {sentence(rng).title()}"
    at = rng.randrange(len(found) + 1)
    return found if rng.random() < 0.6 else found[:at] + found[at : at + 1].swapcase() + found[at + 1 :]


def longer(rng: Random) -> str:
    """A string of 20 to 90 characters."""
    found = text(rng)
    while len(found) < 20:
        found += " " + text(rng)
    return found[:90]

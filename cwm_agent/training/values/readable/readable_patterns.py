"""Expressions that take readable texts apart, and texts in which they find something.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import re
from collections.abc import Callable, Mapping
from random import Random

from cwm_agent.training.values import everyday_texts, texts
from cwm_agent.training.values.readable.readable_lines import (
    KEYS,
    Maker,
    code_lines,
    log_lines,
    note_lines,
    setting_lines,
    setting_value,
    table_lines,
    tally_lines,
)

_SCANNED: Mapping[str, tuple[str, ...]] = {
    "NUMBER": (r"\d+(?:\.\d+)?", r"\d+(\.\d*)?", r"\d+", r"-?\d+", r"\d+\.\d+|\d+", r"0x[0-9a-f]+|\d+"),
    "NAME": (r"[A-Za-z_]\w*", r"[a-z]+", r"[A-Za-z]+", r"[a-zA-Z_][a-zA-Z0-9_]*", r"[^\W\d]\w*"),
    "STRING": (r'"[^"]*"', r"'[^']*'", r'"(?:[^"\\]|\\.)*"', r'"[^"\n]*"'),
    "OP": (r"[-+*/]", r"[+\-*/=]", r"[-+*/()=<>]", r"==|<=|>=|[-+*/<>=]", r"\*\*|[-+*/%]", r"[{}()\[\],:;]"),
    "LPAREN": (r"\(",),
    "RPAREN": (r"\)",),
    "COMMA": (r",", r"[,;]"),
    "ASSIGN": (r"=", r":="),
    "KEYWORD": (r"\b(?:if|else|while)\b", r"(?:let|print|if)\b", r"true|false|null", r"and|or|not"),
    "COMMENT": (r"#.*", r"//[^\n]*"),
    "NEWLINE": (r"\n",),
    "SKIP": (r"[ \t]+", r"\s+", r" +"),
}
_RENAMED = {"NUMBER": "NUM", "NAME": "ID", "SKIP": "WS", "OP": "SYM", "STRING": "STR", "KEYWORD": "KW"}


def scanner_parts(rng: Random) -> list[str]:
    """The named groups of a scanner, in any order; a group for all the rest is mostly the last."""
    names = rng.sample(list(_SCANNED), rng.randint(2, 6))
    case = rng.choice((str, str, str, str.lower))
    short = rng.random() < 0.3
    found = []
    for name in names:
        title = _RENAMED.get(name, name) if short else name
        found.append(f"(?P<{case(title)}>{rng.choice(_SCANNED[name])})")
    if rng.random() < 0.5:
        rest = f"(?P<{case(rng.choice(('BAD', 'MISMATCH', 'OTHER', 'ERROR')))}>.)"
        found.insert(rng.randint(0, len(found)) if rng.random() < 0.15 else len(found), rest)
    return found


def scanner_source(rng: Random) -> str:
    """The expression of a scanner."""
    return "|".join(scanner_parts(rng))


def scanner(rng: Random) -> re.Pattern[str]:
    """A scanner, compiled."""
    return re.compile(scanner_source(rng))


def scanned_text(rng: Random) -> str:
    """A short line of a program, or a part of one."""
    name, other, number = texts.syllables(rng), rng.choice("xyzabn"), rng.randint(0, 99)
    pieces: tuple[str, ...] = (
        f"{name} = {number}", f"{other} + {number}.{rng.randint(0, 9)}", f'print("{name}")', f"({other} - 1)",
        f"{name}({other}, {number})", f"{other} * {number}", f"if {other} >= {number}:", f"'{name}'",
        f"{number}{other}", f"{other}={number};", f"let {name} := {number}", f"# {name}", f"{other} @ {number}",
        f"-{number}", f"{other}\n", f"{name}_{number} == {other}", f"[{number}, {other}]", f"0x{number:x}",
        f"not {other}", "  ", f"\t{other}",
    )  # fmt: skip
    return rng.choice((" ", " ", "", " + ", ", ", "  ")).join(rng.sample(pieces, rng.randint(1, 3)))[:48]


def scanned_place(rng: Random, text: object) -> int:
    """A place in a text, often behind a blank or where a word begins."""
    whole = str(text)
    edges = [found.start() for found in re.finditer(r"\b|\s", whole)]
    return rng.choice(edges) if edges and rng.random() < 0.8 else rng.randint(0, len(whole))


def scanner_match(rng: Random) -> re.Match[str]:
    """What a scanner finds somewhere in a line."""
    while True:
        text = scanned_text(rng)
        found = scanner(rng).search(text, scanned_place(rng, text))
        if found is not None:
            return found


def found_kind(_: Random, match: object) -> object:
    """The name of the group that a scanner found."""
    return match.lastgroup if isinstance(match, re.Match) else None


def found_letters(_: Random, match: object) -> object:
    """The text that a scanner found."""
    return match.group() if isinstance(match, re.Match) else ""


def findall_function(_: Random) -> object:
    return re.findall


def search_function(rng: Random) -> object:
    """A function that finds the first place, mostly anywhere."""
    return rng.choice((re.search, re.search, re.match))


def sub_function(_: Random) -> object:
    return re.sub


def compile_function(_: Random) -> object:
    return re.compile


def line_flag(rng: Random) -> re.RegexFlag:
    """Mostly the flag for several lines."""
    return re.MULTILINE if rng.random() < 0.8 else expression_flag(rng)


def _joined(maker: Callable[[Random, int], list[str]]) -> Maker:
    return lambda rng: "\n".join(maker(rng, rng.randint(2, 5)))[:130]


_notes, _settings, _codes = _joined(note_lines), _joined(setting_lines), _joined(code_lines)
_logs, _tables, _tally_text = _joined(log_lines), _joined(table_lines), _joined(tally_lines)
_BY_LINES: Mapping[str, Maker] = {
    r"^(#+)\s+(.+)$": _notes,
    r"^#+ (.+)$": _notes,
    r"^(#{1,3})\s*(.*)$": _notes,
    r"^\s*[-*]\s+(.+)$": _notes,
    r"^- \[( |x)\] (.+)$": _notes,
    r"^(\d+)\. (.*)$": _notes,
    r"^\s*$": _notes,
    r"^(\w+)\s*=\s*(.*)$": _settings,
    r"^(\w+)\s*[:=]\s*(\S+)$": _settings,
    r"^\[(\w+)\]$": _settings,
    r"^([^=\s]+) = (.+)$": _settings,
    r"^def (\w+)\(": _codes,
    r"^\s+(\w+) = ": _codes,
    r"^( +)\S": _codes,
    r"^\s*(if|for|def)\b": _codes,
    r"^(\S+) (\w+)": _logs,
    r"^\S+ (INFO|ERROR|WARN)\b": _logs,
    r"\w+$": _logs,
    r"(\w+)=(\S+)$": _logs,
    r"^(\w+),(\d+)": _tables,
    r"^([A-Z]\w+)\W": _tables,
    r"\d+$": _tally_text,
    r"^(\w+) (\d+)": _tally_text,
    r"(\d+)\D+(\d+)$": _tally_text,
}


def line_expression(rng: Random) -> str:
    """An expression with `^` or `$` for each line of a text."""
    return rng.choice(list(_BY_LINES))


def line_pattern(rng: Random) -> re.Pattern[str]:
    """The same, compiled for several lines."""
    return re.compile(line_expression(rng), re.MULTILINE if rng.random() < 0.85 else rng.choice((0, re.IGNORECASE)))


def text_by_lines(rng: Random, expression: object) -> str:
    """A text of several lines that the expression is about, seldom another one."""
    wanted = expression.pattern if isinstance(expression, re.Pattern) else str(expression)
    maker = _BY_LINES.get(wanted)
    if maker is None or rng.random() < 0.1:
        return rng.choice(list(_BY_LINES.values()))(rng)
    tried = [maker(rng) for _ in range(3)]
    return next((text for text in tried if re.search(wanted, text, re.MULTILINE)), tried[0])


def _fields(rng: Random) -> str:
    return rng.choice((" ", " ", "; ", ", ", "&")).join(
        f"{key}={setting_value(rng)}" for key in rng.sample(KEYS[:8], rng.randint(2, 5))
    )


def _dollars(rng: Random) -> str:
    names = [rng.choice((f"${name}", f"${{{name}}}", name, f"{{{name}}}")) for name in rng.sample(KEYS, 4)]
    return " ".join(names[: rng.randint(2, 4)])


def _mails(rng: Random) -> str:
    name = everyday_texts.first_name
    return " ".join(
        rng.choice((f"{name(rng).lower()}@{texts.syllables(rng)}.com", f"@{name(rng)}", f"#{texts.word(rng)}", "to"))
        for _ in range(rng.randint(2, 4))
    )


def _spans(rng: Random) -> str:
    return rng.choice((" ", "", ", ")).join(
        f"{rng.randint(1, 90)}{rng.choice('dhms')}" for _ in range(rng.randint(1, 5))
    )


def _squares(rng: Random) -> str:
    return " ".join(
        rng.choice(("abcdefgh", "ABC", "NESW"))[rng.randint(0, 2)] + str(rng.randint(1, 30))
        for _ in range(rng.randint(2, 6))
    )


def _ranges(rng: Random) -> str:
    pairs = (f"{(low := rng.randint(0, 20))}-{low + rng.randint(1, 9)}" for _ in range(rng.randint(1, 4)))
    return rng.choice((",", ", ", " ")).join([*pairs, *rng.choice(((), ("7",), ("x-1",)))])


_FOUND: Mapping[str, Maker] = {
    **{rf"{key}=(\w+)": _fields for key in KEYS[:8]},
    **{rf"\b{key}=(\S+)": _fields for key in KEYS[:8]},
    r"(\w+)=(\w+)": _fields,
    r"(\w+)=([^;&, ]*)": _fields,
    r"(\w+)=(\d+)\b": _fields,
    r"\w+=": _fields,
    r"\$\{?(\w+)\}?": _dollars,
    r"\$(\w+)": _dollars,
    r"\{(\w+)\}": _dollars,
    r"\$\{(\w+)\}": _dollars,
    r"@(\w+)": _mails,
    r"#(\w+)": _mails,
    r"(\w+)@(\w+)\.com": _mails,
    r"\w+@\w+\.\w+": _mails,
    r"(\d+)([dhms])": _spans,
    r"(\d+)h": _spans,
    r"\d+[ms]": _spans,
    r"([a-h])(\d+)": _squares,
    r"[A-Z]\d+": _squares,
    r"([NESW])(\d+)": _squares,
    r"(\d+)-(\d+)": _ranges,
    r"\d+": _ranges,
    r"-(\d+)": _ranges,
}


def found_expression(rng: Random) -> str:
    """An expression that takes fields out of a text, with no group, one or two."""
    return rng.choice(list(_FOUND))


def found_pattern(rng: Random) -> re.Pattern[str]:
    """The same, compiled."""
    return re.compile(found_expression(rng))


def found_text(rng: Random, expression: object) -> str:
    """A text with such fields, seldom with others."""
    wanted = expression.pattern if isinstance(expression, re.Pattern) else str(expression)
    maker = _FOUND.get(wanted)
    found = (maker if maker and rng.random() < 0.92 else rng.choice(list(_FOUND.values())))(rng)
    key = wanted.removeprefix(r"\b").partition("=")[0]
    if key in KEYS and f"{key}=" not in found and rng.random() < 0.8:
        return rng.choice(
            (
                f"{key}={setting_value(rng)} {found}",
                f"{found} {key}={setting_value(rng)}",
                f"{texts.word(rng)} {key}=7 {found}",
            )
        )
    return found


def found_match(rng: Random) -> re.Match[str]:
    """A field that was found."""
    while True:
        expression = found_expression(rng)
        found = re.search(expression, found_text(rng, expression))
        if found is not None:
            return found


def slug_expression(rng: Random) -> str:
    """What is replaced where a title becomes a name."""
    return rng.choice(
        (
            "[^a-z0-9]+", "[^a-z0-9]+", "[^a-z0-9]", "[^A-Za-z0-9]+", r"[^\w\s-]", r"[\s_-]+", r"\W+", r"\s+", " +",
            "^-+|-+$", "-{2,}", "[aeiou]", r"\d+", "[^a-z]", r"[^\w]", "(?i)[^a-z]+", r"[.,!?]+", r"\s*[-/]\s*",
        )
    )  # fmt: skip


def slug_fill(rng: Random) -> str:
    return rng.choice(("-", "-", "-", "_", "", " ", "*", "."))


def title_text(rng: Random) -> str:
    """A title with marks, numbers, blanks and letters of both cases."""
    words = [
        rng.choice((texts.word(rng).title(), texts.word(rng), str(rng.randint(1, 99))))
        for _ in range(rng.randint(2, 6))
    ]
    found = words[0]
    for word in words[1:]:
        found += rng.choice((" ", " ", " ", ", ", " - ", "--", " & ", "_", "! ", "/", "'s ", "  ", ": ")) + word
    return rng.choice(("", "", "", "  ", "--")) + found + rng.choice(("", "", "!", "?", "...", " ", "--"))


def lower_title(rng: Random) -> str:
    return title_text(rng).lower()


def split_expression(rng: Random) -> str:
    """What stands between the parts of a text."""
    return rng.choice(
        (
            r"[,;]\s*", r"[,;]\s*", r"\s*,\s*", "[,;|]", r"\s*[;,]\s*", "[^a-z]+", r"\s+", r"([,;])", r"(\d+)",
            r"\s*\|\s*", r"(?<=[.!?])\s+", r"[.!?]\s*", "(?=[A-Z])", r"[\s,]+", "[-:]", r"\n+", r" and |, ",
        )
    )  # fmt: skip


def parted_text(rng: Random) -> str:
    """Parts with marks between them, some of them with blanks."""
    parts = [
        rng.choice((texts.word, texts.word, everyday_texts.first_name, texts.numeral))(rng)
        for _ in range(rng.randint(2, 6))
    ]
    marks = rng.sample((",", ", ", ";", "; ", " , ", "|", " | ", ". ", "! ", "\n", " and ", "-", ":", ",,"), 2)
    return (
        "".join(part + rng.choice(marks) for part in parts[:-1]) + parts[-1] + rng.choice(("", "", "", ".", ";", ","))
    )


def three_behind(_: Random, place: object) -> int:
    """The end of three letters that begin at the place."""
    return place + 3 if isinstance(place, int) else 3


def base_expression(rng: Random) -> str:
    """What is looked for in a sequence of bases: runs, words of three, places before a word."""
    run, word = rng.randint(1, 3), "".join(rng.choices("ACGT", k=3))
    return rng.choice(
        (
            rf"([ACGT])\1{{{run},}}", r"(.)\1+", r"([ACGT])\1", r"([AT])\1\1", "(?=ATG)", "(?=(ATG))", "(?=AA)",
            "(?=(.A))", "ATG(?:...)*?(?:TAA|TAG|TGA)", f"A{{{run},}}", "[GC]+", "(?<=A)T", "GAATTC", word,
            f"{word[:2]}.", "TA[AG]|TGA", "[AT]{2,4}", "A(?!T)", "...", f"(?={word[:2]})", f"{word[0]}+",
        )
    )  # fmt: skip


def base_table(rng: Random) -> dict[int, object]:
    """A table that turns bases into their partners, seldom a part of one or one that drops a letter."""
    one, other = rng.choice((("ACGT", "TGCA"), ("ATCG", "TAGC"), ("ATGC", "TACG"), ("ACGT", "UGCA"), ("T", "U")))
    return dict(str.maketrans(one, other, rng.choice(("", "", "", "N", "-"))))


def doubled_words(rng: Random) -> str:
    """A sentence in which some words occur twice in a row, or letters do."""
    words = [re.sub(rng.choice("aeioubdlmnst"), r"\g<0>\g<0>", texts.word(rng)) for _ in range(rng.randint(2, 5))]
    return " ".join(word if rng.random() < 0.6 else f"{word} {word}" for word in words)


def doubled_expression(rng: Random) -> str:
    return rng.choice((r"\b(\w+) \1\b", r"(\w)\1", r"(.)\1+", r"\b(\w+)\s+\1\b", r"([a-z])\1", r"(\w+) \1"))


def expression_flag(rng: Random) -> re.RegexFlag:
    """A flag of an expression, seldom two."""
    return rng.choice((re.MULTILINE, re.IGNORECASE, re.DOTALL, re.VERBOSE, re.ASCII, re.IGNORECASE | re.MULTILINE))


def any_source(rng: Random) -> str:
    """Any expression, as a text."""
    makers = (line_expression, found_expression, slug_expression, split_expression, base_expression, scanner_source)
    return rng.choice(makers)(rng)

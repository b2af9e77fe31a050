"""Texts as people read them, long and with near-alike parts: logs, settings, notes, code, clocks, sequences of bases;
and the expressions, tables and numbers that programs use to take such texts apart.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from random import Random

from cwm_agent.training.values import everyday_texts, scalars, texts

_Maker = Callable[[Random], str]
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG", "WARNING", "FATAL", "TRACE")
_DEEDS = (
    "login", "logout", "start", "stop", "saved", "failed", "retry", "GET", "POST", "open", "close", "timeout",
    "connected", "request done", "disk full", "cache miss", "cache hit", "payment ok", "job finished",
)  # fmt: skip
_KEYS = ("user", "id", "ms", "host", "path", "code", "size", "took", "ip", "port", "status", "retries", "worker", "job")
_TITLES = ("Install", "Usage", "Notes", "To do", "Setup", "License", "Changes", "Results", "Part one", "Part two")


# long texts and lists of lines


def _value(rng: Random) -> str:
    kinds: tuple[_Maker, ...] = (
        everyday_texts.first_name,
        lambda rng: str(rng.randint(0, 999)),
        texts.word,
        lambda rng: f"{rng.randint(1, 99)}ms",
        lambda rng: f"/{texts.syllables(rng)}/{rng.randint(1, 9)}",
        lambda rng: f"10.0.{rng.randint(0, 3)}.{rng.randint(1, 254)}",
        lambda rng: f"{rng.random() * 9:.{rng.randint(1, 3)}f}",
    )
    return rng.choice(kinds)(rng)


def _stamp(rng: Random) -> str:
    day = f"{rng.randint(2021, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return rng.choice((day, f"{day} {clock}", f"{day}T{clock}", f"{day}T{clock}Z", clock, f"[{clock}]", f"[{day}]"))


def _log_lines(rng: Random, count: int) -> list[str]:
    """Lines of one log: the same stamp and keys, with a few places that differ."""
    stamp, keys = _stamp(rng), rng.sample(_KEYS, rng.randint(1, 4))
    deeds = rng.sample(_DEEDS, 2)
    values = {key: _value(rng) for key in keys}
    joint = rng.choice((" ", " ", " ", ", ", " | "))
    lines = []
    for _ in range(count):
        if rng.random() < 0.8:
            stamp = re.sub(r"\d(?=\D?$)", str(rng.randint(1, 8)), stamp)
        if rng.random() < 0.7:
            values[rng.choice(keys)] = _value(rng)
        fields = joint.join(f"{key}={value}" for key, value in values.items())
        lines.append(f"{stamp} {rng.choice(_LEVELS)} {rng.choice(deeds)} {fields}")
    return lines


def _setting_lines(rng: Random, count: int) -> list[str]:
    joint = rng.choice(("=", "=", " = ", " = ", ": ", ":", "\t"))
    first = rng.choice((f"[{texts.syllables(rng)}]", f"# {everyday_texts.phrase(rng)}"))
    rows = [f"{rng.choice((rng.choice(_KEYS), texts.word(rng)))}{joint}{_value(rng)}" for _ in range(count)]
    return [first, *rows] if rng.random() < 0.5 else rows


def _note_lines(rng: Random, count: int) -> list[str]:
    """Titles, points and empty lines, as in a readme."""
    kinds: tuple[_Maker, ...] = (
        lambda rng: f"{'#' * rng.randint(1, 4)} {rng.choice(_TITLES)}",
        lambda rng: f"{'#' * rng.randint(1, 3)} {rng.choice(_TITLES)} {rng.randint(1, 9)}",
        lambda rng: f"{rng.choice('-*')} {texts.word(rng)} {texts.word(rng)}",
        lambda rng: f"- [{rng.choice(' x')}] {texts.word(rng)} {texts.word(rng)}",
        lambda rng: f"{rng.randint(1, 9)}. {texts.word(rng)}",
        everyday_texts.phrase,
        lambda _: "",
    )
    return [rng.choice(kinds)(rng) for _ in range(count)]


def _code_lines(rng: Random, count: int) -> list[str]:
    indent = rng.choice(("    ", "    ", "\t", "  "))
    name, other = texts.syllables(rng), texts.syllables(rng)
    bodies = (
        f"return {name} + {other}", f"{name} = {rng.randint(0, 99)}", f"if {name} > {rng.randint(0, 9)}:",
        f"{indent}{other} += {name}", f"for {other} in {name}:", f"{indent}print({other})", "pass", f"{other} = []",
        f"{name}.append({other})", f"# {texts.word(rng)} {other}", f"{other}[{rng.randint(0, 9)}] = '{name}'",
    )  # fmt: skip
    return [f"def {name}({other}):", *(indent + rng.choice(bodies) for _ in range(count - 1))]


def _table_lines(rng: Random, count: int) -> list[str]:
    """Rows of a file with separators, or of a table with columns."""
    joint = rng.choice((",", ",", ",", ",", ";", "\t", " | ", ", "))
    wide = rng.random() < 0.3
    rows = [[everyday_texts.first_name(rng), str(rng.randint(1, 999)), _value(rng)] for _ in range(count)]
    cut = rng.randint(2, 3)
    if wide:
        return ["".join(f"{cell:<{rng.choice((10, 10, 12))}}" for cell in row[:cut]).rstrip() for row in rows]
    return [joint.join(row[:cut]) for row in rows]


def _tally_lines(rng: Random, count: int) -> list[str]:
    """Short lines that differ in one place."""
    word = rng.choice((texts.word(rng), "line", "step", "total", "row"))
    width = rng.choice((0, 3, 5, 8))
    mark = rng.choice((":", " ->", " =", ""))
    return [f"{word} {rng.randint(1, 12)}{mark} {rng.randint(0, 400):>{width}}" for _ in range(count)]


_LINES = (_log_lines, _log_lines, _log_lines, _setting_lines, _note_lines, _code_lines, _table_lines, _tally_lines)


def alike_lines(rng: Random) -> list[str]:
    """Lines of one long text, together up to about 260 characters, seldom 400."""
    lines = rng.choice(_LINES)(rng, rng.randint(2, 7))
    most = rng.choice((260, 260, 260, 400))
    while len(lines) > 1 and sum(map(len, lines)) > most:
        lines.pop()
    return lines


def readable_text(rng: Random) -> str:
    """A text of several lines, up to about 260 characters, seldom 400."""
    return "\n".join(alike_lines(rng)) + rng.choice(("", "", "\n"))


def short_readable(rng: Random) -> str:
    """A text of several lines, up to about 120 characters."""
    lines = alike_lines(rng)
    while len(lines) > 1 and sum(map(len, lines)) > 120:
        lines.pop()
    return "\n".join(lines) + rng.choice(("", "", "\n"))


def log_entry(rng: Random) -> str:
    """One line of a log."""
    return _log_lines(rng, 1)[0]


def one_more_line(rng: Random, lines: object) -> str:
    """A line like those of the list: one of them with another number or word, else a new one."""
    if not isinstance(lines, list) or not lines or rng.random() < 0.3:
        return log_entry(rng)
    line = str(rng.choice(lines))
    changed = re.sub(r"\d+", lambda _: str(rng.randint(0, 99)), line, count=rng.randint(1, 2))
    return changed if changed != line else f"{line} {texts.word(rng)}"


def line_or_twin(rng: Random, lines: object) -> str:
    """A line of the list, or one that is almost the same."""
    held = isinstance(lines, list) and lines and rng.random() < 0.6
    return str(rng.choice(lines)) if held and isinstance(lines, list) else one_more_line(rng, lines)


def text_twin(rng: Random, text: object) -> str:
    """The same text, mostly with one character of it changed, doubled or dropped."""
    whole = str(text)
    if not whole or rng.random() < 0.35:
        return whole
    place = rng.randrange(len(whole))
    letter = rng.choice(("", whole[place] * 2, rng.choice("aeiou0123456789 ")))
    return whole[:place] + letter + whole[place + 1 :]


def line_walk(rng: Random) -> Iterator[str]:
    """An iterator over lines."""
    found = iter(alike_lines(rng))
    if rng.random() < 0.5:
        next(found)
    return found


def _clock(rng: Random) -> str:
    return f"{rng.randint(0, 9):02}:{rng.choice((0, 57, 58, 59, rng.randint(0, 59))):02}"


def alike_cells(rng: Random) -> list[str]:
    """Many short texts of one kind: clocks of a game, days of a calendar, cells of a board, marks, labels."""
    count = rng.randint(4, 14)
    width = rng.choice((2, 2, 3, 4))
    side = rng.choice("<>^")
    kinds: tuple[_Maker, ...] = (
        lambda rng: f"W {_clock(rng)} | B {_clock(rng)}",
        lambda rng: rng.choice((f"{rng.randint(1, 31):>2}", str(rng.randint(1, 31)), "**", "--", "")),
        lambda rng: f"{rng.randint(1, 31):{side}{width}}",
        lambda rng: rng.choice("abcdefgh") + rng.choice("12345678"),
        lambda rng: rng.choice(("#", ".", ".", "@", "*", " ")) * width,
        lambda rng: f"{rng.choice('NESW')}{rng.randint(0, 99)}",
        lambda rng: f"item-{rng.randint(0, 20):0{width}}",
        lambda rng: f"{rng.choice(('up', 'down', 'hold'))}({rng.randint(0, 9)})",
        lambda rng: f"{rng.randint(0, 255):0{width}x}",
        lambda rng: f"[{rng.choice((' ', 'x'))}] {rng.choice('abc')}{rng.randint(1, 3)}",
        lambda rng: "".join(rng.choices("01", k=width + 2)),
    )
    kind = rng.choice(kinds)
    return [kind(rng) for _ in range(count)][: max(4, 200 // (len(kind(rng)) + 4))]


def early_place(rng: Random, items: object) -> int:
    """A place in the first half of a list, or its end."""
    return rng.randint(0, len(items) // 2 + 1) if isinstance(items, list) else 0


def late_place(rng: Random, items: object) -> int:
    """A place in the second half of a list, sometimes past its end or from behind."""
    count = len(items) if isinstance(items, list) else 3
    return rng.choice((rng.randint(count // 2, count + 2), rng.randint(count // 2, count), -rng.randint(1, 3)))


def letters_in_row(rng: Random) -> list[str]:
    """The characters of a phrase, a number or a sequence of bases."""
    whole = rng.choice((everyday_texts.phrase, bases, texts.digits, texts.sentence, readable_number))(rng)
    return list(whole[: rng.randint(8, 40)])


def letters_backwards(rng: Random) -> Iterator[str]:
    """The same characters, to be walked from the last to the first."""
    return reversed(letters_in_row(rng))


def ended_line(rng: Random) -> str:
    """A line of a log with its end."""
    return f"{log_entry(rng)}\n"


def readable_number(rng: Random) -> str:
    """A number as people write it: with signs, points, commas, a unit."""
    return f"{rng.choice(('', '-', '$', '+'))}{rng.randint(100, 99_999_999):,}{rng.choice(('', '.50', ' km', '%'))}"


# expressions


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


def _joined(maker: Callable[[Random, int], list[str]]) -> _Maker:
    return lambda rng: "\n".join(maker(rng, rng.randint(2, 5)))[:130]


_notes, _settings, _codes = _joined(_note_lines), _joined(_setting_lines), _joined(_code_lines)
_logs, _tables, _tally_text = _joined(_log_lines), _joined(_table_lines), _joined(_tally_lines)
_BY_LINES: Mapping[str, _Maker] = {
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
        f"{key}={_value(rng)}" for key in rng.sample(_KEYS[:8], rng.randint(2, 5))
    )


def _dollars(rng: Random) -> str:
    names = [rng.choice((f"${name}", f"${{{name}}}", name, f"{{{name}}}")) for name in rng.sample(_KEYS, 4)]
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


_FOUND: Mapping[str, _Maker] = {
    **{rf"{key}=(\w+)": _fields for key in _KEYS[:8]},
    **{rf"\b{key}=(\S+)": _fields for key in _KEYS[:8]},
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
    if key in _KEYS and f"{key}=" not in found and rng.random() < 0.8:
        return rng.choice(
            (f"{key}={_value(rng)} {found}", f"{found} {key}={_value(rng)}", f"{texts.word(rng)} {key}=7 {found}")
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


def bases(rng: Random) -> str:
    """A sequence of bases, with runs and words of three."""
    parts = (
        rng.choice(("ATG", "TAA", "AAA", "GC", "A", "C", "G", "T", "TT", "GGG", "CCC", "TAG", "GAATTC"))
        for _ in range(12)
    )
    return "".join(list(parts)[: rng.randint(3, 12)])


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


# forms and numbers


def signed_form(rng: Random) -> str:
    """A form for a whole number with a sign, separators, zeros or a base."""
    width = rng.randint(3, 12)
    return rng.choice(
        (
            f">+{width},d", f"+{width}d", f">+{width}", f"+{width},", f">0{width}", f"0{width}d", f"+0{width}d", "#o",
            "#x", "#b", f"#0{width}x", f"#0{width}b", f">#{width}x", f"{width},d", f"=+{width}d", f"^+{width}",
            f"<+{width}d", "+,d", f"0={width}d", f"*>{width},", " d", f" {width},d", f"0{width},d", "#X", "_b", "_x",
            f"+{width}.1f", ".1e",
        )
    )  # fmt: skip


def signed_number(rng: Random) -> int:
    """A whole number of one to seven digits with a sign."""
    return rng.choice((-1, 1, 1)) * rng.randint(0, 10 ** rng.randint(1, 7))


def measure_form(rng: Random) -> str:
    """A form for a float with a sign, a width, an exponent or separators."""
    width, places = rng.randint(5, 12), rng.randint(0, 4)
    return rng.choice(
        (
            f"+{width}.{places}f", f"+.{places}f", f">+{width}.{places}f", f"0{width}.{places}f",
            f"+0{width}.{places}f", f".{places}e", f"+.{places}e", f"{width}.{places}e", f">{width},.{places}f",
            f"+,.{places}f", f".{places + 1}g", f"{width}.{places + 1}g", f" .{places}f", f"<{width}.{places}f",
            f"^{width}.{places}f", f".{places}%", f"+{width}.{places}%", f"*>{width}.{places}f", f">0{width}",
            f">{width}",
        )
    )  # fmt: skip


def measure(rng: Random) -> float:
    """A float between a ten-thousandth and a million, of either sign, seldom halfway between two forms."""
    size = rng.choice((0.001, 0.1, 1, 10, 100, 1000, 100_000))
    found = rng.choice(
        (round(rng.random() * size, rng.randint(1, 6)), rng.randint(0, 999) / 8, float(rng.randint(0, 2000)))
    )
    return rng.choice((-1, 1, 1)) * found


def amount_form(rng: Random) -> str:
    """A form for a decimal."""
    width = rng.randint(6, 14)
    return rng.choice(
        (
            f">{width},.2f",
            f"{width}.2f",
            f">{width}",
            ",.2f",
            "+.2f",
            ".1f",
            f"<{width}.3f",
            f"+{width},.2f",
            ",",
            ".0f",
        )
    )


def amount(rng: Random) -> Decimal:
    """A decimal with zero to four places and up to eight digits."""
    return Decimal(rng.choice((-1, 1, 1, 1)) * rng.randint(0, 10 ** rng.randint(2, 8))).scaleb(
        -rng.choice((0, 1, 2, 2, 2, 3, 4))
    )


def blank_part(rng: Random) -> str:
    """A part of a line of a report that has its own blanks."""
    kinds: tuple[_Maker, ...] = (
        lambda rng: format(measure(rng), f"+{rng.randint(6, 9)}.2f"),
        lambda rng: format(measure(rng), f"{rng.randint(5, 9)}.{rng.randint(0, 2)}f"),
        lambda rng: f"{texts.word(rng):<{rng.randint(4, 10)}}",
        lambda rng: f"{rng.randint(0, 999):>{rng.randint(2, 6)}}",
        lambda rng: f"{texts.word(rng):>{rng.randint(4, 9)}}",
        lambda rng: f"{texts.word(rng):^{rng.randint(5, 9)}}",
        lambda rng: f"{rng.randint(0, 99)}%",
        lambda rng: "#" * rng.randint(0, 9),
        texts.word,
    )
    return rng.choice(kinds)(rng)


def based_text(rng: Random) -> str:
    """A whole number as a program writes it, in any base, or what only looks like one."""
    number = rng.randint(0, rng.choice((9, 99, 4095)))
    sign = rng.choice(("", "", "", "-", "+"))
    kinds = (
        str(number), f"{number:#x}", f"0x{number:X}", f"{number:#b}", f"{number:#o}", f"{number}e3", f"{number / 10}",
        "n/a", f" {number} ", f"{number:_}", f"0{number}", f"{number:x}", "", "-", f"{number}px", f"0x{number:04x}",
        f"{number:,}",
    )  # fmt: skip
    return sign + rng.choice(kinds if rng.random() < 0.5 else kinds[:5])


def real_text(rng: Random) -> str:
    """A float as a text, in any notation, or what only looks like one."""
    number = rng.randint(0, 99)
    kinds = (
        f"{number}e{rng.randint(0, 5)}", f"{number}.{rng.randint(0, 99)}", f"{number}E-{rng.randint(1, 4)}",
        f".{number}", f"{number}.", f"{number}.5e{rng.randint(1, 3)}", f"{number:03}", "inf", "nan", f" {number}.0\n",
        "n/a", "", f"{number}%", f"1_0{number}.5", f"{number},5", f"-{number}.25", f"+{number}e-0{rng.randint(1, 6)}",
    )  # fmt: skip
    return rng.choice(kinds if rng.random() < 0.5 else kinds[:6])


def number_base(rng: Random) -> int:
    return rng.choice((0, 0, 2, 8, 10, 16, 16, 36))


def half_number(rng: Random) -> float:
    """A float halfway between two whole numbers, or near that."""
    return rng.choice((-1, 1)) * (rng.randint(0, 30) + rng.choice((0.5, 0.5, 0.5, 0.49, 0.51, 0.25, 0.75, 0.0)))


def rounded_number(rng: Random) -> object:
    """A number to be rounded to tens or to places."""
    return rng.choice(
        (round(rng.uniform(-2000, 9999), 3), rng.randint(-999, 99_999), round(rng.random() * 10, 4), 2.675)
    )


def rounded_places(rng: Random) -> int:
    return rng.choice((-3, -2, -1, -1, 0, 1, 2, 2, 3))


def power_of_sign(rng: Random) -> int:
    return rng.choice((rng.randint(0, 12), rng.randint(0, 99), -rng.randint(1, 9)))


# words and data


def tabbed_line(rng: Random) -> str:
    """A line of code or of a table with tabs in it."""
    name, other = texts.syllables(rng), texts.word(rng)
    tabs = "\t" * rng.randint(1, 3)
    return rng.choice(
        (
            f"{tabs}return {name}", f"{name}\t=\t{rng.randint(0, 99)}", f"\tif {name}:\t# {other}",
            f"{name}\t{other}\t{_value(rng)}", f"{name}{tabs}{other}", f" \t{name}",
            f"def {name}():\n\t{other} = 1\n\treturn {other}", f"{name}\t", f"a\tbc\tdef\t{name}",
        )
    )  # fmt: skip


def tab_width(rng: Random) -> int:
    return rng.choice((4, 4, 4, 2, 8, 3, 1))


def word_within(rng: Random, text: object) -> str:
    """A word, a mark or a line's end of the text, seldom one that is not there."""
    words = re.findall(r"\w+|[^\w\s]|\n", str(text))
    if not words or rng.random() < 0.12:
        return texts.word(rng)
    word: str = rng.choice(words)
    return word if rng.random() < 0.7 else word[: rng.randint(1, 3)]


def told_day(rng: Random) -> date:
    """A date or a moment."""
    moment = datetime(
        rng.randint(1990, 2030), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    )
    return rng.choice((moment, moment.replace(hour=0, minute=0), moment.date()))


def json_data(rng: Random, deep: int = 1) -> object:
    """A dict as a program writes it to a file: keys out of order, texts, numbers, nothing, lists."""
    plain: tuple[Callable[[Random], object], ...] = (
        scalars.small, texts.word, scalars.boolean, everyday_texts.first_name, lambda _: None, measure,
        lambda rng: [scalars.small(rng) for _ in range(rng.randint(0, 3))], title_text,
    )  # fmt: skip
    keys = rng.sample((*_KEYS, "name", "tags", "a", "b", "total", "on", "x", "y"), rng.randint(1, 4))
    found: dict[str, object] = {key: rng.choice(plain)(rng) for key in keys}
    if deep and rng.random() < 0.35:
        found[rng.choice(keys)] = json_data(rng, deep - 1)
    return found


def dumps_function(_: Random) -> object:
    return json.dumps


def data_marks(rng: Random) -> tuple[str, str]:
    """What stands between the items and behind the keys of written data."""
    return rng.choice(((",", ":"), (",", ":"), (",", ":"), (", ", ": "), (",", ": "), ("; ", "=")))


def letters_sorted(_: Random, word: object) -> str:
    return "".join(sorted(str(word)))


def anagram_pair(rng: Random) -> tuple[str, str]:
    """The letters of a word in order, and the word."""
    word = "".join(rng.choices("eilnsto" if rng.random() < 0.6 else texts.LOWER, k=rng.randint(2, 7)))
    word = rng.choice(
        (word, texts.word(rng).lower(), rng.choice(("stone", "notes", "onset", "listen", "silent", "enlist", "inlets")))
    )
    return "".join(sorted(word)), word


def anagram_near(rng: Random, pair: object) -> tuple[str, str]:
    """Such a pair, often with the same letters or with the same beginning."""
    if not isinstance(pair, tuple) or len(pair) != 2 or rng.random() < 0.45:
        return anagram_pair(rng)
    letters = list(str(pair[1]))
    if rng.random() < 0.5:
        letters.append(rng.choice("aeinst"))
    rng.shuffle(letters)
    return "".join(sorted(letters)), "".join(letters)


def anagram_pairs(rng: Random) -> list[tuple[str, str]]:
    first = anagram_pair(rng)
    return [first, *(anagram_near(rng, first) for _ in range(rng.randint(1, 4)))]

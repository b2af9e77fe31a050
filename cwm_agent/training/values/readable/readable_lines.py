"""Long texts with near-alike parts, as people read them: logs, settings, notes, code, tables, clocks, bases.

Each recipe is `(rng, *values drawn before) -> object`.
"""

import re
from collections.abc import Callable, Iterator
from random import Random

from cwm_agent.training.values import everyday_texts, texts

Maker = Callable[[Random], str]
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG", "WARNING", "FATAL", "TRACE")
_DEEDS = (
    "login", "logout", "start", "stop", "saved", "failed", "retry", "GET", "POST", "open", "close", "timeout",
    "connected", "request done", "disk full", "cache miss", "cache hit", "payment ok", "job finished",
)  # fmt: skip
KEYS = ("user", "id", "ms", "host", "path", "code", "size", "took", "ip", "port", "status", "retries", "worker", "job")
_TITLES = ("Install", "Usage", "Notes", "To do", "Setup", "License", "Changes", "Results", "Part one", "Part two")


def setting_value(rng: Random) -> str:
    kinds: tuple[Maker, ...] = (
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


def log_lines(rng: Random, count: int) -> list[str]:
    """Lines of one log: the same stamp and keys, with a few places that differ."""
    stamp, keys = _stamp(rng), rng.sample(KEYS, rng.randint(1, 4))
    deeds = rng.sample(_DEEDS, 2)
    values = {key: setting_value(rng) for key in keys}
    joint = rng.choice((" ", " ", " ", ", ", " | "))
    lines = []
    for _ in range(count):
        if rng.random() < 0.8:
            stamp = re.sub(r"\d(?=\D?$)", str(rng.randint(1, 8)), stamp)
        if rng.random() < 0.7:
            values[rng.choice(keys)] = setting_value(rng)
        fields = joint.join(f"{key}={value}" for key, value in values.items())
        lines.append(f"{stamp} {rng.choice(_LEVELS)} {rng.choice(deeds)} {fields}")
    return lines


def setting_lines(rng: Random, count: int) -> list[str]:
    joint = rng.choice(("=", "=", " = ", " = ", ": ", ":", "\t"))
    first = rng.choice((f"[{texts.syllables(rng)}]", f"# {everyday_texts.phrase(rng)}"))
    rows = [f"{rng.choice((rng.choice(KEYS), texts.word(rng)))}{joint}{setting_value(rng)}" for _ in range(count)]
    return [first, *rows] if rng.random() < 0.5 else rows


def note_lines(rng: Random, count: int) -> list[str]:
    """Titles, points and empty lines, as in a readme."""
    kinds: tuple[Maker, ...] = (
        lambda rng: f"{'#' * rng.randint(1, 4)} {rng.choice(_TITLES)}",
        lambda rng: f"{'#' * rng.randint(1, 3)} {rng.choice(_TITLES)} {rng.randint(1, 9)}",
        lambda rng: f"{rng.choice('-*')} {texts.word(rng)} {texts.word(rng)}",
        lambda rng: f"- [{rng.choice(' x')}] {texts.word(rng)} {texts.word(rng)}",
        lambda rng: f"{rng.randint(1, 9)}. {texts.word(rng)}",
        everyday_texts.phrase,
        lambda _: "",
    )
    return [rng.choice(kinds)(rng) for _ in range(count)]


def code_lines(rng: Random, count: int) -> list[str]:
    indent = rng.choice(("    ", "    ", "\t", "  "))
    name, other = texts.syllables(rng), texts.syllables(rng)
    bodies = (
        f"return {name} + {other}", f"{name} = {rng.randint(0, 99)}", f"if {name} > {rng.randint(0, 9)}:",
        f"{indent}{other} += {name}", f"for {other} in {name}:", f"{indent}print({other})", "pass", f"{other} = []",
        f"{name}.append({other})", f"# {texts.word(rng)} {other}", f"{other}[{rng.randint(0, 9)}] = '{name}'",
    )  # fmt: skip
    return [f"def {name}({other}):", *(indent + rng.choice(bodies) for _ in range(count - 1))]


def table_lines(rng: Random, count: int) -> list[str]:
    """Rows of a file with separators, or of a table with columns."""
    joint = rng.choice((",", ",", ",", ",", ";", "\t", " | ", ", "))
    wide = rng.random() < 0.3
    rows = [[everyday_texts.first_name(rng), str(rng.randint(1, 999)), setting_value(rng)] for _ in range(count)]
    cut = rng.randint(2, 3)
    if wide:
        return ["".join(f"{cell:<{rng.choice((10, 10, 12))}}" for cell in row[:cut]).rstrip() for row in rows]
    return [joint.join(row[:cut]) for row in rows]


def tally_lines(rng: Random, count: int) -> list[str]:
    """Short lines that differ in one place."""
    word = rng.choice((texts.word(rng), "line", "step", "total", "row"))
    width = rng.choice((0, 3, 5, 8))
    mark = rng.choice((":", " ->", " =", ""))
    return [f"{word} {rng.randint(1, 12)}{mark} {rng.randint(0, 400):>{width}}" for _ in range(count)]


_LINES = (log_lines, log_lines, log_lines, setting_lines, note_lines, code_lines, table_lines, tally_lines)


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
    return log_lines(rng, 1)[0]


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
    kinds: tuple[Maker, ...] = (
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


def bases(rng: Random) -> str:
    """A sequence of bases, with runs and words of three."""
    parts = (
        rng.choice(("ATG", "TAA", "AAA", "GC", "A", "C", "G", "T", "TT", "GGG", "CCC", "TAG", "GAATTC"))
        for _ in range(12)
    )
    return "".join(list(parts)[: rng.randint(3, 12)])

"""Lines that format values by a specification: f-strings, `%`, `str.format`, `format`, with any width and precision.

Each maker is `(rng) -> Drawn`. Specifications are part of the line, so no table can hold them.
"""

from collections.abc import Callable
from random import Random

from cwm_agent.training.patterns.pattern import Drawn
from cwm_agent.training.values import (
    everyday_texts,
    hard_operands,
    library_values,
    rich_values,
    scalars,
    texts,
)
from cwm_agent.training.values.further import sundry_values, told_values
from cwm_agent.training.values.readable import readable_numbers

Maker = Callable[[Random], Drawn]
_NAMES = "abcdefgh"
_FILLS = ("", "", "", "", ".", "*", "-", "_", "=", "0", "#")
_STAMPS = ("%Y", "%y", "%m", "%d", "%H", "%M", "%S", "%b", "%B", "%a", "%A", "%j", "%I:%M %p", "%H:%M", "%d.%m.%Y")
_STAMP_JOINTS = ("-", "/", ".", " ", " ", ":", ", ", "")

_LABELS = ("", "", "", "", "", "sd=", "n=", "x: ", "total ", "#")
_UNITS = ("", "", "", "", "", "C", "F", "%", " km", "ms", ":")


def _width(rng: Random) -> int:
    return rng.randint(1, 12) if rng.random() < 0.85 else rng.randint(12, 30)


def _aligned(rng: Random, sides: str) -> str:
    """A side with or without a fill, and a width."""
    side = rng.choice(sides)
    fill = rng.choice(_FILLS) if side != " " else ""
    return f"{fill}{side.strip()}{_width(rng)}"


def text_form(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.1:
        return f".{rng.randint(1, 6)}"
    return _aligned(rng, "<<>>^^ ") + (f".{rng.randint(1, 5)}" if chance < 0.15 else "")


def whole_form(rng: Random) -> str:
    """A form for an integer."""
    return rng.choice(
        (
            lambda: _aligned(rng, "<>^> "),
            lambda: _aligned(rng, "<>^> ") + "d",
            lambda: f"0{rng.randint(2, 8)}" + rng.choice(("", "d")),
            lambda: rng.choice((",", "_", "+", "+d", "d", "+,")),
            lambda: f"{rng.choice(('', '>'))}{rng.randint(4, 12)},",
            lambda: rng.choice(
                ("x", "X", "#x", "02x", "02X", "04x", "o", "03o", "08o", "b", "08b", "04b", "#b", "010b")
            ),
            lambda: rng.choice((".1f", ".2f", "8.2f", ">7.1f")),
        )
    )()


def float_form(rng: Random) -> str:
    places = rng.choice((0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 6))
    return rng.choice(
        (
            lambda: f".{places}f",
            lambda: f".{places}f",
            lambda: f"{_aligned(rng, '<>> ')}.{places}f",
            lambda: f"{rng.randint(4, 12)}.{places}f",
            lambda: f",.{places}f",
            lambda: f"{rng.choice(('', '>'))}{rng.randint(6, 14)},.{places}f",
            lambda: f"+.{places}f",
            lambda: f"0{rng.randint(4, 9)}.{places}f",
            lambda: f".{rng.choice((0, 1, 1, 2))}%",
            lambda: rng.choice(("g", ".3g", "e", ".2e", ".3e", ".1e", ",", "f", "_.0f", "_.2f", "<10.3g", "10.2e")),
            lambda: _aligned(rng, "<>^"),
        )
    )()


def stamp_form(rng: Random) -> str:
    """A form of a date or a moment."""
    if rng.random() < 0.3:
        return rng.choice(("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%H:%M", "%A", "%a %d %b", "%b %d, %Y", "%d %B %Y"))
    between = rng.choice(_STAMP_JOINTS)
    return between.join(rng.choice(_STAMPS) for _ in range(rng.randint(1, 4)))


def _float(rng: Random) -> float:
    kind = rng.random()
    if kind < 0.45:
        return hard_operands.price(rng)
    if kind < 0.6:
        return rng.random()
    return rich_values.short_price(rng) if kind < 0.8 else rng.randint(1, 999) / rng.choice((3, 6, 7, 8, 9, 11, 12))


def _word(rng: Random) -> str:
    return rng.choice((texts.word, texts.word, everyday_texts.first_name, everyday_texts.full_name, texts.text))(rng)


def _number(rng: Random) -> int:
    return rng.choice((scalars.integer, scalars.integer, hard_operands.figure, scalars.natural))(rng)


def _moment(rng: Random) -> object:
    return rng.choice((library_values.day, library_values.moment))(rng)


_KINDS: tuple[tuple[Callable[[Random], object], Callable[[Random], str], float], ...] = (
    (_word, text_form, 6),
    (_number, whole_form, 6),
    (_float, float_form, 8),
    (_moment, stamp_form, 2),
    (library_values.decimal, lambda rng: rng.choice((".2f", ".1f", ">10", ",.2f", ">9.2f", "8")), 0.7),
    (readable_numbers.signed_number, readable_numbers.signed_form, 1.5),
    (readable_numbers.measure, readable_numbers.measure_form, 1.5),
    (readable_numbers.amount, readable_numbers.amount_form, 0.7),
)
_WEIGHTS = [weight for *_, weight in _KINDS]


def _field(rng: Random) -> tuple[object, str]:
    """A value with a form that fits it, seldom one that does not."""
    value, form, _ = rng.choices(_KINDS, _WEIGHTS)[0]
    other = rng.choice(_KINDS)[1] if rng.random() < 0.015 else form
    return value(rng), other(rng)


def _between(rng: Random) -> str:
    return rng.choice(("", "", "", " ", " ", " | ", "|", ": ", ", ", "-", " = ", "x", "$", " -> ", ". ", "(", " of "))


def _count(rng: Random) -> int:
    return rng.choices((1, 2, 3, 4), (60, 22, 13, 5))[0]


def field_line(rng: Random) -> Drawn:
    """An f-string whose fields have forms."""
    values: dict[str, object] = {}
    parts = [_between(rng) if rng.random() < 0.3 else ""]
    for name in _NAMES[: _count(rng)]:
        values[name], form = _field(rng)
        if rng.random() < 0.2:
            values[name], form = _word(rng), ""
        parts += [f"{{{name}{':' if form else ''}{form}}}", _between(rng) if rng.random() < 0.6 else ""]
    return Drawn(f"o = f'{''.join(parts)}'", values, {}, "format.fields")


def column_line(rng: Random) -> Drawn:
    """An f-string of two or three wide columns, so that long runs of blanks occur and meet."""
    values: dict[str, object] = {}
    parts: list[str] = []
    for place, name in enumerate(_NAMES[: rng.choice((1, 2, 2, 3))]):
        values[name] = (told_values.column_number if place and rng.random() < 0.7 else told_values.column_text)(rng)
        form = ".2f" if isinstance(values[name], float) else rng.choice(("", ",")) if place else ""
        side = rng.choice("<>") if not form else rng.choice((">", ""))
        form = form if not isinstance(values[name], str) else ""
        parts += [f"{{{name}:{side}{rng.randint(6, 28)}{form}}}", rng.choice(("", "", "", " ", "|", " | "))]
    return Drawn(f"o = f'{''.join(parts)}'", values, {}, "format.columns")


def joined_line(rng: Random) -> Drawn:
    """An f-string of three to five parts without forms, which have blanks of their own."""
    names = _NAMES[: rng.randint(3, 5)]
    parts = [f"{rng.choice(_LABELS)}{{{name}}}{rng.choice(_UNITS)}" for name in names]
    joint = rng.choice((" ", " ", " ", "", "|", " | ", ", "))
    values: dict[str, object] = {name: readable_numbers.blank_part(rng) for name in names}
    return Drawn(f"o = f'{joint.join(parts)}'", values, {}, "format.joined")


def group_line(rng: Random) -> Drawn:
    """A named group of a regular expression, put together from variables."""
    values: dict[str, object] = {"a": sundry_values.group_title(rng), "b": sundry_values.group_source(rng)}
    return Drawn("o = f'(?P<{a}>{b})'", values, {}, "format.group")


def held_form(rng: Random) -> Drawn:
    """A form, a width or a precision that a variable holds."""
    value, form = _field(rng)
    chance = rng.random()
    if chance < 0.4:
        return Drawn(f"o = f'{_between(rng)}{{a:{{b}}}}'", {"a": value, "b": form}, {}, "format.held")
    if chance < 0.5:
        side = f"{rng.choice('<>^')}{rng.randint(1, 12)}"
        return Drawn("o = f'{a!s:{b}}'", {"a": rng.choice((_word, _number, _float))(rng), "b": side}, {}, "format.held")
    if chance < 0.7:
        return Drawn("o = f'{a:.{b}f}'", {"a": _float(rng), "b": rng.randint(0, 4)}, {}, "format.held")
    side = rng.choice(("<", ">", "^", "", "*^", "->"))
    return Drawn(
        f"o = f'{{a:{side}{{b}}}}'", {"a": rng.choice((_word, _number))(rng), "b": _width(rng)}, {}, "format.held"
    )


def _unnamed_day(field: tuple[object, str]) -> tuple[object, str]:
    """The field without a day of the week, which a template gives no room to compute."""
    return field[0], field[1].replace("%A", "%B").replace("%a", "%b").replace("%j", "%d")


def call_line(rng: Random) -> Drawn:
    """`str.format` and `format` with forms."""
    if rng.random() < 0.3:
        value, form = _field(rng)
        return Drawn(f"o = format(a, {form!r})", {"a": value}, {}, "format.call")
    fields = [_unnamed_day(_field(rng)) for _ in range(rng.choices((1, 2, 3), (5, 4, 2))[0])]
    named = rng.random() < 0.25
    names = _NAMES[: len(fields)]
    keys = rng.sample(("name", "price", "total", "day", "count"), len(fields)) if named else ["" for _ in fields]
    template = _between(rng).join(f"{{{key}:{form}}}" for key, (_, form) in zip(keys, fields, strict=True))
    given = [f"{key}={name}" if key else name for key, name in zip(keys, names, strict=True)]
    values = {name: value for name, (value, _) in zip(names, fields, strict=True)}
    return Drawn(f"o = {template!r}.format({', '.join(given)})", values, {}, "format.template")


def _percent(rng: Random) -> tuple[str, object]:
    """A place of a template with a percent sign, and a value for it."""
    width = rng.choice(("", "", "", str(_width(rng)), f"-{_width(rng)}"))
    chance = rng.random()
    if chance < 0.4:
        return f"%{width}{rng.choice('sssr')}", rng.choice((_word, _number, _word))(rng)
    if chance < 0.65:
        signs = ("", "+", "03", "02") if not width else ("",) if width.startswith("-") else ("", "0")
        sign = rng.choice(signs)
        return f"%{sign}{width}d", _number(rng)
    if chance < 0.95:
        return f"%{rng.choice(('', '', '+'))}{width}.{rng.choice((0, 1, 1, 2, 2, 3))}f", rng.choice((_float, _number))(
            rng
        )
    return f"%{rng.choice(('x', '02x', '02X', '04x', 'o', 'e', 'g'))}", scalars.natural(rng)


def percent_line(rng: Random) -> Drawn:
    """A template with percent signs over one value or a tuple, which is often a variable."""
    places = [_percent(rng) for _ in range(rng.choices((1, 2, 3, 4), (3, 4, 3, 1))[0])]
    template = _between(rng).join(place for place, _ in places) + rng.choice(("", "", "", "%%", "!"))
    given = [value for _, value in places]
    if rng.random() < 0.04:
        given.append(scalars.small(rng))
    if len(given) == 1 and rng.random() < 0.7:
        return Drawn(f"o = {template!r} % a", {"a": given[0]}, {}, "format.percent")
    return Drawn(f"o = {template!r} % a", {"a": tuple(given)}, {}, "format.percent")


def stamp_line(rng: Random) -> Drawn:
    """`strftime` of a date or a moment."""
    form, value = stamp_form(rng), _moment(rng)
    if rng.random() < 0.25:
        return Drawn("o = a.strftime(b)", {"a": value, "b": form}, {}, "format.stamp")
    return Drawn(f"o = a.strftime({form!r})", {"a": value}, {}, "format.stamp")


FORMAT_MAKERS: tuple[tuple[Maker, float], ...] = (
    (field_line, 10),
    (column_line, 3),
    (joined_line, 1.5),
    (held_form, 2),
    (group_line, 0.4),
    (call_line, 3),
    (percent_line, 4),
    (stamp_line, 2),
)

"""Writes out how values are formatted: the digits that are kept, then length and blanks; knows values and forms only.

f'{'Yan':.<8}'              Yan:3+5                   the text, its length, how much is added
f'{2.5:>7.2f}'              2.50:4+3                  a number as it is written, then the same
f'{1.61803:.2f}'            1.61|803                  what is kept, what is cut off
f'{0.0625:.1%}'             6.2|5                     the same a hundred times as large
'ab'.center(7)              ab:2+5 2 3                how much is added before and behind
f'{1234567:,}'              567 234 1                 groups of digits from the end
f'{1234.5:.2e}'             1.23|45 3                 the digits kept, those cut off, the exponent; so for `.3g`
'%-6s|%3d' % ('Tea', 12)    Tea:3+3 12:2+1            field by field
f'{'Tea':<6}{12:>4}'        Tea:3+3 12:2+2 3+2=5      blanks that meet, together
"""

import ast
import math
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal

from cwm_agent.views.scratchpad.arithmetic import decimal_arithmetic

_SPEC = re.compile(r"(?:(?P<fill>.)?(?P<side>[<>^=]))?(?P<sign>[-+ ]?#?)(?P<zero>0?)(?P<width>\d+)?(?P<rest>.*)$")
_PLACES = re.compile(r"[,_]?(?:\.(\d))?([f%eg])$")
_DEFAULT_PLACES = 6
_GROUPED = re.compile(r"[,_](?:\.\d)?[df]?$")
_FEWEST_DIGITS = 4
"""Of a number that is written in groups."""
_GROUP = 3
_PERCENT = re.compile(r"%(?P<flags>[-+0 ]*)(?P<width>\d+)?(?P<rest>(?:\.\d+)?[sdifgxXreE%])")
_MOST_WIDTH = 60
_LONGEST = 40
"""Most characters of a text that is padded."""

Field = tuple[object, str]
"""A value and the form in which it is written."""


def fields(given: Sequence[Field | str]) -> str | None:
    """Return the workings of a text of fields and of parts between them; None if no field needs any."""
    found = [work for part in given if not isinstance(part, str) and (work := _field(*part))]
    return " ".join([*found, *_meeting_blanks(given)]) or None


def _meeting_blanks(given: Sequence[Field | str]) -> list[str]:
    """The blanks of fields and parts that stand side by side, with their sum."""
    found: list[str] = []
    run: list[int] = []
    for part in given:
        before, filled, behind = _blanks_of(part)
        run.append(before)
        if filled:
            found += _sum_of_blanks(run)
            run = [behind]
    return found + _sum_of_blanks(run)


def _sum_of_blanks(run: Sequence[int]) -> list[str]:
    counts = [count for count in run if count]
    return [f"{'+'.join(map(str, counts))}={sum(counts)}"] if len(counts) > 1 and sum(counts) > 2 else []


def _blanks_of(part: Field | str) -> tuple[int, bool, int]:
    """How many blanks a part begins and ends with, and whether anything is between them."""
    if isinstance(part, str):
        text = part
    else:
        try:
            short = all(int(number) <= _MOST_WIDTH for number in re.findall(r"\d+", part[1]))
            text = format(*part) if short and type(part[0]) in (int, float, str, Decimal) else "?"
        except (ValueError, OverflowError):
            text = "?"
    before = len(text) - len(text.lstrip(" "))
    return before, before < len(text), len(text) - len(text.rstrip(" ")) if before < len(text) else 0


def _field(value: object, form: str) -> str | None:
    match = _SPEC.match(form)
    if match is None or type(value) not in (int, float, str, Decimal):
        return None
    cut = " ".join(filter(None, (_cut(value, match["rest"]), _groups(value, match["rest"]))))
    if match["width"] is None or int(match["width"]) > _MOST_WIDTH:
        return cut or None
    try:
        written = format(value, match["sign"] + match["rest"])
    except ValueError:
        return None
    if len(written) > _LONGEST or "\n" in written:
        return cut or None
    padded = _padded(written, int(match["width"]), match["side"])
    return f"{cut} {padded}" if cut else padded


def _cut(value: object, rest: str) -> str | None:
    """The digits of a float that its form keeps, and those behind them."""
    match = _PLACES.match(rest)
    if match is None or isinstance(value, str):
        return None
    places = _DEFAULT_PLACES if match[1] is None else int(match[1])
    if match[2] in "eg":
        return _with_exponent(value, places if match[2] == "e" else max(places - 1, 0))
    if isinstance(value, Decimal):
        text = str(value * 100 if match[2] == "%" else value)
        return decimal_arithmetic.rounded(text, places, ties=False)
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    exact = Decimal(repr(value))
    text = f"{(exact * 100).normalize() if match[2] == '%' else exact:f}"
    return decimal_arithmetic.rounded(text, places, ties=match[2] == "f")


def _with_exponent(value: object, places: int) -> str | None:
    """The first digits of a number and those behind them, then its exponent."""
    if not isinstance(value, int | float) or not math.isfinite(value) or not value:
        return None
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    first, *others = map(str, digits)
    text = f"{'-' * sign}{first}.{''.join(others) or '0'}"
    return f"{decimal_arithmetic.rounded(text, places) or text} {exponent + len(others)}"


def _groups(value: object, rest: str) -> str | None:
    """The digits before the point in groups of three, from the end; None for a number with fewer than four."""
    if not _GROUPED.match(rest) or isinstance(value, str):
        return None
    try:
        whole = format(value, rest[1:]).lstrip("-").partition(".")[0]
    except ValueError:
        return None
    if not _FEWEST_DIGITS <= len(whole) <= _LONGEST or not whole.isdecimal():
        return None
    return " ".join(whole[max(0, end - _GROUP) : end] for end in range(len(whole), 0, -_GROUP))


def _padded(text: str, width: int, side: str | None) -> str:
    more = max(0, width - len(text))
    return f"{text}:{len(text)}+{more}" + (f" {more // 2} {more - more // 2}" if side == "^" and more else "")


def method(name: str, text: str, width: int) -> str | None:
    """Return the workings of `center`, `ljust`, `rjust` and `zfill`."""
    if len(text) > _LONGEST or not text.isprintable() or not 0 < width <= _MOST_WIDTH:
        return None
    more = max(0, width - len(text))
    before = more // 2 + (more & width & 1)
    return f"{text}:{len(text)}+{more}" + (f" {before} {more - before}" if name == "center" and more else "")


def of_template(template: str, given: Sequence[object], named: Mapping[str, object]) -> str | None:
    """Return the workings of `str.format` with these arguments, in their order and by name."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return None
    values, found = iter(given), list[Field | str]()
    for text, name, form, conversion in parts:
        found.append(text)
        if name is not None:
            value = named.get(name, values) if name else next(values, values)
            if value is values:
                return None
            found.append((_converted(value, conversion), form or ""))
    return fields(found)


def _converted(value: object, conversion: str | None) -> object:
    """The value as `!r` or `!s` makes it; None, which stands for what is not plain, stays."""
    if value is None or conversion not in ("r", "s"):
        return value
    return repr(value) if conversion == "r" else str(value)


def of_percents(template: str, given: object) -> str | None:
    """Return the workings of a template with percent signs."""
    values = given if isinstance(given, tuple) else (given,)
    places = [match for match in _PERCENT.finditer(template) if match["rest"] != "%"]
    if len(places) != len(values):
        return None
    found, end = list[Field | str](), 0
    for place, value in zip(places, values, strict=True):
        found += [template[end : place.start()], (value, _form(place, value))]
        end = place.end()
    return fields([*found, template[end:]])


def _form(place: re.Match[str], value: object) -> str:
    """The form of a place as `format` knows it."""
    kind = place["rest"][-1]
    rest = place["rest"][:-1] + (kind if kind in "fgeExX" else "d" if kind in "di" and type(value) is int else "")
    side = "<" if "-" in place["flags"] else "" if "0" in place["flags"] else ">"
    sign = "+" if "+" in place["flags"] else ""
    return f"{side}{sign}{place['width'] or ''}{rest}"


def of_joined(node: ast.JoinedStr, plain: Callable[[ast.expr], object]) -> str | None:
    """Return the workings of a text with fields in braces."""
    return fields(list(_joined(node, plain)))


def _joined(node: ast.JoinedStr, plain: Callable[[ast.expr], object]) -> Iterator[Field | str]:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
            form = "".join(str(plain(inner(each))) for each in spec)
            yield _converted(plain(part.value), chr(part.conversion) if part.conversion > 0 else None), form
        else:
            yield str(plain(part))


def inner(part: ast.expr) -> ast.expr:
    """Return the expression of a field, and anything else as it is."""
    return part.value if isinstance(part, ast.FormattedValue) else part

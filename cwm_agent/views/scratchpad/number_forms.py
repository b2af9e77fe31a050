"""Finds the workings of lines that call functions of numbers; what the workings say is in the modules it calls.

v0 = statistics.stdev(v1)    `spread_steps.py`
v0 = math.fsum(v1)           `decimal_arithmetic.py`, rounded once
v0 = float(v1)               of a fraction: `decimal_arithmetic.py`
v0 = abs(v1)                 of a complex number: `complex_arithmetic.py`
v0 = math.radians(v1)         the product: `decimal_arithmetic.py`
v0 = oct(v1)                 `base_digits.py`, and so are f'{v1:o}', `int(v1, 8)`, `bit_length` and `bit_count`
v0 = round(v1, -2)           `long_arithmetic.py`; of amounts and floats `amount_arithmetic.py`, `decimal_arithmetic.py`
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction

from cwm_agent.views.scratchpad import sort_steps, walked_items
from cwm_agent.views.scratchpad.arithmetic import (
    amount_arithmetic,
    base_digits,
    bit_steps,
    complex_arithmetic,
    decimal_arithmetic,
    divisor_steps,
    fraction_arithmetic,
    long_arithmetic,
    spread_steps,
)

_NAME = r"[^\W\d]\w*"
_WHOLE = rf"(?:{_NAME}|-?\d+)"
_NUMBER = rf"(?:{_NAME}|-?\d+(?:\.\d+)?)"
_QUOTED = r"(?:'[^'\\]*')"
_SPREAD = re.compile(rf"{_NAME} = (?:statistics\.)?({'|'.join(sorted(spread_steps.NAMES))})\(({_NAME})\)$")
_FSUM = re.compile(rf"{_NAME} = (?:math\.)?fsum\(({_NAME})\)$")
_FLOAT = re.compile(rf"{_NAME} = float\(({_NAME})\)$")
_ABS = re.compile(rf"{_NAME} = abs\(({_NAME})\)$")
_BASE = re.compile(rf"{_NAME} = int\(({_NAME}|{_QUOTED}), ({_NAME}|\d+)\)$")
_DIGITS = re.compile(rf"{_NAME} = (bin|oct|hex)\(({_WHOLE})\)$")
_TEXT = re.compile(
    rf"{_NAME} = (?:f'\{{({_NAME}):#?(?:0\d+)?([box]|X)\}}'|format\(({_WHOLE}), '#?(?:0\d+)?([box]|X)'\)"
    rf"|'%#?(?:0\d+)?([ox]|X)' % ({_NAME}))$"
)
_BITS = re.compile(rf"{_NAME} = ({_NAME})\.(bit_length|bit_count)\(\)$")
_ANGLE = re.compile(rf"{_NAME} = (?:math\.)?(radians|degrees)\(({_NUMBER})\)$")
_ANGLE_FACTORS = {"radians": repr(math.pi / 180), "degrees": repr(180 / math.pi)}
_ROUND = re.compile(rf"{_NAME} = round\(({_NUMBER})(?:, (-?\d|{_NAME}))?\)$")
_INTEGER = re.compile(r"-?\d{1,20}$")
_PLACES = re.compile(r"-?\d$")
_BASES = {"bin": 2, "b": 2, "oct": 8, "o": 8, "hex": 16, "x": 16, "X": 16}
_PREFIXES = {2: "0b", 8: "0o", 16: "0x"}
_LARGEST_BASE = 36
_LONG_DIGITS = 5
"""Digits of a text of base 8 or 16 beyond which its bits are doubled."""

Value = Callable[[str], str]
Content = Callable[[str], str]


def _numbers(text: str, content: Content) -> list[float]:
    """The whole numbers and floats of a list; none if it holds anything else."""
    known = sort_steps.known(walked_items.walked(text, content)) or []
    found = [item for item in known if isinstance(item, int | float) and not isinstance(item, bool)]
    return found if len(found) == len(known) else []


def _spread(match: re.Match[str], value: Value, content: Content) -> str | None:
    return spread_steps.spread(match[1], _numbers(value(match[2]), content))


def _fsum(match: re.Match[str], value: Value, content: Content) -> str | None:
    return decimal_arithmetic.total(walked_items.walked(value(match[1]), content), once=True)


def _float(match: re.Match[str], value: Value, _: Content) -> str | None:
    ratio = fraction_arithmetic.parts(value(match[1]))
    return None if ratio is None or ratio[1] == 1 else decimal_arithmetic.quotient(*ratio)


def _abs(match: re.Match[str], value: Value, _: Content) -> str | None:
    text = value(match[1])
    return complex_arithmetic.length(text) if complex_arithmetic.is_complex(text) else None


def _read_digits(match: re.Match[str], value: Value, _: Content) -> str | None:
    text, base = value(match[1]), value(match[2])
    if text[:1] != "'" or not base.isdecimal() or not 2 <= int(base) <= _LARGEST_BASE:
        return None
    digits = text[1:-1].removeprefix("-").removeprefix(_PREFIXES.get(int(base), "-"))
    if base == "2":
        return long_arithmetic.in_base(digits, 2)
    if base not in ("8", "16"):
        return base_digits.read_other(digits, int(base))
    if len(digits) > _LONG_DIGITS:
        return base_digits.read(digits, int(base))
    return divisor_steps.from_hexadecimal(digits) if base == "16" else long_arithmetic.in_base(digits, 8)


def _written(text: str, base: int) -> str | None:
    """The workings of a number's digits: powers or divisions for short ones, halves for long ones and for base 8."""
    if not _INTEGER.match(text):
        return None
    number = abs(int(text))
    short = {2: bit_steps.powers, 8: lambda _: None, 16: divisor_steps.hexadecimal}[base]
    if base != 8 and number <= bit_steps.LARGEST:
        return short(number)
    return short(number) or base_digits.written(number, base)


def _written_digits(match: re.Match[str], value: Value, _: Content) -> str | None:
    return _written(value(match[2]), _BASES[match[1]])


def _written_text(match: re.Match[str], value: Value, _: Content) -> str | None:
    return _written(value(match[1] or match[3] or match[6]), _BASES[match[2] or match[4] or match[5]])


def _bits(match: re.Match[str], value: Value, _: Content) -> str | None:
    text = value(match[1])
    if not _INTEGER.match(text):
        return None
    return (base_digits.bit_length if match[2] == "bit_length" else base_digits.bit_count)(abs(int(text)))


def _rounded(match: re.Match[str], value: Value, _: Content) -> str | None:
    text, places = value(match[1]), value(match[2]) if match[2] else "0"
    if not _PLACES.match(places):
        return None
    if places.startswith("-"):
        return long_arithmetic.rounded(int(text), -int(places)) if _INTEGER.match(text) else None
    ratio = fraction_arithmetic.parts(text) if fraction_arithmetic.is_fraction(text) else None
    if ratio is not None:
        return _rounded_ratio(*ratio, int(places)) if match[2] else None
    rounded = amount_arithmetic.rounded if amount_arithmetic.is_amount(text) else decimal_arithmetic.rounded
    return rounded(text, int(places))


def _rounded_ratio(a: int, b: int, places: int) -> str | None:
    """The division to the digit behind the last one, and the result as a fraction of a power of ten."""
    division = long_arithmetic.ratio(abs(a), b, len(str(abs(a) // b)) + places + 1, brief=True)
    return f"{division} {round(Fraction(a, b) * 10**places)}/{10**places}" if division else None


def _angle(match: re.Match[str], value: Value, _: Content) -> str | None:
    return decimal_arithmetic.arithmetic(value(match[2]), "*", _ANGLE_FACTORS[match[1]])


Form = tuple[re.Pattern[str], Callable[[re.Match[str], Value, Content], str | None]]
FORMS: tuple[Form, ...] = (
    (_SPREAD, _spread),
    (_FSUM, _fsum),
    (_FLOAT, _float),
    (_ABS, _abs),
    (_BASE, _read_digits),
    (_DIGITS, _written_digits),
    (_TEXT, _written_text),
    (_BITS, _bits),
    (_ROUND, _rounded),
    (_ANGLE, _angle),
)

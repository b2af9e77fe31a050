"""Finds the workings of lines that format values; what the workings say is in the modules it calls.

v0 = f'{v1:>6}{v2:.2f}'      `padding_steps.py`, and so are `%`, `str.format`, `format`, `center`, `ljust`, `zfill`
v0 = f'{v1:%a %d.%m.}'       of a date: its day of the week, or its day of the year (`date_arithmetic.py`)
v0 = v1.strftime('%A')       the same
v0 = f'{v1:08b} {v2}'        `bit_steps.py`; a number alone is in `number_forms.py`
"""

import ast
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache

from cwm_agent.views.scratchpad import padding_steps, sort_steps
from cwm_agent.views.scratchpad.arithmetic import bit_steps, date_arithmetic

_NAME = r"[^\W\d]\w*"
_QUOTED = r"(?:'[^'\\]*'|\"[^\"\\]*\")"
_JOINED = re.compile(rf"{_NAME} = (f['\"].*\{{[^{{}}]+:.*)$", re.DOTALL)
_PERCENTS = re.compile(rf"{_NAME} = ({_QUOTED}|{_NAME}) % (.+)$", re.DOTALL)
_TEMPLATE = re.compile(rf"{_NAME} = ({_QUOTED}|{_NAME})\.format\((.*)\)$", re.DOTALL)
_FORMAT = re.compile(rf"{_NAME} = format\(({_NAME}|-?[\d.]+), ({_QUOTED}|{_NAME})\)$")
_PADDED = re.compile(rf"{_NAME} = ({_QUOTED}|{_NAME})\.(center|ljust|rjust|zfill)\(({_NAME}|\d+)(?:, {_QUOTED})?\)$")
_STAMP = re.compile(rf"{_NAME} = ({_NAME})\.(?:strftime|__format__)\(({_QUOTED}|{_NAME})\)$")
_DATE = re.compile(r"date(?:time)?\((\d+), (\d+), (\d+)[,)]")
_OF_WEEK = re.compile(r"%[aAuw]")
_DIGITS = re.compile(r"\d{1,5}$")
_AMOUNT = re.compile(r"Decimal\('(-?\d{1,20}(?:\.\d{1,20})?)'\)$")

Value = Callable[[str], str]
Content = Callable[[str], str]


def _plain(text: str) -> object:
    if amount := _AMOUNT.match(text):
        return Decimal(amount[1])
    found = sort_steps.known([text])
    return None if found is None else found[0]


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.expr:
    """The expression; a constant for what is a part of one only."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Constant(None)


def _value_of(node: ast.expr, value: Value) -> object:
    """The plain value of a name or a constant; None for anything else."""
    return _plain(value(node.id) if isinstance(node, ast.Name) else ast.unparse(node))


def _joined(match: re.Match[str], value: Value, _: Content) -> str | None:
    node = _parsed(match[1])
    if not isinstance(node, ast.JoinedStr):
        return None
    special = [work for part in node.values if isinstance(part, ast.FormattedValue) and (work := _special(part, value))]
    return " ".join(special) or padding_steps.of_joined(node, lambda part: _value_of(part, value))


def _special(part: ast.FormattedValue, value: Value) -> str | None:
    """The workings of a field with a date, or with a number in binary."""
    if not isinstance(part.value, ast.Name) or not isinstance(part.format_spec, ast.JoinedStr):
        return None
    form = "".join(str(_value_of(padding_steps.inner(each), value)) for each in part.format_spec.values)
    return _stamped(value(part.value.id), form) or _in_binary(value(part.value.id), form)


def _stamped(text: str, form: str) -> str | None:
    found = _DATE.match(text)
    if found is None:
        return None
    day = f"date({found[1]}, {found[2]}, {found[3]})"
    if _OF_WEEK.search(form):
        return date_arithmetic.weekday(day)
    return date_arithmetic.day_of_year(day) if "%j" in form else None


def _in_binary(text: str, form: str) -> str | None:
    return bit_steps.powers(int(text)) if form.endswith("b") and _DIGITS.match(text) else None


def _stamp(match: re.Match[str], value: Value, _: Content) -> str | None:
    return _stamped(value(match[1]), value(match[2]))


def _percents(match: re.Match[str], value: Value, _: Content) -> str | None:
    template = _plain(value(match[1]))
    if not isinstance(template, str):
        return None
    node = _parsed(match[2])
    given = tuple(_value_of(each, value) for each in node.elts) if isinstance(node, ast.Tuple) else None
    return padding_steps.of_percents(template, _value_of(node, value) if given is None else given)


def _template(match: re.Match[str], value: Value, _: Content) -> str | None:
    template, call = _plain(value(match[1])), _parsed(f"f({match[2]})")
    if not isinstance(template, str) or not isinstance(call, ast.Call):
        return None
    named = {each.arg: _value_of(each.value, value) for each in call.keywords if each.arg is not None}
    given = [item for each in call.args for item in _given(each, value)]
    return padding_steps.of_template(template, given, named) if len(named) == len(call.keywords) else None


def _given(node: ast.expr, value: Value) -> Sequence[object]:
    """The value of an argument, or those of a tuple or a list behind a star."""
    if not isinstance(node, ast.Starred):
        return [_value_of(node, value)]
    found = _value_of(node.value, value)
    return found if isinstance(found, tuple | list) else [None]


def _format(match: re.Match[str], value: Value, _: Content) -> str | None:
    form = _plain(value(match[2]))
    if not isinstance(form, str):
        return None
    return _in_binary(value(match[1]), form) or padding_steps.fields([(_plain(value(match[1])), form)])


def _padded(match: re.Match[str], value: Value, _: Content) -> str | None:
    text, width = _plain(value(match[1])), _plain(value(match[3]))
    if not isinstance(text, str) or not isinstance(width, int):
        return None
    return padding_steps.method(match[2], text, int(width))


Form = tuple[re.Pattern[str], Callable[[re.Match[str], Value, Content], str | None]]
FORMS: tuple[Form, ...] = (
    (_JOINED, _joined),
    (_PERCENTS, _percents),
    (_TEMPLATE, _template),
    (_FORMAT, _format),
    (_PADDED, _padded),
    (_STAMP, _stamp),
)

"""Scratchpad rows (workings): intermediate steps that the model writes before a result that needs several steps.

    v0 = sum(v1)             v1=#1[3, 5, -4]       ->   ~3+5=8-4=4     term by term
    v0 = iter(v1)            v1=range(2, 9, 3)     ->   ~7/3 3*3=9     the distance, and how many steps that is
    v0 = v1 * v2             34, 27                ->   ~238 680 918   `long_arithmetic.py`
    v0 = sorted(v1)          v1=#1[4, 3, 2, 1]     ->   ~[3, 4][1, 2]  `sort_steps.py`

The model writes these rows, which begin with `~`, and the parser of answers skips them. They let a small network
compute in steps. Training data contains them; nothing else depends on them. This module finds the workings of a line.
"""

import re
from collections.abc import Callable, Mapping
from itertools import accumulate

from cwm_agent.views.scratchpad import (
    format_forms,
    key_steps,
    library_forms,
    number_forms,
    slice_steps,
    sort_steps,
    walked_items,
)
from cwm_agent.views.scratchpad.arithmetic import (
    amount_arithmetic,
    bit_steps,
    clock_arithmetic,
    complex_arithmetic,
    date_arithmetic,
    decimal_arithmetic,
    divisor_steps,
    fraction_arithmetic,
    long_arithmetic,
    real_roots,
)
from cwm_agent.views.scratchpad.plain_calls import plain_call
from envs.bounded_cache import MIB, bounded_cache

SIGN = "~"
_NAME = r"[^\W\d]\w*"
_ATOM = rf"(?:{_NAME}|-?\d+(?:\.\d+)?)"
_OPERAND = rf"(?:{_ATOM}|'[^'\\]*')"
_SIGNS = r"\+|-|\*\*|\*|//|%|/|&|\||\^|<<|>>"
_FOLD = re.compile(rf"{_NAME} = (sum|max|min)\(({_NAME})(?:, (-?\d+|{_NAME}))?\)$")
_SORT = re.compile(
    rf"{_NAME} = sorted\(({_NAME}|'[^'\\]*')(, reverse=True)?\)$|(?:{_NAME} = )?({_NAME})\.sort\((reverse=True)?\)$"
)
_SET = re.compile(rf"{_NAME} = set\(({_NAME})\)$")
_BINARY = re.compile(rf"{_NAME} = ({_ATOM}) ({_SIGNS}) ({_ATOM})$")
_AUGMENTED = re.compile(rf"({_NAME}) ({_SIGNS})= ({_ATOM})$")
_STORED = re.compile(rf"({_NAME})\[({_OPERAND})\] ({_SIGNS})= ({_ATOM})$")
_COMPARED = re.compile(rf"{_NAME} = ({_OPERAND}) (?:<|>|<=|>=) ({_OPERAND})$")
_EXTREME = re.compile(rf"{_NAME} = (?:min|max)\(({_OPERAND}), ({_OPERAND})\)$")
_DIVMOD = re.compile(rf"{_NAME} = divmod\(({_ATOM}), ({_ATOM})\)$")
_POWER = re.compile(rf"{_NAME} = pow\(({_ATOM}), ({_ATOM})(?:, ({_ATOM}))?\)$")
_DIVISOR = re.compile(rf"{_NAME} = (?:math\.)?(gcd|lcm)\(({_ATOM}), ({_ATOM})\)$")
_ROOT = re.compile(rf"{_NAME} = (?:math\.)?(isqrt|sqrt)\(({_ATOM})\)$")
_HYPOTENUSE = re.compile(rf"{_NAME} = (?:math\.)?hypot\(({_ATOM}), ({_ATOM})\)$")
_FRACTION = re.compile(rf"{_NAME} = (?:fractions\.)?Fraction\(({_ATOM}), ({_ATOM})\)$")
_ITER = re.compile(rf"{_NAME} = (iter|len)\(({_NAME})\)$")
_RANGE = re.compile(r"range\((-?\d{1,9}), (-?\d{1,9})(?:, (-?\d{1,6}))?\)$")
_INTEGER = re.compile(r"-?\d{1,16}$")
_NUMBER = re.compile(r"-?\d{1,30}(?:\.0)?$")
_LONGEST_WORKINGS = 440
"""Most bytes of workings; longer ones are left out, so that the answer fits."""

Content = Callable[[str], str]
"""Returns an object's text for a label, and any other text unchanged."""


def workings(statement: str, values: Mapping[str, str], content: Content) -> str | None:
    """Return the workings of a line; None if it needs none."""
    form = _form(plain_call(statement, values))
    if form is None:
        return None
    match, work = form
    found = work(match, lambda name: values.get(name, name), content)
    return found if found is None or len(found) <= _LONGEST_WORKINGS else None


Value = Callable[[str], str]
"""Returns a name's value, and a constant unchanged."""


def _operation(match: re.Match[str], value: Value, _: Content) -> str | None:
    return _arithmetic(value(match[1]), match[2], value(match[3]))


def _stored(match: re.Match[str], value: Value, content: Content) -> str | None:
    """Return the same for the value that a list or a dict holds at a place."""
    text, place = content(value(match[1])), sort_steps.known([value(match[2])])
    held = sort_steps.known([text]) if text.startswith("[") else [sort_steps.dict_of(text)]
    try:
        found = held[0][place[0]]  # type: ignore[index]
    except (TypeError, KeyError, IndexError):
        return None
    return _arithmetic(repr(found), match[3], value(match[4]))


def _arithmetic(left: str, sign: str, right: str) -> str | None:
    if fraction_arithmetic.is_fraction(left) or fraction_arithmetic.is_fraction(right):
        return fraction_arithmetic.arithmetic(left, sign, right)
    if amount_arithmetic.is_amount(left) or amount_arithmetic.is_amount(right):
        is_square = sign == "**" and right == "2"
        return amount_arithmetic.arithmetic(left, *("*", left) if is_square else (sign, right))
    if date_arithmetic.is_date(left):
        return date_arithmetic.arithmetic(left, sign, right)
    if clock_arithmetic.is_clock(left):
        return clock_arithmetic.arithmetic(left, sign, right)
    if complex_arithmetic.is_complex(left) or complex_arithmetic.is_complex(right):
        return complex_arithmetic.arithmetic(left, sign, right)
    if sign == "**" and right == "0.5":
        return real_roots.root(left)
    if not (_NUMBER.match(left) and _NUMBER.match(right)):
        return decimal_arithmetic.arithmetic(left, sign, right)
    if ("." in left + right and sign not in "*//+-%") or (sign == "**" and "-" in right):
        return None
    a, b = (int(text.removesuffix(".0")) for text in (left, right))
    if sign == "/":
        return decimal_arithmetic.quotient(a, b)
    return (bit_steps.operation if sign in bit_steps.SIGNS else long_arithmetic.arithmetic)(a, sign, b)


def _divmod(match: re.Match[str], value: Value, _: Content) -> str | None:
    left, right = value(match[1]), value(match[2])
    return long_arithmetic.arithmetic(int(left), "//", int(right)) if _is_whole(left) and _is_whole(right) else None


def _is_whole(text: str) -> bool:
    return _INTEGER.match(text) is not None


def _fold(match: re.Match[str], value: Value, content: Content) -> str | None:
    name, second = match[1], match[3] and value(match[3])
    if second is not None and name != "sum":
        return None
    found = walked_items.walked(value(match[2]), content)
    found = found if second is None else [second, *found]
    if len(found) < 2 or (len(found) < 3 and all(map(_is_whole, found))):
        return None
    if name == "sum" and set(found) <= {"True", "False"}:
        return " ".join(map(str, accumulate(int(item == "True") for item in found)))
    if not all(map(_is_whole, found)):
        return _total(found) if name == "sum" else None
    numbers = [int(item) for item in found]
    return (
        long_arithmetic.running(numbers)
        if name == "sum"
        else sort_steps.records(numbers, max if name == "max" else min)
    )


def _total(terms: list[str]) -> str | None:
    if any(map(fraction_arithmetic.is_fraction, terms)):
        return fraction_arithmetic.total(terms)
    return (
        amount_arithmetic.total(terms)
        if any(map(amount_arithmetic.is_amount, terms))
        else decimal_arithmetic.total(terms)
    )


def _sort(match: re.Match[str], value: Value, content: Content) -> str | None:
    text = content(value(match[1] or match[3]))
    if text.startswith(("map(", "deque(", "iter(", "items(", "keys(", "values(")):
        text = f"[{', '.join(walked_items.walked(text, content))}]"
    return sort_steps.merges(text, downwards=bool(match[2] or match[4]))


def _set(match: re.Match[str], value: Value, content: Content) -> str | None:
    return sort_steps.merges(content(value(match[1])), distinct=True, fewest=6)


def _compared(match: re.Match[str], value: Value, content: Content) -> str | None:
    left, right = value(match[1]), value(match[2])
    if fraction_arithmetic.is_fraction(left) or fraction_arithmetic.is_fraction(right):
        return fraction_arithmetic.compared(left, right)
    if amount_arithmetic.is_amount(left) or amount_arithmetic.is_amount(right):
        return amount_arithmetic.compared(left, right)
    if all(map(clock_arithmetic.is_moment, (left, right))):  # part by part, as tuples are compared
        left, right = (text[text.index("(") :] for text in (left, right))
    return sort_steps.compared(content(left), content(right))


def _divisor(match: re.Match[str], value: Value, _: Content) -> str | None:
    left, right = value(match[2]), value(match[3])
    if not (_is_whole(left) and _is_whole(right)):
        return None
    return (divisor_steps.divisor if match[1] == "gcd" else divisor_steps.multiple)(int(left), int(right))


def _power(match: re.Match[str], value: Value, _: Content) -> str | None:
    """Return a power or its remainder, multiplication by multiplication."""
    if match[3] is None:
        return _arithmetic(value(match[1]), "**", value(match[2]))
    texts = [value(name) for name in match.groups()]
    if not all(map(_is_whole, texts)):
        return None
    return long_arithmetic.remainders(*map(int, texts))


def _root(match: re.Match[str], value: Value, _: Content) -> str | None:
    text = value(match[2])
    if match[1] == "sqrt":
        return real_roots.root(text)
    return divisor_steps.root(int(text)) if _is_whole(text) else None


def _hypotenuse(match: re.Match[str], value: Value, _: Content) -> str | None:
    return real_roots.hypotenuse(value(match[1]), value(match[2]))


def _reduced(match: re.Match[str], value: Value, _: Content) -> str | None:
    left, right = value(match[1]), value(match[2])
    return divisor_steps.reduced(int(left), int(right)) if _is_whole(left) and _is_whole(right) else None


def _steps(match: re.Match[str], value: Value, _: Content) -> str | None:
    """Return the length of a range, and how many of its steps that is."""
    found = _RANGE.match(value(match[2]))
    if found is None:
        return None
    start, stop, step = int(found[1]), int(found[2]), int(found[3] or 1)
    count = len(range(start, stop, step)) if step else 0
    if match[1] == "len" and step == 1 and start and count:
        return f"{stop}-{start}={stop - start}" if start > 0 else f"{stop}+{-start}={stop - start}"
    return (
        f"{abs(stop - start)}/{abs(step)} {count}*{abs(step)}={count * abs(step)}" if count and abs(step) > 1 else None
    )


Work = Callable[[re.Match[str], Value, Content], str | None]
_FORMS: tuple[tuple[re.Pattern[str], Work], ...] = (
    (_BINARY, _operation),
    (_AUGMENTED, _operation),
    (_STORED, _stored),
    (_COMPARED, _compared),
    (_EXTREME, _compared),
    (_FOLD, _fold),
    (_SORT, _sort),
    (_SET, _set),
    (key_steps.BY_KEY, key_steps.by_key),
    (_DIVMOD, _divmod),
    (_DIVISOR, _divisor),
    (_POWER, _power),
    (_ROOT, _root),
    (_HYPOTENUSE, _hypotenuse),
    (_FRACTION, _reduced),
    (_ITER, _steps),
    (slice_steps.STEPPED, slice_steps.stepped),
    (slice_steps.PLAIN, slice_steps.plain),
    (slice_steps.DELETED, slice_steps.deleted),
    *number_forms.FORMS,
    *format_forms.FORMS,
    *library_forms.FORMS,
)


@bounded_cache(8 * MIB)
def _form(statement: str) -> tuple[re.Match[str], Work] | None:
    """Return the function that writes the workings of a line, with its match; None if the line needs none."""
    return next(((match, work) for form, work in _FORMS if (match := form.match(statement))), None)

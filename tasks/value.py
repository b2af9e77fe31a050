"""Converts plain values to text and back, without running code.

Tasks keep arguments and expected results as text: they stay hashable and show the text that an oracle must write.
Plain values are None, bool, numbers, str, bytes, and lists, tuples, dicts and sets of them. Reading also folds
constant arithmetic (`3 + 5`, `"ab" * 3`), which tests often contain: `constant_folding.py`. Knows no task.
"""

import math
from collections.abc import Sequence

from tasks.errors import BadSource, NotPlain, shortened
from tasks.reading.constant_folding import fold
from tasks.reading.program_text import MAX_BITS, parse_expression


def read_value(text: str) -> object:
    """The plain value of a text; NotPlain if only running it would give its value."""
    try:
        return fold(parse_expression(text.strip()))
    except BadSource as error:
        raise NotPlain(f"{shortened(text, 60)!r} is no plain value ({error})") from error


def read_number(value: object) -> float:
    """A number as a float; NotPlain for anything else, and for an integer that no float can hold."""
    if not isinstance(value, int | float):
        raise NotPlain(f"{shortened(repr(value), 60)} is no number")
    try:
        return float(value)
    except OverflowError as error:
        raise NotPlain("a number is larger than any float") from error


def write_value(value: object) -> str:
    """The text of a plain value: valid Python, equal in every process (sets sorted, nan and inf as calls)."""
    match value:
        case bool() | None | str() | bytes():
            return repr(value)
        case int():  # Python writes no decimals of very long integers
            return repr(value) if value.bit_length() < MAX_BITS else hex(value)
        case float():
            return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
        case list():
            return f"[{_joined(value)}]"
        case tuple():
            return f"({_joined(value)},)" if len(value) == 1 else f"({_joined(value)})"
        case dict():
            return "{" + ", ".join(f"{write_value(k)}: {write_value(v)}" for k, v in value.items()) + "}"
        case set():
            return "{" + ", ".join(_sorted_texts(value)) + "}" if value else "set()"
        case frozenset():
            return "frozenset({" + ", ".join(_sorted_texts(value)) + "})" if value else "frozenset()"
        case complex() if math.isfinite(value.real) and math.isfinite(value.imag):
            return repr(value)
        case complex():
            raise NotPlain("a complex number with a part that is not finite has no literal")
    raise NotPlain(f"a value of type {type(value).__name__} is no plain value")


def _joined(items: Sequence[object]) -> str:
    return ", ".join(write_value(item) for item in items)


def _sorted_texts(items: set[object] | frozenset[object]) -> list[str]:
    texts = sorted(map(write_value, items))
    if any("frozenset(" in text for text in texts):  # `<` of sets means a subset, which orders nothing
        return texts
    try:
        return [write_value(item) for item in sorted(items)]  # type: ignore[type-var]
    except TypeError:
        return texts

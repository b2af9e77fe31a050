"""Typed readers of messages from inside the sandbox: each returns a value of the type asked for, or raises.

A program shares its interpreter with the sandbox's own code, so it can write any line to the channel. Readers
take each field of a line through these functions and turn MalformedMessage into a failure of that program. Knows no
particular message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Choice = TypeVar("_Choice", bound=str)


class MalformedMessage(ValueError):
    """A message that no honest run sends; its text says what is wrong."""


def items(value: object, *, most: int) -> list[object]:
    """A list of at most so many items."""
    if not isinstance(value, list) or len(value) > most:
        raise MalformedMessage(f"no list of at most {most:,} items")
    return value


def fields(value: object, count: int) -> list[object]:
    """A list of exactly so many items."""
    if not isinstance(value, list) or len(value) != count:
        raise MalformedMessage(f"no list of {count} fields")
    return value


def text(value: object) -> str:
    """A text that can be encoded; halves of surrogate pairs are written as escapes."""
    if not isinstance(value, str):
        raise MalformedMessage("no text")
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


def optional_text(value: object) -> str | None:
    """A text, or None."""
    return None if value is None else text(value)


def whole(value: object, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    if type(value) is not int or not least <= value <= most:
        raise MalformedMessage(f"no whole number from {least:,} to {most:,}")
    return value


def choice(value: object, known: Sequence[_Choice]) -> _Choice:
    """One of the known words."""
    for word in known:
        if value == word and type(value) is str:
            return word
    raise MalformedMessage(f"none of {', '.join(known)}")

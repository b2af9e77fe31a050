"""Reads JSON of unknown origin: each key once, numbers of a bounded length, and a reason for every refusal.

Knows no row and no file.
"""

import json
from typing import Any


class NotJson(ValueError):
    """A text that is no JSON, or JSON that is refused; the message is the reason."""


def read_json(data: bytes, *, constants: bool = False) -> object:
    """The value of a JSON text in UTF-8, with or without BOM; `constants` admits NaN and Infinity."""
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_object,
            parse_constant=float if constants else _refused_constant,
        )
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except ValueError as error:  # UnicodeDecodeError and integers of over 4,300 digits too
        raise NotJson(str(error)) from error


def read_object(data: bytes, *, constants: bool = False) -> dict[str, Any]:
    """The JSON object of a text; NotJson for any other value."""
    found = read_json(data, constants=constants)
    if not isinstance(found, dict):
        raise NotJson(f"it holds a {type(found).__name__}, and must hold one object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotJson(f"the key {twice[:60]!r} occurs twice")
    return found


def _refused_constant(name: str) -> object:
    raise NotJson(f"{name} is no JSON number")

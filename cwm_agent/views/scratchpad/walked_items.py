"""The items that an iteration gives, by the text of what is iterated over; knows only texts.

values({'a': 1})                  1
items({'a': 1})                   ('a', 1)
deque([3, 4], 5)                  3 4
b'ab'                             97 98          the codes
map(len, iter(['ab', 'c'], 1))    1            by builtin functions, from the iterator's place on
islice((iter([4, 5, 6], 0), 1, 3, 1), 0)       5 6
"""

import ast
import re
from collections.abc import Callable, Mapping

from cwm_agent.views.scratchpad import sort_steps
from envs.execution.stepper.values.value_rules import split_entry, split_items

_VIEW = re.compile(r"(values|keys|items)\((.*)\)$", re.DOTALL)
_ITERATOR = re.compile(r"(iter|map|deque|islice)\((.*)\)$", re.DOTALL)
_TESTS = ("isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace")
_MAPPED: Mapping[str, Callable[..., object]] = {
    "int": int, "len": len, "abs": abs, "ord": ord, "float": float,
    **{f"str.{test}": getattr(str, test) for test in _TESTS},
}  # fmt: skip
_PLACE = re.compile(r"\d{1,4}$")

Content = Callable[[str], str]


def walked(text: str, content: Content) -> list[str]:
    """Return the items of an iteration as texts; none where they are not known, or too many."""
    match = _VIEW.match(text)
    if match is not None:
        return _of_view(match[1], content(match[2]))
    held = content(text)
    if held[:2] in ("b'", 'b"'):
        return [str(code) for code in ast.literal_eval(held)][: sort_steps.LONGEST + 1]
    iterator = _ITERATOR.match(held)
    if iterator is None:
        return sort_steps.items(held)
    parts = split_items(f"({iterator[2]})")
    if iterator[1] == "deque":
        return sort_steps.items(parts[0]) if parts else []
    if iterator[1] == "islice":
        return _sliced(parts, content)
    return _mapped(parts, content) if iterator[1] == "map" else _left(parts, content)


def _of_view(kind: str, held: str) -> list[str]:
    entries = split_items(held[held.find("{") : held.rfind("}") + 1]) if "{" in held else []
    pairs = [split_entry(entry) for entry in entries]
    found = [f"({key}, {value})" if kind == "items" else (key, value)[kind == "values"] for key, value in pairs]
    return found if len(found) <= sort_steps.LONGEST else []


def _left(parts: list[str], content: Content) -> list[str]:
    """The items of an iterator from its place on."""
    if len(parts) != 2 or not _PLACE.match(parts[1]):
        return []
    source = content(parts[0])
    if source[:1] in ("'", '"'):
        items = list(map(repr, source[1:-1])) if "\\" not in source else []
        return items[int(parts[1]) :] if len(items) <= sort_steps.LONGEST else []
    return sort_steps.items(source)[int(parts[1]) :] if source[:1] in ("[", "(") else []


def _sliced(parts: list[str], content: Content) -> list[str]:
    """The items of a slice of an iterator: (iterator, next, stop, step), and how many items it has passed."""
    inner = split_items(parts[0]) if len(parts) == 2 else []
    bounds = sort_steps.known([*inner[1:], parts[1]]) if len(inner) == 4 else None
    match bounds:
        case [int(start), int() | None as stop, int(step), int(passed)] if step > 0:
            return walked(inner[0], content)[start - passed : stop if stop is None else stop - passed : step]
    return []


def _mapped(parts: list[str], content: Content) -> list[str]:
    """The items of an iterator, each changed by a builtin function."""
    if len(parts) != 2 or parts[0] not in _MAPPED:
        return []
    known = sort_steps.known(walked(parts[1], content))
    if known is None:
        return []
    try:
        return [repr(_MAPPED[parts[0]](item)) for item in known]
    except (TypeError, ValueError, OverflowError):
        return []

"""Workings: what is written before a result that no one sees at a glance, as people do on paper.

    v0 = sum(v1)             v1=#1[3, 5, -4]       ->   ~3+5=8-4=4     term by term
    v0 = max(v1)             v1=#1[3, 5, 4, 9]     ->   ~3 5 9         each item that beats those before it
    v0 = max(v1, key=len)    v1=#1['ab', 'c']      ->   ~2 1           the keys
    v0 = sorted(v1)          v1=#1[4, 3, 2, 1]     ->   ~[3, 4][1, 2]  runs of two, four, ... merged
    v0 = v1 * v2             34, 27                ->   ~238 680 918   arithmetic: `longhand.py`

The model writes them, nobody reads them: a row that begins with `~` is passed over. They give a small network the room
to compute in steps; rows that teach carry them, and nothing else depends on them.
"""

import ast
import re
from collections.abc import Callable, Mapping

from cwm_agent.views import longhand
from envs.execution.rules import split_items

SIGN = "~"
_NAME = r"[^\W\d]\w*"
_ATOM = rf"(?:{_NAME}|-?\d+(?:\.0)?)"
_SIGNS = r"\*\*|\*|//|%|/|&|\||\^|<<|>>"
_FOLD = re.compile(rf"{_NAME} = (sum|max|min)\(({_NAME})(?:, (-?\d+|{_NAME}))?\)$")
_SORT = re.compile(
    rf"{_NAME} = sorted\(({_NAME})(, reverse=True)?\)$|(?:{_NAME} = )?({_NAME})\.sort\((reverse=True)?\)$"
)
_BY_KEY = re.compile(
    rf"{_NAME} = (?:sorted|max|min)\(({_NAME}), key=(?P<key>len|abs|{_NAME}\.get)(?:, reverse=True)?\)$"
    rf"|(?:{_NAME} = )?({_NAME})\.sort\(key=(?P<own>len|abs|{_NAME}\.get)(?:, reverse=True)?\)$"
)
_BINARY = re.compile(rf"{_NAME} = ({_ATOM}) ({_SIGNS}) ({_ATOM})$")
_AUGMENTED = re.compile(rf"({_NAME}) ({_SIGNS})= ({_ATOM})$")
_DIVMOD = re.compile(rf"{_NAME} = divmod\(({_ATOM}), ({_ATOM})\)$")
_BASE = re.compile(rf"{_NAME} = int\(({_NAME}), (2|8|16)\)$")
_INTEGER = re.compile(r"-?\d{1,16}$")
_NUMBER = re.compile(r"-?\d{1,16}(?:\.0)?$")
_KEYS: dict[str, Callable[..., object]] = {"len": len, "abs": abs}
_LONGEST = 24
"""Items beyond which workings would be longer than an answer may be."""

Content = Callable[[str], str]
"""Gives an object's text for a label, and any other text as it is."""


def workings(statement: str, values: Mapping[str, str], content: Content) -> str | None:
    """The workings of a line, or None where it needs none."""
    if match := _BINARY.match(statement) or _AUGMENTED.match(statement):
        return _arithmetic(values.get(match[1], match[1]), match[2], values.get(match[3], match[3]))
    if match := _FOLD.match(statement):
        return _fold(match[1], _items(content(values.get(match[2], ""))), match[3] and values.get(match[3], match[3]))
    if match := _SORT.match(statement):
        return _merges(_items(content(values.get(match[1] or match[3], ""))), bool(match[2] or match[4]))
    if match := _BY_KEY.match(statement):
        return _keys(match[1] or match[3], match["key"] or match["own"], values, content)
    if match := _DIVMOD.match(statement):
        return _arithmetic(values.get(match[1], match[1]), "//", values.get(match[2], match[2]))
    if match := _BASE.match(statement):
        text = values.get(match[1], "")
        return longhand.in_base(text[1:-1].removeprefix("-"), int(match[2])) if text[:1] == "'" else None
    return None


def _items(text: str) -> list[str]:
    items = split_items(text) if text[:1] in ("[", "(", "{") else []
    return items if len(items) <= _LONGEST else []


def _fold(name: str, items: list[str], second: str | None) -> str | None:
    if second is not None and name != "sum":
        return None
    items = items if second is None else [second, *items]
    if len(items) < 3 or not all(map(_INTEGER.match, items)):
        return None
    numbers = [int(item) for item in items]
    return longhand.running(numbers) if name == "sum" else _records(numbers, max if name == "max" else min)


def _records(numbers: list[int], best: Callable[[int, int], int]) -> str:
    """Each item that beats all before it."""
    found = numbers[:1]
    for number in numbers:
        if best(found[-1], number) != found[-1]:
            found.append(number)
    return " ".join(map(str, found))


def _merges(items: list[str], downwards: bool) -> str | None:
    """Sorted runs of two, then of four, and so on, up to the last merge, which is the answer."""
    if len(items) < 4:
        return None
    try:
        values = [ast.literal_eval(item) for item in items]
    except (ValueError, SyntaxError):
        return None
    if len({type(value) for value in values}) != 1 or type(values[0]) not in (int, str):
        return None
    rows, width = [], 2
    while width < len(items):
        runs = [sorted(values[start : start + width], reverse=downwards) for start in range(0, len(values), width)]
        rows.append("".join(map(repr, runs)))
        width *= 2
    return " ".join(rows)


def _keys(name: str, key: str, values: Mapping[str, str], content: Content) -> str | None:
    """What the items are compared by, in their order."""
    text = content(values.get(name, ""))
    items = _items(text)
    held = content(values.get(key.removesuffix(".get"), "")) if key.endswith(".get") else ""
    try:
        of_dict = text.startswith("{") and isinstance(ast.literal_eval(text), dict)
        known = list(ast.literal_eval(text)) if of_dict else [ast.literal_eval(item) for item in items]
        by: Callable[..., object] = _KEYS.get(key) or ast.literal_eval(held).get
        found = [by(item) for item in known]
    except (ValueError, SyntaxError, TypeError, AttributeError):
        return None
    return " ".join(map(repr, found)) if len(found) in range(2, _LONGEST + 1) else None


def _arithmetic(left: str, sign: str, right: str) -> str | None:
    if not (_NUMBER.match(left) and _NUMBER.match(right)):
        return None
    if "." in left + right and sign not in "*/":
        return None
    a, b = (abs(int(text.removesuffix(".0"))) for text in (left, right))
    if sign in ("&", "|", "^", "<<", ">>", "**") and "-" in left + right:
        return None
    return longhand.arithmetic(a, sign, b)

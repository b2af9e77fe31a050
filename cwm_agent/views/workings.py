"""Workings: what is written before a result that no one sees at a glance, as people do on paper.

    v0 = sum(v1)         v1=#1[3, 5, 4]   ->   ~3 8 12        running totals; of `max` and `min` the best so far
    v0 = sorted(v1)      v1=#1[4, 3, 2]   ->   ~[3, 4][2]     runs of two, four, ... merged
    v0 = v1 * v2         34, 27           ->   ~238 680 918   partial products and their running sum
    v0 = v1 * v2         6666, 6          ->   ~36 39 39 39   by one digit: from the right, with what is carried
    v0 = v1 // v2        426, 4           ->   ~4:1 2:0 26:6 2    digit by digit; then what is left
    v0 = v1 / v2         9, 40            ->   ~0 9 90:2 100:2 200:5   the whole part, what is left, then digits

The model writes them, nobody reads them: a row that begins with `~` is passed over. They give a small network the room
to compute in steps; rows that teach carry them, and nothing else depends on them.
"""

import ast
import re
from collections.abc import Callable, Mapping
from itertools import accumulate
from operator import add

from envs.execution.rules import split_items

SIGN = "~"
_ATOM = r"(?:[^\W\d]\w*|-?\d+)"
_CALL = re.compile(r"[^\W\d]\w* = (sum|max|min|sorted)\(([^\W\d]\w*)(, reverse=True)?\)$")
_SORT = re.compile(r"([^\W\d]\w*)\.sort\((reverse=True)?\)$")
_BINARY = re.compile(rf"[^\W\d]\w* = ({_ATOM}) (\*|//|%|/) ({_ATOM})$")
_AUGMENTED = re.compile(rf"([^\W\d]\w*) (\*|//|%|/)= ({_ATOM})$")
_ROUND = re.compile(r"10*$")
_INTEGER = re.compile(r"-?\d{1,12}$")
_FOLDS: dict[str, Callable[[int, int], int]] = {"sum": add, "max": max, "min": min}
_DIGITS = 17
"""Digits that a float shows at most."""
_LONGEST = 24
"""Items beyond which workings would be longer than an answer may be."""


def workings(statement: str, values: Mapping[str, str], content: Callable[[str], str]) -> str | None:
    """The workings of a line, or None where it needs none; `content` gives an object's text for a label."""
    if match := _CALL.match(statement):
        items = _items(content(values.get(match[2], "")))
        if match[1] == "sorted":
            return _merges(items, bool(match[3]))
        return None if match[3] else _running(match[1], items)
    if match := _SORT.match(statement):
        return _merges(_items(content(values.get(match[1], ""))), bool(match[2]))
    if match := _BINARY.match(statement) or _AUGMENTED.match(statement):
        left, right = values.get(match[1], match[1]), values.get(match[3], match[3])
        return _arithmetic(left, match[2], right)
    return None


def _items(text: str) -> list[str]:
    items = split_items(text) if text[:1] in ("[", "(", "{") else []
    return items if len(items) <= _LONGEST else []


def _running(name: str, items: list[str]) -> str | None:
    if len(items) < 3 or not all(map(_INTEGER.match, items)):
        return None
    numbers = [int(item) for item in items]
    return " ".join(map(str, accumulate(numbers, _FOLDS[name])))


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


def _arithmetic(left: str, sign: str, right: str) -> str | None:
    if not (_INTEGER.match(left) and _INTEGER.match(right)):
        return None
    a, b = abs(int(left)), abs(int(right))
    if sign == "*":
        return _times(max(a, b), min(a, b))
    if not b:
        return None
    if sign == "/":
        return _ratio(a, b)
    small = a < 100 and b < 10
    return None if small or (_ROUND.match(str(b)) and a >= b) else _division(a, b)  # moving the point is no work


def _times(a: int, b: int) -> str | None:
    if b < 2 or _ROUND.match(str(b)) or _ROUND.match(str(a)):
        return None
    if b > 9:
        return _product(a, b)
    return _carried(a, b) if a > 999 else None


def _carried(a: int, b: int) -> str:
    """A number times a digit, from the right: each digit's product with what was carried to it."""
    found, carry = [], 0
    for digit in reversed(str(a)):
        found.append(int(digit) * b + carry)
        carry = found[-1] // 10
    return " ".join(map(str, found))


def _ratio(a: int, b: int) -> str | None:
    """The whole part, what is left, and the digits behind the point as long as they tell anything."""
    whole, rest = divmod(a, b)
    found = [str(whole), str(rest)]
    digits = len(str(whole)) if whole else 0
    while rest and digits < _DIGITS:
        rest *= 10
        found.append(f"{rest}:{rest // b}")
        digits += bool(digits or rest // b)
        rest %= b
    return " ".join(found) if a > 9 or b > 9 or rest else None


def _product(a: int, b: int) -> str:
    partials = [a * int(digit) * 10**place for place, digit in enumerate(str(b)[::-1])]
    totals = list(accumulate(partials))
    return " ".join(
        [str(partials[0])] + [f"{part} {total}" for part, total in zip(partials[1:], totals[1:], strict=True)]
    )


def _division(a: int, b: int) -> str:
    found: list[str] = []
    rest = 0
    for digit in str(a):
        rest = rest * 10 + int(digit)
        if rest >= b or found:
            found.append(f"{rest}:{rest // b}")
        rest %= b
    return " ".join([*found, str(rest)])

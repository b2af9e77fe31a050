"""Two versions of a program side by side, as rows of a table. Computes no patch and runs nothing."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

Row = list[Any]
"""Number and text of the line before, number and text of the line after (null where there is none), and the kind."""


def side_by_side(before: str, after: str) -> list[Row]:
    """All lines of both versions; the kind of a row is `same`, `changed`, `added` or `removed`."""
    old, new = before.splitlines(), after.splitlines()
    rows: list[Row] = []
    for tag, low, high, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [[low + at + 1, old[low + at], start + at + 1, new[start + at], "same"] for at in range(high - low)]
            continue
        for at in range(max(high - low, end - start)):
            left, right = _line(old, low + at, high), _line(new, start + at, end)
            kind = "changed" if left[0] and right[0] else "removed" if left[0] else "added"
            rows.append([*left, *right, kind])
    return rows


def _line(lines: Sequence[str], at: int, end: int) -> list[Any]:
    return [at + 1, lines[at]] if at < end else [None, None]


def replacement(before: str, after: str) -> list[Any]:
    """What turns one text into another: start, end, and the new text between them."""
    start = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    if start is None:
        start = min(len(before), len(after))
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return [start, len(before) - tail, after[start : len(after) - tail]]

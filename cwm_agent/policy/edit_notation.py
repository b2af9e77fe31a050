"""Programs and edits as the policy reads and writes them: numbered lines, and which of them become what.

    12=    if low <= high:        line 12 becomes this; two numbers (12-13=) replace several, nothing deletes
    12+    total += 1             this stands before line 12

Knows no model. An edit is the smallest run of whole lines that differs, so every edit has one text.
"""

import re
from dataclasses import dataclass

from envs.editing.class_priors import POLICY
from envs.editing.edit import Edit

_EDIT = re.compile(r"(\d+)(?:-(\d+))?([=+])(.*)", re.DOTALL)
CLOSING = 2
"""Characters behind a change that show where it ends."""
LONGEST = 4_000
"""Characters of a program that the policy reads; longer ones have no edits by it."""


def numbered(source: str) -> str:
    """The program with its lines numbered."""
    return "".join(f"{number} {line}\n" for number, line in enumerate(source.splitlines(), start=1))


def written(before: str, after: str) -> str | None:
    """The edit that turns one program into another; None where they have the same lines."""
    old, new = before.splitlines(), after.splitlines()
    first, last = 0, 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    gone, text = len(old) - last - first, "\n".join(new[first : len(new) - last])
    if not gone:
        return f"{first + 1}+{text}" if len(new) > len(old) else None
    place = f"{first + 1}" if gone == 1 else f"{first + 1}-{first + gone}"
    return f"{place}={text}"


@dataclass(frozen=True, slots=True)
class Told:
    """An edit's text, as far as it tells the edit from others."""

    text: str
    whole: bool
    """Whether the text ends here; else what follows stands in the program already."""


def told(source: str, edit: Edit) -> Told:
    """The text of an edit up to a little behind what it changes: the rest of its line is sure to follow."""
    text = written(source, edit.apply(source)) or ""
    place, equals, new = text.partition("=")
    if not equals or not place.replace("-", "").isdecimal():
        return Told(text, True)
    first, _, last = place.partition("-")
    old = "\n".join(source.splitlines()[int(first) - 1 : int(last or first)])
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    end = len(text) - same + CLOSING
    return Told(text[:end], end >= len(text))


def edit_of(text: str, source: str) -> Edit | None:
    """The edit that a text says; None where it says none that fits the program."""
    found = _EDIT.fullmatch(text)
    lines = source.splitlines(keepends=True)
    if found is None or (found[3] == "+" and found[2]):
        return None
    first, inserts = int(found[1]), found[3] == "+"
    last = first - 1 if inserts else int(found[2] or first)
    if not 1 <= first <= last + inserts <= len(lines) + inserts:
        return None
    after = f"{found[4]}\n" if found[4] or inserts else ""
    return Edit(first, 0, "".join(lines[first - 1 : last]), after, POLICY)

"""Text form of programs and edits for the policy: numbered lines, and replacements of whole lines.

    12=    if low <= high:        replaces line 12; `12-13=` replaces several lines, an empty text deletes
    12+    total += 1             inserts a line before line 12

An edit is written as the smallest range of whole lines that differs, so every edit has exactly one text. Knows no
model.
"""

import re
from dataclasses import dataclass

from envs.editing.class_priors import POLICY
from envs.editing.edit import Edit
from tasks.reading.program_text import bare_lines, source_lines

_EDIT = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?([=+])(.*)", re.DOTALL)
CLOSING = 2
"""Characters behind a change that belong to its scored text, because they show where it ends."""
MAX_SOURCE = 4_000
"""Characters of the longest program that the policy can score."""


def numbered_lines(source: str) -> str:
    """The program with a number before each line."""
    return "".join(f"{number} {line}\n" for number, line in enumerate(bare_lines(source), start=1))


def edit_text(before: str, after: str) -> str | None:
    """The text of the edit that turns one program into the other; None if their lines are equal."""
    old, new = bare_lines(before), bare_lines(after)
    first, last = 0, 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    removed, text = len(old) - last - first, "\n".join(new[first : len(new) - last])
    if not removed:
        return f"{first + 1}+{text}" if len(new) > len(old) else None
    lines = f"{first + 1}" if removed == 1 else f"{first + 1}-{first + removed}"
    return f"{lines}={text}"


@dataclass(frozen=True, slots=True)
class ScoredText:
    """The part of an edit's text that distinguishes it from other edits; the policy scores this part only."""

    text: str
    whole: bool
    """Whether the text ends here; if not, the rest is equal to the program."""


def scored_text(source: str, edit: Edit) -> ScoredText:
    """The text of an edit up to `CLOSING` characters behind its change; the rest of the line is certain."""
    text = edit_text(source, edit.apply(source)) or ""
    lines, equals, new = text.partition("=")
    if not equals or not lines.replace("-", "").isdecimal():
        return ScoredText(text, True)
    first, _, last = lines.partition("-")
    old = "\n".join(bare_lines(source)[int(first) - 1 : int(last or first)])
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    end = len(text) - same + CLOSING
    return ScoredText(text[:end], end >= len(text))


def _has_other_line_ends(text: str) -> bool:
    """Whether lines end in it that no newline ends: they would be numbered in another way than they are replaced."""
    return len(source_lines(f"{text}|")) != text.count("\n") + 1


def parse_edit(text: str, source: str) -> Edit | None:
    """The edit that a text describes; None if it is malformed or does not fit the program."""
    found = _EDIT.fullmatch(text)
    lines = source_lines(source)
    if found is None or (found[3] == "+" and found[2]) or _has_other_line_ends(found[4]):
        return None
    first, inserts = int(found[1]), found[3] == "+"
    last = first - 1 if inserts else int(found[2] or first)
    if not 1 <= first <= last + inserts <= len(lines) + inserts:
        return None
    after = f"{found[4]}\n" if found[4] or inserts else ""
    return Edit(first, 0, "".join(lines[first - 1 : last]), after, operator=POLICY)

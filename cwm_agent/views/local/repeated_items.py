"""Runs of one item, said short and exactly: `[0]*100` for a list of a hundred zeros, `'a'*40` for forty times `a`.

What a program fills with one value is long to say and hard to count, but easy to name. A list of equal plain items and
a text of one character are written so from a certain length on, in questions and answers alike; nothing else is.
"""

import re

FEWEST_ITEMS = 10
FEWEST_CHARACTERS = 20
LONGEST = 50_000
"""Characters that an answer may come to when its runs are written out."""
_STRING = r"""[bB]?'(?:[^'\\]|\\.)*'|[bB]?"(?:[^"\\]|\\.)*\""""
_ITEM = r"""True|False|None|-?\d+(?:\.\d+)?|'[^'\\]{0,8}'"""
_LONG = re.compile(
    rf"\[(?P<item>{_ITEM})(?:, (?P=item)){{{FEWEST_ITEMS - 1},}}\]"
    rf"|(?<![bB])'(?P<sign>[^'\\])(?P=sign){{{FEWEST_CHARACTERS - 1},}}'|{_STRING}",
    re.DOTALL,
)
_SHORT = re.compile(
    rf"\[(?P<item>{_ITEM})\]\*(?P<count>\d{{1,6}})|(?P<text>{_STRING})(?:\*(?P<times>\d{{1,6}}))?", re.DOTALL
)
_RUN = re.compile(rf"(?:\[(?:{_ITEM})\]|'[^'\\]')\*\d{{1,6}}$")


class TooLong(ValueError):
    """Runs that come to more text than any answer may."""


def said(text: str) -> str:
    """The text with its runs said short."""
    return _LONG.sub(_shortened, text) if len(text) > FEWEST_CHARACTERS else text


def _shortened(match: re.Match[str]) -> str:
    if match["item"]:
        return f"[{match['item']}]*{(len(match[0])) // (len(match['item']) + 2)}"
    return f"'{match['sign']}'*{len(match[0]) - 2}" if match["sign"] else match[0]


def whole(text: str) -> str:
    """The text with its runs written out."""
    if "*" not in text:
        return text
    if _length(text) > LONGEST:
        raise TooLong(f"runs of more than {LONGEST} characters")
    return _SHORT.sub(_written_out, text)


def _length(text: str) -> int:
    return len(text) + sum(
        int(match["count"] or match["times"] or 0) * (len(match["item"] or match["text"]) + 2)
        for match in _SHORT.finditer(text)
    )


def _written_out(match: re.Match[str]) -> str:
    if match["item"]:
        return f"[{', '.join([match['item']] * int(match['count']))}]"
    if match["times"] is None:
        return match[0]
    return f"'{match['text'][1:-1] * int(match['times'])}'"


def is_run(text: str) -> bool:
    """Whether the whole text is one run, said short."""
    return _RUN.match(text) is not None

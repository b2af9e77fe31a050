"""Short exact form for runs of one item: `[0]*100` for a list of a hundred zeros, `'a'*40` for forty times `a`.

A long run is long to write and hard to count. So a list of equal plain items and a text of one character take this
form from a certain length on, in questions and answers; nothing else does.
"""

import re

FEWEST_ITEMS = 10
FEWEST_CHARACTERS = 20
LONGEST = 50_000
"""Most characters of an answer with its runs written out."""
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
    """Runs that give more text than an answer may have."""


def shortened(text: str) -> str:
    """Return the text with its runs in short form."""
    return _LONG.sub(_shortened, text) if len(text) > FEWEST_CHARACTERS else text


def _shortened(match: re.Match[str]) -> str:
    if match["item"]:
        return f"[{match['item']}]*{(len(match[0])) // (len(match['item']) + 2)}"
    return f"'{match['sign']}'*{len(match[0]) - 2}" if match["sign"] else match[0]


def whole(text: str) -> str:
    """Return the text with its runs written out."""
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
    """Whether the whole text is one run in short form."""
    return _RUN.match(text) is not None

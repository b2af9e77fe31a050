"""Writes values for a model: objects behind labels, places marked if the line uses them, no more than the line reads.

    v1=#1[4, 5]                     an object is written out behind its label at its first place
    v1=#1[#2, #3]                   for a line that reads one level deep, inner objects are labels only
    v1='abcdefghij<tab>10<tab>kl'   for a line that uses places, every tenth character or item is marked
    v1=#1{'a': 1, .., <tab>10<tab>  a dict or a set of which the length is asked, likewise
    v1=#1[<tab>30<tab>4, 5, ..]     for a line that reads one place of many, the ten around it (`value_windows.py`)
    v1=#1[0]*100                    a run of one item is in short form (`repeated_items.py`)

The text of a value never contains a tab, so a mark cannot be mistaken for content.
"""

import re
from collections.abc import Mapping

from cwm_agent.views.local import repeated_items
from cwm_agent.views.local.value_windows import CHARACTER, EVERY, window
from envs.execution.state.value_grammar import Unsupported, label_of, references, replace_references
from envs.execution.stepper.values.iterator_rules import following, remaining
from envs.execution.stepper.values.value_rules import split_items
from envs.execution.text.library_values import DRIVEN

_NAME = r"[^\W\d]\w*"
_THROUGH = frozenset({"enumerate", "zip", "map"})
_SUBSCRIPT = rf"(?:{_NAME} = {_NAME}\[|{_NAME}\[.+\] (?:\S{{1,3}})?= |del {_NAME}\[)"
_SHALLOW = re.compile(
    rf"{_SUBSCRIPT}|for |(?:{_NAME} = )?(?:len\({_NAME}\)|{_NAME}\.(?:append|pop|insert|reverse|clear)\()"
)
_VIEW = re.compile(r"(?:keys|values|items|mappingproxy)\(#\d+\)$")
_LENGTH = re.compile(rf"{_NAME} = len\({_NAME}\)$")
_COUNTING = re.compile(
    rf"{_SUBSCRIPT}|.*(?:\blen\(|\.(?:find|rfind|index|rindex|count|pop|insert|center|ljust|rjust|zfill)\()", re.DOTALL
)


class ValueWriter:
    """Writes the values a line reads, in the order it reads them, then others on request."""

    def __init__(self, heap: Mapping[int, str], statement: str = "", *, deep: bool = False) -> None:
        """`deep` shows whole objects even if the line reads one level deep."""
        self._heap = heap
        self._numbers: dict[int, int] = {}
        self._written: set[int] = set()
        self._shallow = not deep and bool(_SHALLOW.match(statement))
        self._marked = bool(_COUNTING.match(statement))
        self._counted = bool(_LENGTH.match(statement))
        self._brief = False

    @property
    def order(self) -> tuple[int, ...]:
        return tuple(self._numbers)

    def value(self, text: str, place: int | None = None) -> str:
        """Return a value as the question shows it; `place` is the only one of its places that the line reads."""
        label = label_of(text)
        if label is not None:
            return self._object(label, place)
        if text.startswith("#") or _VIEW.match(text):  # a view is as deep as the dict it shows
            return replace_references(text, self._object)
        return replace_references(self._shown(text, place), self._inner)

    def unread(self, text: str, *, brief: bool) -> str:
        """Return a value that the line does not read: without marks, and with `brief` at most its first ten places."""
        self._marked = self._shallow = False
        self._brief = brief
        return self.value(text)

    def _object(self, label: int, place: int | None = None) -> str:
        if label not in self._heap:
            raise Unsupported(f"an object #{label} that is not in the frame")
        number = self._numbers.setdefault(label, len(self._numbers) + 1)
        if label in self._written:
            return f"#{number}"
        self._written.add(label)
        content = self._shown(self._heap[label], place)
        inner = self._object if content.startswith("ChainMap(") else self._inner  # its keys are those of its dicts
        return f"#{number}{replace_references(content, inner)}"

    def _inner(self, label: int) -> str:
        """Return an object inside another: written out, or as a label if the line does not read that deep."""
        return self._label(label) if self._shallow else self._object(label)

    def _label(self, label: int) -> str:
        return f"#{self._numbers.setdefault(label, len(self._numbers) + 1)}"

    def _shown(self, text: str, place: int | None) -> str:
        short = repeated_items.shortened(text)
        if repeated_items.is_run(short):
            return short
        place = 0 if self._brief else place
        if place is not None and (seen := window(text, place)) is not None:
            return seen
        return marked(short, "[({" if self._counted else "[(") if self._marked and len(short) > EVERY + 2 else short


def marked(text: str, brackets: str = "[(") -> str:
    """Return a long string, list or tuple with its places marked; with a brace among the brackets, a set or a dict."""
    if text[0] in "'\"":
        characters = CHARACTER.findall(text[1:-1])
        return text[0] + _joined(characters, "") + text[-1]
    if text[0] in brackets:
        items = split_items(text)
        return text[0] + _joined(items, ", ") + text[-1] if len(items) > EVERY else text
    return text


def _joined(parts: list[str], between: str) -> str:
    chunks = [between.join(parts[start : start + EVERY]) for start in range(0, len(parts), EVERY)]
    return chunks[0] + "".join(
        f"{between}\t{place * EVERY}\t{chunk}" for place, chunk in enumerate(chunks[1:], start=1)
    )


def iterator(text: str, heap: Mapping[int, str]) -> str:
    """Return a loop's iterator by its next item; one that no rule moves (`filter`) is shown whole."""
    label = label_of(text)
    return text if label is None or is_driven(label, heap) else next_only(remaining(label, dict(heap)))


def is_driven(label: int, heap: Mapping[int, str]) -> bool:
    """Whether the oracle moves an iterator, or one that it goes through: it is shown whole, and so is the answer."""
    content = heap.get(label, "")
    kind, _, inner = content.partition("(")
    if kind in DRIVEN:
        return following(label, heap) is None
    return kind in _THROUGH and any(is_driven(inside, heap) for inside in references(inner))


def next_only(iterator: str) -> str:
    """Return an iterator's items, cut after the next one: a rule sets the loop's position, so the rest is unread."""
    kind, _, inner = iterator.partition("(")
    parts = split_items(f"({inner[:-1]})")
    if kind != "iter":
        return f"{kind}({', '.join(next_only(part) if part.endswith(')') and '(' in part else part for part in parts)})"
    return f"iter({_first(inner[:-1])})" if parts else iterator


def _first(source: str) -> str:
    if source.startswith(("'", '"')):
        characters = CHARACTER.findall(source[1:-1])
        return f"{source[0]}{characters[0]}{source[-1]}, ..." if len(characters) > 1 else source
    if source.startswith("["):
        return _cut(source)
    view, brace, inner = source.partition("({")
    return f"{view}({_cut('{' + inner[:-1])})" if brace and view in ("keys", "values", "items") else source


def _cut(text: str) -> str:
    items = split_items(text)
    return f"{text[0]}{items[0]}, ...{text[-1]}" if len(items) > 1 else text

"""Text to canonical text: gives every object of an imagined frame the label that a real run would give it.

The same rule as `rendering.py`, over text: walk the bindings by name, then what they reach; known objects keep their
label, new ones take the smallest label that neither this page nor the one before uses. What is not reached is gone.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from envs.execution.frames import Bindings, HeapText

_SCAN = re.compile(
    r"""(?P<string>[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
      | \#(?P<label>\d+)
      | (?P<kind>[^\W\d][\w.@]*)?(?P<open>[\[{(])
      | (?P<close>[\]})])""",
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_DEEPEST = 200
"""Brackets inside brackets in one text; objects inside objects are on the heap, so pages never come near."""
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_QUOTE = re.compile("['\"]")
_MUTABLE_KINDS = frozenset(
    "iter reversed enumerate zip map filter set deque defaultdict OrderedDict Counter bytearray cell".split()
)
_WRAPPING_KINDS = frozenset("deque defaultdict OrderedDict Counter iter".split())
"""Kinds that write brackets of their own: `Counter({...})`, `deque([...])`, `iter(#1, [..])`."""


class MalformedText(ValueError):
    """Brackets that do not match, a string that does not end, or a reference to nothing."""


class Page:
    """Collects one frame's text and settles its labels."""

    def __init__(self, heap: Mapping[int, str], before: Iterable[int]) -> None:
        self._heap = heap
        self._before = frozenset(before)
        self._taken = set(self._before)
        self._now: dict[int, int] = {}
        self._pending: list[tuple[int, str]] = []

    def bindings(self, rows: Iterable[tuple[str, str]]) -> Bindings:
        return tuple([(name, self.text(text)) for name, text in sorted(rows)])

    def reach(self, labels: Iterable[int]) -> None:
        """Rows that stand as they are refer to these objects of the page before."""
        for label in labels:
            if label not in self._now:
                self._reference(label)

    def text(self, text: str) -> str:
        """A value's text with settled labels."""
        if text[:1] == "#" and text[1:].isdecimal():
            return self._reference(int(text[1:]))
        return self._settled(text, 0) if _has_objects(text) else text

    def heap(self) -> HeapText:
        written: list[tuple[int, str]] = []
        for label, content in self._pending:  # grows while it is walked
            if _has_inner_objects(content):
                held = _labels_held(content)
                if held is not None and self._before.issuperset(held):
                    self.reach(held)  # known objects keep their labels, so the text stays as it is
                else:
                    content = self._settled(content, 1)
            written.append((label, content))
        return tuple(sorted(written))

    def _reference(self, label: int) -> str:
        settled = self._now.get(label)
        if settled is None:
            if label not in self._heap:
                raise MalformedText(f"reference #{label} to an object that is not there")
            settled = self._now[label] = label if label in self._before else self._free()
            self._pending.append((settled, self._heap[label]))
        return f"#{settled}"

    def _new(self, content: str) -> str:
        label = self._free()
        self._pending.append((label, content))
        return f"#{label}"

    def _free(self) -> int:
        label = 1
        while label in self._taken:
            label += 1
        self._taken.add(label)
        return label

    def _settled(self, text: str, own: int) -> str:
        """Replace labels and lift out new objects; the next `own` brackets belong to the text itself."""
        pieces: list[str] = []
        parts = _parts(text)
        at, index, wrapped = 0, 0, False
        while index < len(parts):
            start, end, kind, label, close = parts[index]
            if label is not None:
                pieces += [text[at:start], self._reference(label)]
                at = end
            elif close is not None and own and not (wrapped and kind):  # `defaultdict(g@3(#4), {..})`: not g's brackets
                wrapped = kind in _WRAPPING_KINDS
                own += wrapped - 1
            elif close is not None and is_mutable(kind, text[end - 1]):
                last = parts[close][1]
                pieces += [text[at:start], self._new(text[start:last])]
                at, index = last, close
            elif close is not None and kind == "frozenset" and text[end] == "{":
                own += 1
            index += 1
        pieces.append(text[at:])
        return "".join(pieces)


def is_mutable(kind: str | None, bracket: str) -> bool:
    return kind in _MUTABLE_KINDS if kind else bracket in "[{"


def _has_objects(text: str) -> bool:
    return "#" in text or "[" in text or "{" in text or "(" in text


def _has_inner_objects(content: str) -> bool:
    inner = content[1:]
    return "#" in inner or "[" in inner or "{" in inner or "(" in inner


_Part = tuple[int, int, str | None, int | None, int | None]
"""Start, end, kind before an opening bracket, label, index of the closing bracket's part."""


@lru_cache(maxsize=65_536)
def _labels_held(content: str) -> tuple[int, ...] | None:
    """The objects that a list, dict or set refers to; None where something new is written out in it."""
    own, *parts = _parts(content) or ((1, 1, None, None, None),)
    start, _, kind, _, close = own
    if start != 0 or kind or close is None or any(inner is not None for *_, inner in parts):
        return None
    return tuple(label for _, _, _, label, _ in parts if label is not None)


@lru_cache(maxsize=65_536)
def _parts(text: str) -> tuple[_Part, ...]:
    found: list[list[object]] = []
    opened: list[int] = []
    for match in _SCAN.finditer(text):
        if match["string"]:
            continue
        if match["label"]:
            found.append([match.start(), match.end(), None, int(match["label"]), None])
        elif match["open"]:
            if len(opened) == _DEEPEST:
                raise MalformedText(f"brackets more than {_DEEPEST} deep in {text[:80]!r}")
            opened.append(len(found))
            found.append([match.start(), match.end(), match["kind"], None, -1])
        else:
            if not opened:
                raise MalformedText(f"a closing bracket too many in {text[:80]!r}")
            start = opened.pop()
            if match["close"] != _CLOSING[text[found[start][1] - 1]]:  # type: ignore[operator]
                raise MalformedText(f"brackets that cross in {text[:80]!r}")
            found[start][4] = len(found)
            found.append([match.start(), match.end(), None, None, None])
    if opened:
        raise MalformedText(f"a bracket that is not closed in {text[:80]!r}")
    return tuple(tuple(part) for part in found)  # type: ignore[misc]


def check_text(text: str) -> None:
    """Raise MalformedText where brackets do not match or a string is not closed."""
    _parts(text)
    if _QUOTE.search(_STRING.sub("", text)):
        raise MalformedText(f"a string that is not closed in {text[:80]!r}")

"""Text to canonical text: gives every object of an imagined frame the label that a real run would give it.

The same rule as `object_renderer.py`, over text: walk the bindings by name, then what they reach; known objects keep
their label, new ones take the smallest label that neither this frame nor the one before uses. What is not reached is
gone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from envs.bounded_cache import MIB, bounded_cache
from envs.execution.state.frames import Bindings, HeapText
from envs.execution.state.value_grammar import ImpossibleState, number, references
from envs.execution.text.object_constructors import KINDS

_SCAN = re.compile(
    r"""(?P<string>[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))
      | \#(?P<label>\d+)
      | (?P<kind>[^\W\d][\w.@]*)?(?P<open>[\[{(])
      | (?P<close>[\]})])""",
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_DEEPEST = 200
"""Brackets inside brackets in one text; objects inside objects are on the heap, so frames never come near."""
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_QUOTE = re.compile("['\"]")
_MUTABLE_KINDS = frozenset(
    "iter reversed enumerate zip map filter set deque defaultdict OrderedDict Counter bytearray cell generator "
    "rng textfile StringIO object csv_reader csv_writer DictReader DictWriter".split()
)
_WRAPPING_KINDS = frozenset("deque defaultdict OrderedDict Counter iter".split())
"""Kinds that write brackets of their own: `Counter({...})`, `deque([...])`, `iter(#1, [..])`."""


class MalformedText(ImpossibleState):
    """Brackets that do not match, a string that does not end, or a reference to nothing."""


class CanonicalLabels:
    """Collects one frame's text and settles its labels."""

    def __init__(self, heap: Mapping[int, str], before: Iterable[int]) -> None:
        self._heap = heap
        self._before = frozenset(before)
        self._lowest = 1
        """The smallest label that may be free; those below it are taken."""
        self._now: dict[int, int] = {}
        self._pending: list[tuple[int, str]] = []

    def bindings(self, rows: Iterable[tuple[str, str]]) -> Bindings:
        return tuple([(name, self.text(text)) for name, text in sorted(rows)])

    def rows(self, rows: Bindings) -> Bindings:
        """Bindings that stand as they did in the frame before."""
        self._reach(_labels_of(rows))
        return rows

    def text(self, text: str) -> str:
        """A value's text with settled labels."""
        return self._settled(text, 0) if _has_objects(text) else text

    def heap(self) -> HeapText:
        return tuple(sorted([(label, self._settled(content, 1)) for label, content in self._reached()]))

    def _reached(self) -> Iterator[tuple[int, str]]:
        yield from self._pending  # grows while it is walked

    def _settled(self, text: str, own: int) -> str:
        """Replace labels and lift out new objects; the first `own` brackets belong to the text itself."""
        parts, known = _objects(text, own)
        if known is not None and self._before.issuperset(known):  # known objects keep their labels
            if known:
                self._reach(known)
            return text
        pieces, at = [], 0
        for start, end, label in parts:
            pieces += [text[at:start], self._new(text[start:end]) if label is None else self._reference(label)]
            at = end
        return "".join([*pieces, text[at:]])

    def _reach(self, labels: Iterable[int]) -> None:
        """Objects of the frame before that are still there, under their labels."""
        now, heap, pending = self._now, self._heap, self._pending
        for label in labels:
            if label not in now:
                if label not in self._before or label not in heap:
                    self._reference(label)
                else:
                    now[label] = label
                    pending.append((label, heap[label]))

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
        label = self._lowest
        while label in self._before:
            label += 1
        self._lowest = label + 1
        return label


def is_mutable(kind: str | None, bracket: str) -> bool:
    return kind in _MUTABLE_KINDS if kind else bracket in "[{"


def _has_objects(text: str) -> bool:
    return "#" in text or "[" in text or "{" in text or "(" in text


def _is_own_container(kind: str | None, following: str) -> bool:
    """Whether it is a class of the program that derives from a list or a dict: its items are its own brackets."""
    return kind is not None and following in ("[", "{") and kind not in KINDS and kind != "generator"


_Part = tuple[int, int, str | None, int | None, int | None]
"""Start, end, kind before an opening bracket, label, index of the closing bracket's part."""


_Object = tuple[int, int, int | None]
"""Start and end in a text, and the label; None for an object that is written out there."""


@bounded_cache(8 * MIB, per_character=20)
def _objects(text: str, own: int) -> tuple[tuple[_Object, ...], tuple[int, ...] | None]:
    """The objects that stand in a text, and their labels if all have one; the first `own` brackets are its own."""
    found: list[_Object] = []
    parts = _parts(text)
    index, wrapped = 0, False
    while index < len(parts):
        start, end, kind, label, close = parts[index]
        if label is not None:
            found.append((start, end, label))
        elif close is not None and kind == "frozenset" and text[end] == "{":  # holds no object that is written out
            found += [(part[0], part[1], part[3]) for part in parts[index:close] if part[3] is not None]
            index = close
        elif close is not None and own and not (wrapped and kind):  # `defaultdict(g@3(#4), {..})`: not g's brackets
            wrapped = kind in _WRAPPING_KINDS or _is_own_container(kind, text[end : end + 1])
            own += wrapped - 1
        elif close is not None and is_mutable(kind, text[end - 1]):
            found.append((start, parts[close][1], None))
            index = close
        index += 1
    labels = tuple(label for _, _, label in found if label is not None)
    return tuple(found), labels if len(labels) == len(found) else None


def known_objects(text: str, own: int) -> tuple[int, ...] | None:
    """The objects that a text refers to; None where one is written out in it."""
    return _objects(text, own)[1] if _has_objects(text) else ()


def is_one_new(text: str) -> bool:
    """Whether a text is one object written out, and no other new one stands in it."""
    return _objects(text, 0)[0] == ((0, len(text), None),) and _objects(text, 1)[1] is not None


@bounded_cache(4 * MIB, per_character=20)
def _labels_of(rows: Bindings) -> tuple[int, ...]:
    return tuple(label for _, text in rows for label in references(text))


@bounded_cache(8 * MIB, per_character=20)
def _parts(text: str) -> tuple[_Part, ...]:
    found: list[list[object]] = []
    opened: list[int] = []
    for match in _SCAN.finditer(text):
        if match["string"]:
            continue
        if match["label"]:
            found.append([match.start(), match.end(), None, number(match["label"]), None])
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

"""Sets and dicts as plain sequences, and text that two values share exactly when Python calls them equal.

A result comes from a program or a model, and either may be hostile: a hash table of colliding integers costs the reader
that builds it, not its writer. So sets and dicts of results are never hashed. They are compared by sorting their
canonical text, which takes n log n whatever the items are. Knows no text of results and no comparison.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tasks.errors import NotPlain

_LONGEST = 64
"""Canonical text of a container above this length is replaced by its digest, so that nesting costs no copies."""


@dataclass(frozen=True, slots=True, eq=False)
class SetItems:
    """The different items of a set or frozenset, in the order in which they were written."""

    items: tuple[object, ...]
    frozen: bool
    canonical: str

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, eq=False)
class DictEntries:
    """The entries of a dict by different keys, in the order in which they were written; the last value counts."""

    entries: tuple[tuple[object, object], ...]
    keys: tuple[str, ...]
    """The canonical text of each key."""

    def __len__(self) -> int:
        return len(self.entries)


def set_items(items: Sequence[object], *, frozen: bool = False) -> SetItems:
    """A set of these items; NotPlain where Python could not hash one."""
    texts = [_member(item) for item in items]
    kept = [first for first, _ in _places(texts)]
    return SetItems(tuple(items[at] for at in kept), frozen, _set_text(texts[at] for at in kept))


def dict_entries(keys: Sequence[object], values: Sequence[object]) -> DictEntries:
    """A dict of these entries; NotPlain where Python could not hash a key, or a key has no value."""
    if len(keys) != len(values):
        raise NotPlain("a dict has a value for each key")
    texts = [_member(key) for key in keys]
    kept = _places(texts)
    entries = tuple((keys[first], values[last]) for first, last in kept)
    return DictEntries(entries, tuple(texts[first] for first, _ in kept))


def _places(texts: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the first and the last of equal texts, for each different text in the order of the first."""
    order = sorted(range(len(texts)), key=texts.__getitem__)  # stable: equal texts stay in order
    groups = (list(places) for _, places in groupby(order, key=texts.__getitem__))
    return sorted((places[0], places[-1]) for places in groups)


def as_set(value: object) -> str | None:
    """The canonical text of a set or frozenset, None for any other value."""
    if isinstance(value, SetItems):
        return value.canonical
    return _set_text(map(canonical, value)) if isinstance(value, set | frozenset) else None


def as_entries(value: object) -> list[tuple[str, object]] | None:
    """(canonical key, value) pairs of a dict in sorted order, None for any other value."""
    if isinstance(value, DictEntries):
        pairs = [(text, item) for text, (_, item) in zip(value.keys, value.entries, strict=True)]
    elif isinstance(value, dict):
        pairs = [(canonical(key), item) for key, item in value.items()]
    else:
        return None
    return sorted(pairs, key=lambda pair: pair[0])


def plain_type(value: object) -> type:
    """The type that Python's own value would have."""
    if isinstance(value, SetItems):
        return frozenset if value.frozen else set
    return dict if isinstance(value, DictEntries) else type(value)


def canonical(value: object) -> str:
    """Text that two plain values share exactly when Python calls them equal (and nan equal to nan)."""
    if isinstance(value, int | float | complex):
        return _number_text(value)
    if isinstance(value, str | bytes) or value is None:
        return repr(value)
    if isinstance(value, list | tuple):
        return _condensed(type(value).__name__, map(canonical, value))
    if (text := as_set(value)) is not None:
        return text
    if (entries := as_entries(value)) is not None:
        return _condensed("dict", (f"{key}:{canonical(item)}" for key, item in entries))
    raise NotPlain(f"a value of type {type(value).__name__} is no plain value")


def _member(value: object) -> str:
    """The canonical text of an item of a set or a key of a dict."""
    pending = [value]
    while pending:
        part = pending.pop()
        if plain_type(part) in (list, dict, set):
            raise NotPlain(f"unhashable type: {plain_type(part).__name__!r}")
        if isinstance(part, tuple):
            pending += part
    return canonical(value)


def _set_text(texts: Iterable[str]) -> str:
    return _condensed("set", sorted(texts))


def _number_text(value: int | float | complex) -> str:
    if isinstance(value, complex):
        return _number_text(value.real) if not value.imag else f"c{value!r}"
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        return f"r{value!r}"
    return f"n{int(value):x}"


def _condensed(kind: str, texts: Iterable[str]) -> str:
    text = f"{kind}({','.join(texts)})"
    return (
        text if len(text) <= _LONGEST else f"{kind}#{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    )

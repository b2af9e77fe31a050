"""Where a loop stands, by the text of its iterator: whether it gives another item, and its next position.

Rules move an iterator and choose the item; what a `map` or a `filter` makes of it the oracle says. Positions of
iterators of `itertools` are in `library_positions.py`.
"""

import ast
from dataclasses import dataclass

from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.values.library_positions import Following, LibraryPositions
from envs.execution.stepper.values.value_rules import (
    Heap,
    is_hashed,
    items_of,
    parses_values,
    size,
    split_entry,
    split_items,
    truth,
)
from envs.execution.text.library_values import DRIVEN


@dataclass(frozen=True, slots=True)
class Advance:
    """One step of a loop's iterator: whether it gives an item, and its new position."""

    gives: bool
    contents: tuple[tuple[int, str], ...]


@parses_values
def advance(label: int, heap: Heap) -> Advance | None:
    """The next position of an iterator; None where no rule decides it (`filter`): the oracle must say it."""
    kind, _, inner = heap[label].partition("(")
    parts = split_items(f"({inner[:-1]})")
    if kind == "iter":
        return _advance_plain(label, parts, heap)
    if kind == "reversed":
        left = int(parts[1])
        gives = 0 <= left < size(parts[0], heap)  # the source may have shrunk
        if left == 0 and gives and _is_ordered(parts[0], heap):  # nothing tells any more that it went backwards
            return Advance(True, ((label, f"iter({parts[0]}, {size(parts[0], heap)})"),))
        return Advance(True, ((label, f"reversed({parts[0]}, {left - 1})"),)) if gives else _ended(label)
    if kind in ("enumerate", "zip", "map"):
        return _advance_nested(label, kind, parts, heap)
    if kind in DRIVEN:
        found = _LIBRARY.following(label, heap)
        return None if found is None else Advance(found.item is not None, tuple(found.contents.items()))
    if kind == "generator" and not inner.startswith(")"):
        raise Unsupported("a generator that C code moves")
    if kind == "generator":  # it has ended
        return Advance(False, ())
    raise Unsupported(f"a loop over {heap[label][:40]}")


def _ended(label: int) -> Advance:
    return Advance(False, ((label, "iter()"),))


def _advance_plain(label: int, parts: list[str], heap: Heap) -> Advance:
    if not parts:
        return Advance(False, ())
    if len(parts) == 1:  # a range shrinks
        left = range(*map(int, parts[0][len("range(") : -1].split(",")))
        return Advance(True, ((label, f"iter({left[1:]!r})" if left[1:] else "iter()"),)) if left else _ended(label)
    source, position = parts
    if position == "changed":
        raise Unsupported("a loop whose dict or set changed size")
    if position.startswith("["):
        remaining = split_items(position)
        left_text = ", ".join(remaining[1:])
        return Advance(True, ((label, f"iter({source}, [{left_text}])"),)) if remaining else _ended(label)
    if int(position) >= size(source, heap):
        return _ended(label)
    return Advance(True, ((label, f"iter({source}, {int(position) + 1})"),))


def _advance_nested(label: int, kind: str, parts: list[str], heap: Heap) -> Advance | None:
    inner = parts[:1] if kind == "enumerate" else parts[1:] if kind == "map" else parts
    changed: dict[int, str] = {}
    for reference in inner:
        step = advance(int(reference[1:]), {**heap, **changed})
        if step is None:
            return None
        changed.update(step.contents)
        if not step.gives:
            return Advance(False, tuple(changed.items()))
    if kind == "enumerate":
        changed[label] = f"enumerate({parts[0]}, {int(parts[1]) + 1})"
    return Advance(bool(inner), tuple(changed.items()))


@parses_values
def remaining(label: int, heap: Heap) -> str:
    """An iterator by what it has yet to give, as text: `iter([6, 7])`, `enumerate(iter('bc'), 1)`.

    Of a library iterator the next item stands for all: `iter([(1, 'a'), ...])`; one that has ended is `iter([])`.
    """
    kind, _, inner = heap[label].partition("(")
    parts = split_items(f"({inner[:-1]})")
    if kind == "iter":
        return f"iter({_left(parts, heap)})"
    if kind == "reversed":
        return f"iter([{', '.join(_backwards(parts[0], int(parts[1]), heap))}])"
    if kind in DRIVEN:
        found = _LIBRARY.following(label, heap)
        if found is None:
            return heap[label]
        return "iter([])" if found.item is None else f"iter([{found.item}, ...])"
    nested = [remaining(int(part[1:]), heap) if label_of(part) is not None else part for part in parts]
    return f"{kind}({', '.join(nested)})"


def _left(parts: list[str], heap: Heap) -> str:
    if len(parts) < 2:
        return "".join(parts)
    source, position = parts
    if position.startswith("["):
        return position
    if source[0] in "'\"b":
        return repr(ast.literal_eval(source)[int(position) :])
    view = source.partition("(")[0]
    left = ", ".join(items_of(source, heap)[int(position) :])
    return f"{view}({{{left}}})" if view in ("keys", "values", "items") else f"[{left}]"


def following(label: int, heap: Heap) -> Following | None:
    """The next item of an iterator that rules move, and what changes; None where no rule knows the item."""
    content = heap[label]
    if content.partition("(")[0] in DRIVEN:
        return _LIBRARY.following(label, heap)
    try:
        step = advance(label, heap)
        if step is None:
            return None
        item = _item(label, heap) if step.gives else None
    except Unsupported:
        return None
    return None if step.gives and item is None else Following(item, dict(step.contents))


def _item(label: int, heap: Heap) -> str | None:
    """The text of the next item of one of Python's own iterators; None where it is computed."""
    kind, _, inner = heap[label].partition("(")
    parts = split_items(f"({inner[:-1]})")
    if kind == "reversed":
        return next(iter(_backwards(parts[0], int(parts[1]), heap)))
    if kind == "enumerate":
        item = following(int(parts[0][1:]), heap)
        return f"({parts[1]}, {item.item})" if item else None
    if kind != "iter":
        return None
    if len(parts) == 1:
        return str(range(*map(int, parts[0][len("range(") : -1].split(",")))[0])
    if parts[1].startswith("["):
        return split_items(parts[1])[0]
    return _listed_item(parts[0], int(parts[1]), heap)


def _is_ordered(source: str, heap: Heap) -> bool:
    """Whether it is a view of an OrderedDict."""
    label = label_of(source.partition("(")[2][:-1])
    return label is not None and heap[label].startswith("OrderedDict(")


def _backwards(source: str, position: int, heap: Heap) -> list[str]:
    """The items of a sequence or of a dict's view from a position back to the first."""
    entries = items_of(source, heap)[: position + 1][::-1]
    view = source.partition("(")[0]
    if view not in ("keys", "values", "items"):
        return entries
    pairs = [split_entry(entry) for entry in entries]
    return [{"keys": key, "values": value, "items": f"({key}, {value})"}[view] for key, value in pairs]


def _listed_item(source: str, position: int, heap: Heap) -> str | None:
    view = source.partition("(")[0]
    if view in ("keys", "values", "items"):
        key, value = split_entry(items_of(source, heap)[position])
        return {"keys": key, "values": value, "items": f"({key}, {value})"}[view]
    label = label_of(source)
    return None if label is not None and is_hashed(heap[label]) else items_of(source, heap)[position]


_LIBRARY = LibraryPositions(following, split_items, truth)

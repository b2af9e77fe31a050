"""The next page's heap out of the last one's, where little is new; exists because most lines change one object or none.

Every function here says when it cannot tell at a glance: then the page is written anew (`Renderer.begin`). Knows no
line and no name, only the renderer of the last page.
"""

from collections.abc import Iterable, Mapping, Sequence

from envs.execution.rendering import Renderer
from envs.execution.values import references
from envs.execution.writers import ITERATORS, MOVED, USED_UP

_FLAT = frozenset({range, slice})
"""Kinds of values, not kept in the heap, that hold no object."""


def differing(page: Renderer, used: list[object], gentle: bool) -> list[object]:
    """Which objects of the page may differ once a line used these; `gentle`: it changed at most iterators.

    The list is taken over.
    """
    moved = []
    for thing in used:
        kind = type(thing)
        if kind in MOVED:
            moved.append(thing)
        elif kind not in _FLAT:
            row = page.rows.get(page.labels.get(id(thing), 0))
            if row is None or "#" in row[1] or kind in ITERATORS:  # it may hold iterators
                return iterators(page) if gentle else [*used, *iterators(page)]
    if gentle:
        return moved
    for _, thing in page.moving:
        if type(thing) not in MOVED:  # an iterator over a dict or a set tells when its source has changed
            used.append(thing)
    return used


def iterators(page: Renderer) -> list[object]:
    """All iterators of the page."""
    return [thing for _, thing in page.moving]


def amended(page: Renderer, changed: Iterable[object]) -> bool:
    """Bring the heap up to date with the roots of the last page, where only these objects differ.

    False where an object came or went: then the page must be written anew.
    """
    rows, labels, same = page.rows, page.labels, True
    for thing in changed:
        label = labels.get(id(thing))
        if label is None:
            continue
        known = rows[label][1]
        again = MOVED.get(type(thing))
        text = again(known, thing) if again else page.content(type(thing), thing)
        if text == known:
            continue
        if (again is None or text == USED_UP) and not _as_before(page, known, text):  # else its source stays
            page.give_up()
            return False
        rows[label] = (label, text)
        page.size += len(text) - len(known)
        same = False
    if not same:
        page.whole = tuple(rows.values())
    return True


def _as_before(page: Renderer, known: str, text: str) -> bool:
    """Whether new content reaches the objects that the old content did."""
    if "?" in text:
        page.doubt(text)
    return not page.reached and (("#" not in known and "#" not in text) or references(known) == references(text))


def joined(page: Renderer, value: object, changed: Sequence[object]) -> str | None:
    """The text of one more root of the last page, with the heap brought up to date; None as for `amended`."""
    if changed and not amended(page, changed):
        return None
    label = page.labels.get(id(value))
    if label is not None:
        return f"#{label}"
    text = page.text(value)
    if page.reached:
        page.put()
    return text


def placed(page: Renderer, values: Iterable[object]) -> list[str] | None:
    """The texts of more roots, where all they reach stands on the page already; None where an object came."""
    texts = list(map(page.text, values))
    if not page.reached:
        return texts
    page.give_up()
    return None


def parted(page: Renderer, gone: Iterable[str], left: Sequence[str], held: Mapping[int, int]) -> bool:
    """Bring the heap up to date once values with these texts are gone from the page.

    `left` are the texts of the page's values that refer to objects, `held` the labels that waiting functions refer to.
    False where it cannot be told at a glance which objects went.
    """
    for text in gone:
        if text in left:
            continue
        label = text[1:]
        if not (text[0] == "#" and label.isdigit()):  # a tuple or a method
            if not _all_held(text, left, held):
                return False
        elif int(label) not in held and not _removed(page, int(label), text, left, held):
            return False
    return True


def _removed(page: Renderer, label: int, mark: str, left: Sequence[str], held: Mapping[int, int]) -> bool:
    """Take an object from the heap which nobody mentions any more; False where somebody might."""
    row = page.rows.get(label)
    if row is None:
        return True
    for text in left:
        if mark in text:
            return False
    for _, text in page.whole:
        if mark in text:
            return False
    content = row[1]
    if "#" in content and not _all_held(content, left, held):
        return False
    del page.rows[label]
    page.whole = tuple(page.rows.values())
    page.size -= len(content)
    thing = page.alive.pop(label)
    del page.labels[id(thing)]
    if type(thing) in ITERATORS:
        page.moving.remove((label, thing))
        page.look_for_programs()
    return True


def _all_held(content: str, left: Sequence[str], held: Mapping[int, int]) -> bool:
    return all(label in held or f"#{label}" in left for label in references(content))

"""The next page's heap out of the last one's, where little is new; exists because most lines change one object or none.

New objects must be labelled in the order in which a page written anew would come upon them. That order is plain while
they all come by names, or all by one object that changed; where it is not, the page is written anew
(`ObjectRenderer.begin`). Knows no line and no name, only the renderer of the last page.
"""

from collections.abc import Iterable, Mapping, Sequence

from envs.execution.state.frames import Bindings
from envs.execution.state.value_grammar import references
from envs.execution.text.object_renderer import ObjectRenderer
from envs.execution.text.value_writers import ITERATORS, MOVED, USED_UP

_FLAT = frozenset({range, slice})
"""Kinds of values, not kept in the heap, that hold no object."""


def differing(page: ObjectRenderer, used: list[object], gentle: bool) -> list[object]:
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


def iterators(page: ObjectRenderer) -> list[object]:
    """All iterators of the page."""
    return [thing for _, thing in page.moving]


def amended(page: ObjectRenderer, changed: Iterable[object]) -> bool:
    """Bring the heap up to date, where only these objects differ; roots that are new have been written before.

    False where it cannot be told how to label what is new: then the page must be written anew. References that are no
    longer held are noted in `page.lost`.
    """
    rows, labels, reached = page.rows, page.labels, page.reached
    roots = len(reached)
    different = 0
    same = True
    for thing in changed:
        label = labels.get(id(thing))
        if label is None or label not in rows:
            continue
        known = rows[label][1]
        again = MOVED.get(type(thing))
        if again:
            text = again(known, thing)
            if text == known:
                continue
        else:
            text = page.content(type(thing), thing)
            if text == known:
                continue
            different += 1
            if "?" in text:
                page.doubt(text)
        if "#" in known and (again is None or text == USED_UP):  # else its source stays
            held = references(text)
            page.lost += [f"#{other}" for other in references(known) if other not in held]
        rows[label] = (label, text)
        page.size += len(text) - len(known)
        same = False
    if reached:
        if len(reached) > roots and (roots or different > 1):
            page.give_up()
            return False
        page.put()
    elif not same:
        page.whole = tuple(rows.values())
    return True


def parted(page: ObjectRenderer, gone: list[str], left: Bindings, said: Sequence[str], held: Mapping[int, int]) -> None:
    """Bring the heap up to date once values with these texts are gone from the page; the list is taken over.

    `left` are the bindings and `said` the further values of the page, `held` the labels that waiting functions mention.
    """
    rows = page.rows
    size = len(rows)
    for text in gone:  # grows while it is walked
        mark = text[1:]
        if not (text[0] == "#" and mark.isdigit()):  # a tuple or a method
            gone += [f"#{label}" for label in references(text)]
            continue
        label = int(mark)
        row = rows.get(label)
        if row is None or label in held or _is_mentioned(text, label, left, said):
            continue
        referrer = _referrer(rows, text, label)
        if referrer is None:
            if "#" in row[1]:
                gone += [f"#{label}" for label in references(row[1])]
            page.take_out(label)
        elif referrer == label or (referrer not in held and not _is_mentioned(f"#{referrer}", referrer, left, said)):
            _sweep(page, left, said, held)
            break
    if len(rows) != size:
        page.whole = tuple(rows.values())


def _is_mentioned(mark: str, label: int, left: Bindings, said: Sequence[str]) -> bool:
    for _, text in left:
        if mark in text and (mark == text or label in references(text)):
            return True
    return any(mark in text and label in references(text) for text in said)


def _referrer(rows: Mapping[int, tuple[int, str]], mark: str, label: int) -> int | None:
    """The first object that refers to this one, if any does."""
    for other, text in rows.values():
        if mark in text and label in references(text):
            return other
    return None


def _sweep(page: ObjectRenderer, left: Bindings, said: Sequence[str], held: Mapping[int, int]) -> None:
    """Take all objects from the heap that nothing on the page leads to any more."""
    rows = page.rows
    waiting = [*held]
    for _, text in left:
        waiting += references(text)
    for text in said:
        waiting += references(text)
    found = set()
    for label in waiting:  # grows while it is walked
        if label not in found:
            found.add(label)
            waiting += references(rows[label][1])
    for label in [*rows]:
        if label not in found:
            page.take_out(label)

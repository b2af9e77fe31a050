"""Makes the operands of a line small: no items or one, one letter, two equal ones, numbers around nothing.

    a.count(b, 2)          a='wedding gown' b='d'   ->   a='dd' b='d'
    ~a                     a=-81                    ->   a=0
    a.sort(reverse=True)   a=#1[9, 4, 33, 20]       ->   a=#1[1, 2]

Tables draw values of ordinary size, so a line rarely meets the smallest ones, where its rule has its edges. What was
equal stays equal, and a text that was part of another mostly stays one. Lists, dicts, sets and deques are changed in
place.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection
from itertools import islice
from random import Random

_LETTERS = "abXo1 "
_ODD = ("'", '"', "\\", "\n", "\t", "it's", "-", "0", "A", "ß", "..")
_REALS = (0.0, 0.5, 1.0, -1.0, 1.5, 2.0, 0.1, 2.5, 10.0, -0.5)
_LENGTHS = (0, 1, 1, 2, 2, 2, 3, 3)
_STILL_PART = 0.7
_KEPT_EQUAL = 0.7
_LISTS, _DICTS = (list, deque), (dict, Counter, defaultdict, OrderedDict)


class Shrinker:
    """Makes the values of one line small; equal plain values become equal ones."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._made: dict[tuple[type, object], object] = {}

    def small(self, value: object) -> object:
        """A small value of the same type; the same object if it is a container or has no small values."""
        match value:
            case tuple() if type(value) is tuple:
                return tuple(self._some(value))
            case list() | deque() if type(value) in _LISTS:
                items = self._some(value)
                value.clear()
                value.extend(items)
            case dict() if type(value) in _DICTS:
                self._shrink_entries(value)
            case set() if type(value) is set:
                members = self._some(sorted(value, key=repr))
                value.clear()
                value.update(members)
            case _:
                return self._plain(value)
        return value

    def _some(self, items: Collection[object]) -> list[object]:
        """At most three small items, sometimes all of them equal."""
        found = [self.small(item) for item in islice(items, self._rng.choice(_LENGTHS))]
        return found[:1] * len(found) if self._rng.random() < 0.1 else found

    def _shrink_entries(self, entries: dict[object, object]) -> None:
        kept = list(islice(entries.items(), self._rng.choice(_LENGTHS)))
        entries.clear()
        entries.update((self.small(key), self.small(value)) for key, value in kept)

    def _plain(self, value: object) -> object:
        make = _PLAIN.get(type(value))
        if make is None:
            return value
        key = type(value), value
        if key not in self._made or self._rng.random() > _KEPT_EQUAL:
            self._made[key] = self._part(value) or make(self._rng, value)
        return self._made[key]

    def _part(self, value: object) -> str | None:
        """A part of what a longer text became that had this text in it; None if there is none, and sometimes."""
        if not isinstance(value, str) or self._rng.random() > _STILL_PART:
            return None
        for kind, whole in self._made:
            made = self._made[kind, whole]
            if isinstance(whole, str) and value in whole and isinstance(made, str) and made:
                begin = self._rng.randrange(len(made))
                return made[begin : self._rng.randint(begin + 1, min(len(made), begin + 3))]
        return None


def _whole(rng: Random, value: object) -> int:
    chance = rng.random()
    if chance < 0.4:
        return rng.randint(-3, 12)
    if chance < 0.7:
        return rng.randint(-20, 130)
    return rng.choice((10, 100, 200, 256, 1000, 39, 99, 190)) + rng.randint(-10, 60)


def _text(rng: Random, value: object) -> str:
    assert isinstance(value, str)
    known = value[:8] or _LETTERS
    chance = rng.random()
    if chance < 0.08:
        return ""
    if chance < 0.18:
        return rng.choice(_ODD)
    if chance < 0.35:
        return rng.choice(known) * rng.choice((1, 1, 2, 3, 5))
    if chance < 0.6:
        pair = (rng.choice(known), rng.choice(known + _LETTERS))
        return "".join(rng.choices(pair, k=rng.randint(2, 6)))
    if chance < 0.8:
        return known[: rng.randint(1, len(known))]
    return "".join(rng.choices(_LETTERS, k=rng.randint(1, 4)))


_PLAIN: dict[type, Callable[[Random, object], object]] = {
    int: _whole,
    str: _text,
    float: lambda rng, value: rng.choice(_REALS),
    bool: lambda rng, value: rng.random() < 0.5,
    bytes: lambda rng, value: _text(rng, value[:8].decode("latin-1")).encode("latin-1", "ignore"),  # type: ignore[index]
}

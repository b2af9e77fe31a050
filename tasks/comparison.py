"""Comparisons of a result with the expected one, over plain values.

The values are rebuilt from text, so no `__eq__` of the tested program is called. Sets and dicts are compared as sorted
sequences, never by hash, so a comparison takes n log n however the result was chosen. Knows no task.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast, get_args

from tasks.errors import BadTask, did_you_mean
from tasks.unhashed_values import DictEntries, SetItems, as_entries, as_set, plain_type

Kind = Literal["equal", "exact", "close", "truth", "items", "json"]
"""How two values are compared. Given tolerances apply to numbers; nan always equals nan.

equal   like Python's `==` (1 == True == 1.0; a list equals no tuple; sets by content)
exact   equal, and of the same type at every depth (`is True`, doctests)
close   equal, with a required tolerance
truth   the result's truth value (`assert f(x)`)
items   the result's items as a list (`list(f(x))`: generators, map); the runner reads an iterator to its end
json    like items, and tuples equal lists at every depth, as in data that went through JSON
"""


Entries = list[tuple[str, object]]
"""Canonical keys and values of a dict, in sorted order."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one test; `holds(expected, actual)` decides."""

    kind: Kind = "equal"
    absolute: float = 0.0
    """Largest allowed difference of two numbers."""
    relative: float = 0.0
    """Largest allowed difference as a share of the expected number."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise BadTask("comparison", f"has no kind {self.kind!r}. {did_you_mean(self.kind, get_args(Kind))}")
        if not (self.absolute >= 0 and self.relative >= 0):
            raise BadTask("comparison", f"tolerances must be 0 or more, got {self.absolute}, {self.relative}")
        if self.kind == "close" and not self.absolute + self.relative > 0:
            raise BadTask("comparison", "close needs 'absolute' or 'relative' above 0; use 'equal' for none")

    @property
    def reads_items(self) -> bool:
        """Whether a returned iterator is compared as the list of its items."""
        return self.kind in ("items", "json")

    def holds(self, expected: object, actual: object) -> bool:
        """Whether the actual value counts as the expected one."""
        if self.kind == "truth":
            return bool(expected) == bool(actual)
        if self.reads_items:
            actual = _items(actual)
        return self._same(expected, actual)

    def _same(self, expected: object, actual: object) -> bool:
        if self.kind == "exact" and plain_type(expected) is not plain_type(actual):
            return False
        if self.kind == "json":
            expected, actual = _as_list(expected), _as_list(actual)
        match expected, actual:
            case (list(), list()) | (tuple(), tuple()):
                return self._same_items(cast(Sequence[object], expected), cast(Sequence[object], actual))
            case int() | float(), int() | float():
                return self._same_number(expected, actual)
        if (entries := as_entries(expected)) is not None:
            return self._same_entries(entries, as_entries(actual))
        if (content := as_set(expected)) is not None:
            return content == as_set(actual)
        return expected == actual

    def _same_items(self, expected: Sequence[object], actual: Sequence[object]) -> bool:
        return len(expected) == len(actual) and all(map(self._same, expected, actual))

    def _same_entries(self, expected: Entries, actual: Entries | None) -> bool:
        if actual is None or [key for key, _ in expected] != [key for key, _ in actual]:
            return False
        return self._same_items([value for _, value in expected], [value for _, value in actual])

    def _same_number(self, expected: float, actual: float) -> bool:
        if expected == actual:
            return True
        if expected != expected or actual != actual:
            return expected != expected and actual != actual
        if not (self.absolute or self.relative) or isinstance(expected, bool) or isinstance(actual, bool):
            return False
        if math.inf in (abs(expected), abs(actual)):
            return False
        try:
            return abs(expected - actual) <= max(self.absolute, self.relative * abs(expected))
        except OverflowError:  # an integer beyond every float
            return self._is_near(Fraction(expected), Fraction(actual))

    def _is_near(self, expected: Fraction, actual: Fraction) -> bool:
        if math.inf in (self.absolute, self.relative):
            return True
        return abs(expected - actual) <= max(Fraction(self.absolute), Fraction(self.relative) * abs(expected))


EQUAL = Comparison()


def _items(value: object) -> object:
    """The items of a container as a list; any other value as it is."""
    if isinstance(value, SetItems):
        return list(value.items)
    if isinstance(value, DictEntries):
        return [key for key, _ in value.entries]
    return list(value) if isinstance(value, tuple | set | frozenset | dict | str) else value


def _as_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

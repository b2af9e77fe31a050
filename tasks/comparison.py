"""Comparisons of a result with the expected one, over plain values.

The values are rebuilt from text, so no `__eq__` of the tested program is called. Knows no task.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from tasks.errors import BadTask, did_you_mean

Kind = Literal["equal", "exact", "close", "truth", "items", "json"]
"""How two values are compared. Given tolerances apply to numbers; nan always equals nan.

equal   like Python's `==` (1 == True == 1.0; a list equals no tuple; sets by content)
exact   equal, and of the same type at every depth (`is True`, doctests)
close   equal, with a required tolerance
truth   the result's truth value (`assert f(x)`)
items   the result's items as a list (`list(f(x))`: generators, map); the runner reads an iterator to its end
json    like items, and tuples equal lists at every depth, as in data that went through JSON
"""


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
        if self.reads_items and isinstance(actual, tuple | set | frozenset | dict | str):
            actual = list(actual)
        return self._same(expected, actual)

    def _same(self, expected: object, actual: object) -> bool:
        if self.kind == "exact" and type(expected) is not type(actual):
            return False
        if self.kind == "json":
            expected, actual = _as_list(expected), _as_list(actual)
        match expected, actual:
            case (list(), list()) | (tuple(), tuple()):
                return self._same_items(cast(Sequence[object], expected), cast(Sequence[object], actual))
            case dict(), dict():
                return expected.keys() == actual.keys() and all(
                    self._same(value, actual[key]) for key, value in expected.items()
                )
            case int() | float(), int() | float():
                return self._same_number(expected, actual)
        return expected == actual

    def _same_items(self, expected: Sequence[object], actual: Sequence[object]) -> bool:
        return len(expected) == len(actual) and all(map(self._same, expected, actual))

    def _same_number(self, expected: float, actual: float) -> bool:
        if expected == actual:
            return True
        if not (self.absolute or self.relative) or isinstance(expected, bool) or isinstance(actual, bool):
            return expected != expected and actual != actual
        if math.isnan(expected) or math.isinf(expected) or not math.isfinite(actual):
            return expected != expected and actual != actual
        return abs(expected - actual) <= max(self.absolute, self.relative * abs(expected))


EQUAL = Comparison()


def _as_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value

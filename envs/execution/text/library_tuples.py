"""Named tuples of the library as values: `DecimalTuple(0, (1, 2, 5), -2)`, `LinearRegression(2.0, 0.0)`.

Each is written by its items, which make it again. What a program gets from a class of its own stands elsewhere
(`own_value_text`). Knows no frame.
"""

import difflib
import statistics
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Protocol


class _Writes(Protocol):
    """The part of an object renderer that is asked for."""

    def items(self, values: Iterable[object]) -> str: ...


def _parts(name: str) -> Callable[[_Writes, Any], str]:
    return lambda renderer, value: f"{name}({renderer.items(value)})"


_NAMED: dict[str, type] = {
    "DecimalTuple": type(Decimal(0).as_tuple()),
    "MatchingBlock": type(difflib.SequenceMatcher(None, "", "").find_longest_match(0, 0, 0, 0)),
    "LinearRegression": statistics.LinearRegression,
}
"""`difflib` calls its own `Match`, as `re` does."""
VALUES: dict[type, Callable[[Any, Any], str]] = {kind: _parts(name) for name, kind in _NAMED.items()}
"""Immutable values, written out where they stand."""
MAKERS: dict[str, Callable[..., object]] = dict(_NAMED)
"""Makes each kind again from its parts."""

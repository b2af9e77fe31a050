"""Addresses, paths and named tuples of the library: `PurePosixPath('/src/a.py')`, `DecimalTuple(0, (1, 5), -1)`.

A path of a real file system is none, since it can ask for files. Knows no frame.
"""

import difflib
import statistics
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, Protocol
from urllib.parse import DefragResult, ParseResult, SplitResult


class _Writes(Protocol):
    """The part of an object renderer that is asked for."""

    def items(self, values: Iterable[object]) -> str: ...


def _parts(kind: str) -> Callable[[_Writes, Any], str]:
    return lambda renderer, value: f"{kind}({renderer.items(value)})"


def _path(renderer: _Writes, value: PurePosixPath) -> str:
    return f"PurePosixPath({renderer.items((str(value),))})"


_NAMED: dict[str, type] = {
    **{kind.__name__: kind for kind in (SplitResult, ParseResult, DefragResult)},
    "DecimalTuple": type(Decimal(0).as_tuple()),
    "LinearRegression": statistics.LinearRegression,
    "MatchingBlock": type(difflib.SequenceMatcher(None, "", "").find_longest_match(0, 0, 0, 0)),
}
"""`difflib` calls its own `Match`, as `re` does."""
VALUES: dict[type, Callable[[Any, Any], str]] = {kind: _parts(name) for name, kind in _NAMED.items()}
VALUES[PurePosixPath] = _path
"""Immutable values, written out where they stand."""
MAKERS: dict[str, Callable[..., object]] = {**_NAMED, "PurePosixPath": PurePosixPath}
"""Makes each kind again from its parts."""

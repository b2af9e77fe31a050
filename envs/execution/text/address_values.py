"""Addresses and paths as values: `SplitResult('http', 'a.b', '/c', 'd=1', '')`, `PurePosixPath('/src/a.py')`.

A path of a real file system is none, since it can ask for files. Knows no frame.
"""

from collections.abc import Callable, Iterable
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


_KINDS: tuple[type, ...] = (SplitResult, ParseResult, DefragResult)
VALUES: dict[type, Callable[[Any, Any], str]] = {kind: _parts(kind.__name__) for kind in _KINDS}
VALUES[PurePosixPath] = _path
"""Immutable values, written out where they stand."""
MAKERS: dict[str, Callable[..., object]] = {kind.__name__: kind for kind in (*_KINDS, PurePosixPath)}
"""Makes each kind again from its parts."""

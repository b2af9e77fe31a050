"""A function cache that is bounded in bytes, for functions of texts and programs.

    @bounded_cache(16 * MIB, per_character=80)
    def tree_of(source: str) -> ast.Module: ...

`functools.lru_cache` bounds entries, and an entry can be a megabyte. Here each entry counts with an estimate, from the
characters of its arguments; when the estimates exceed the bound, all entries are dropped. A hit costs what it costs in
`functools.cache`. `empty_caches` drops everything, between two tasks for example. docs/memory.md lists the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache, wraps
from typing import Any, TypeVar

T = TypeVar("T")
MIB = 1 << 20
ENTRY_BYTES = 300
"""Of an entry without its texts: its place in the dict, the key, and small objects."""
BOUNDS: dict[str, int] = {}
"""Bytes by the full name of each function that is cached this way."""
_EMPTY: list[Callable[[], None]] = []
"""What empties each of these caches."""


def bounded_cache(most_bytes: int, *, per_character: float = 2) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Cache a function's results; an entry counts `per_character` bytes for each character of its arguments."""

    def decorate(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        held = 0

        @cache
        @wraps(function)
        def cached(*arguments: Any, **options: Any) -> T:
            nonlocal held
            found = function(*arguments, **options)
            own = ENTRY_BYTES + int(per_character * sum(map(characters, arguments)))
            held += own
            if held > most_bytes:
                cached.cache_clear()
                held = own
            return found

        def empty() -> None:
            nonlocal held
            cached.cache_clear()
            held = 0

        _EMPTY.append(empty)
        BOUNDS[f"{function.__module__}.{function.__qualname__}"] = most_bytes
        return cached

    return decorate


def empty_caches() -> None:
    """Drop the entries of every cache of this kind; results do not change, they are computed again."""
    for empty in _EMPTY:
        empty()


def characters(value: object) -> int:
    """The characters of a text, of a program's source, or of all texts in a tuple or a dataclass; else 1."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, tuple | frozenset):
        return sum(map(characters, value))
    source = getattr(value, "source", None)
    if isinstance(source, str):
        return len(source)
    return sum(characters(getattr(value, name)) for name in getattr(value, "__dataclass_fields__", ())) or 1

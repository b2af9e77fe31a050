"""A cache for functions of a text whose size in bytes is bounded, however long the texts are.

`lru_cache` bounds the number of entries only, and texts come from programs and models: 65,536 texts of a megabyte are
64 GiB.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

LONGEST = 1_000
"""Characters of a text that is cached among many."""
_FEW = 16
"""Longer texts that are cached: a loop over a long list asks for the same one at each turn."""

_Rest = ParamSpec("_Rest")
_Found = TypeVar("_Found")
_OfText = Callable[Concatenate[str, _Rest], _Found]


def text_cache(entries: int) -> Callable[[_OfText[_Rest, _Found]], _OfText[_Rest, _Found]]:
    """Caches a function by its arguments, the first of which is a text: `entries` short texts, and a few long ones."""

    def wrap(function: _OfText[_Rest, _Found]) -> _OfText[_Rest, _Found]:
        short, long = lru_cache(maxsize=entries)(function), lru_cache(maxsize=_FEW)(function)

        @wraps(function)
        def cached(text: str, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Found:
            return (short if len(text) <= LONGEST else long)(text, *rest, **named)  # type: ignore[arg-type]

        return cached

    return wrap

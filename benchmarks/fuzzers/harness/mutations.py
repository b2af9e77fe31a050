"""Strategies of texts and JSON values: from pieces, nested deep, and by small changes to values that are valid."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from benchmarks.fuzzers.harness.fuzzer import Data

ODD = ["\x00", "\x1b[2J", "\ud800", "\ufeff", "\u2028", "\x85", "é", "𝟙", "٣", "\r", "\n", "\t", "'", '"', "\\", "#",
    "%", "9" * 400]  # fmt: skip
"""Texts that readers tend to forget."""
ODD_NUMBERS = [0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 10**400, 1e308, 5e-324, -0.0, True, False]


def pieces(words: Sequence[str], most: int = 12) -> st.SearchStrategy[str]:
    """Texts joined from given words and odd ones."""
    return st.lists(st.sampled_from([*words, *ODD]) | st.text(max_size=4), max_size=most).map("".join)


def nested(opening: str, inside: str, closing: str, deepest: int = 3_000) -> st.SearchStrategy[str]:
    """One text within brackets within brackets."""
    return st.integers(1, deepest).map(lambda depth: opening * depth + inside + closing * depth)


def repeated(words: Sequence[str], most: int = 3_000) -> st.SearchStrategy[str]:
    """One word many times."""
    return st.builds(lambda word, times: word * times, st.sampled_from(words), st.integers(1, most))


@st.composite
def changed_text(draw: st.DrawFn, texts: st.SearchStrategy[str], words: Sequence[str] = ()) -> str:
    """A text with up to four spans cut out, doubled, moved or replaced by a word."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        new = draw(st.sampled_from(["", text[start:end] * 2, *words, *ODD]))
        text = text[:start] + new + text[end if draw(st.booleans()) else start :]
    return text


def json_values(leaves: st.SearchStrategy[Data] | None = None) -> st.SearchStrategy[Data]:
    """Any JSON value, with odd numbers and texts in it."""
    plain = st.none() | st.sampled_from(ODD_NUMBERS) | st.integers() | st.floats() | st.text(max_size=8)
    return st.recursive(
        plain | st.sampled_from(ODD) if leaves is None else plain | leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
        max_leaves=12,
    )


@st.composite
def changed_json(draw: st.DrawFn, values: st.SearchStrategy[Data], words: Sequence[str] = ()) -> Data:
    """A JSON value with some of its parts removed, doubled or replaced by other values."""
    value = draw(values)
    for _ in range(draw(st.integers(1, 3))):
        value = _changed(draw, value, words)
    return value


def _changed(draw: st.DrawFn, value: Data, words: Sequence[str]) -> Data:
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: each for name, each in value.items() if name != key}
        return rest if not draw(st.integers(0, 4)) else value | {key: _changed(draw, value[key], words)}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(value) - 1))
        make: Callable[[], Data] = draw(
            st.sampled_from([list, lambda: [value[at]] * 2, lambda: [_changed(draw, value[at], words)]])
        )
        return [*value[:at], *make(), *value[at + 1 :]]
    if isinstance(value, str) and draw(st.booleans()):
        return draw(changed_text(st.just(value), words))
    return draw(json_values(st.sampled_from(words) if words else None))


@st.composite
def changed_leaf(draw: st.DrawFn, values: st.SearchStrategy[Data]) -> Data:
    """A JSON value of the same shape with one of its texts changed."""
    value = draw(values)
    paths = list(_text_paths(value, ()))
    return _replaced(draw, value, draw(st.sampled_from(paths))) if paths else value


def _text_paths(value: Data, above: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, str):
        yield above
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _text_paths(part, (*above, key))


def _replaced(draw: st.DrawFn, value: Data, path: tuple[Any, ...]) -> Data:
    if not path:
        return draw(changed_text(st.just(value)))
    changed = _replaced(draw, value[path[0]], path[1:])
    if isinstance(value, dict):
        return value | {path[0]: changed}
    return [*value[: path[0]], changed, *value[path[0] + 1 :]]

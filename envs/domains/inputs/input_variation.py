"""Inputs like those of a task's tests: their arguments with one to three changes that keep every type.

New numbers, strings and items are made from those that the tests contain, so that most inputs are ones the program's
author would accept. Two programs that agree on all of them probably mean the same. Knows no program and runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tasks.errors import NotPlain
from tasks.reading.constant_folding import fold
from tasks.reading.program_text import parse
from tasks.task import CallTest, Test
from tasks.value import write_value

CHANGES = (1, 1, 2, 3)
"""Numbers of changes of one input."""
CROSSED = 0.3
"""How often one argument is first taken from another test."""
TRIES = 10
"""Draws for each input that is wanted; most tasks have few tests, so many draws are repetitions."""


@dataclass(slots=True)
class Vocabulary:
    """The plain values of the tests, by type: what new values are made from."""

    integers: list[int] = field(default_factory=list)
    floats: list[float] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)

    def add(self, value: object) -> None:
        """Take in a value and all that it contains."""
        match value:
            case bool():
                pass
            case int():
                self.integers.append(value)
            case float():
                self.floats.append(value)
            case str():
                self.strings.append(value)
            case dict():
                self.add([*value, *value.values()])
            case list() | tuple() | set() | frozenset():
                for item in value:
                    self.add(item)

    @property
    def characters(self) -> str:
        return "".join(sorted(set("".join(self.strings)))) or "a"

    @property
    def has_negative(self) -> bool:
        return any(number < 0 for number in (*self.integers, *self.floats))


@dataclass(frozen=True, slots=True)
class _Call:
    """The arguments of one call; an argument that is no plain value keeps its text."""

    values: tuple[Any, ...]
    keywords: tuple[str | None, ...]
    """The keyword of each argument; None for a positional one."""

    def text(self) -> str:
        named = zip(self.keywords, map(write_value, self.values), strict=True)
        return ", ".join(text if name is None else f"{name}={text}" for name, text in named)


def varied_inputs(tests: Iterable[Test], rng: Random, count: int) -> list[str]:
    """At most `count` different argument texts that no test has; fewer where the tests allow no more."""
    calls = [call for test in tests if isinstance(test, CallTest) and (call := _read(test.arguments)) is not None]
    known = {call.text() for call in calls}
    vocabulary = Vocabulary()
    for call in calls:
        vocabulary.add(list(call.values))
    found: dict[str, None] = {}
    for _ in range(count * TRIES if calls else 0):
        text = _varied(rng.choice(calls), calls, vocabulary, rng).text()
        if text not in known:
            found[text] = None
        if len(found) == count:
            break
    return list(found)


def _read(arguments: str) -> _Call | None:
    """The arguments of a call as plain values; None where one of them is none."""
    [statement] = parse(f"f({arguments}\n)").body
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
        return None
    try:
        values = tuple(fold(node) for node in (*call.args, *(keyword.value for keyword in call.keywords)))
    except NotPlain:
        return None
    return _Call(values, (*(None for _ in call.args), *(keyword.arg for keyword in call.keywords)))


def _varied(call: _Call, others: Sequence[_Call], vocabulary: Vocabulary, rng: Random) -> _Call:
    values = list(call.values)
    if not values:
        return call
    other = rng.choice(others)
    if rng.random() < CROSSED and other.keywords == call.keywords:
        at = rng.randrange(len(values))
        values[at] = other.values[at]
    for _ in range(rng.choice(CHANGES)):
        at = rng.randrange(len(values))
        values[at] = changed(values[at], vocabulary, rng)
    return _Call(tuple(values), call.keywords)


def changed(value: Any, vocabulary: Vocabulary, rng: Random) -> Any:
    """The value with one change that keeps its type; the value itself where no change is known."""
    match value:
        case bool():
            return not value
        case int():
            return rng.choice(list(_integers(value, vocabulary)))
        case float():
            return rng.choice(list(_floats(value, vocabulary)))
        case str():
            return rng.choice(list(_strings(value, vocabulary, rng)))
        case list():
            return _changed_list(value, vocabulary, rng)
        case tuple() if value:
            return tuple(_with_item_changed(list(value), vocabulary, rng))
        case set() | frozenset() if value:
            return type(value)(_changed_list(sorted(value, key=repr), vocabulary, rng))
        case dict() if value:
            return _changed_dict(value, vocabulary, rng)
    return value


def _integers(value: int, vocabulary: Vocabulary) -> Iterator[int]:
    for number in (value + 1, value - 1, value * 2, value // 2, value + 10, 0, 1, -value, *vocabulary.integers):
        if number >= 0 or vocabulary.has_negative:
            yield number


def _floats(value: float, vocabulary: Vocabulary) -> Iterator[float]:
    for number in (value + 1, value - 1, value * 2, value / 2, value + 0.5, 0.0, -value, *vocabulary.floats):
        if number >= 0 or vocabulary.has_negative:
            yield number


def _strings(value: str, vocabulary: Vocabulary, rng: Random) -> Iterator[str]:
    at, new = rng.randrange(len(value) + 1), rng.choice(vocabulary.characters)
    yield value[:at] + new + value[at:]
    yield rng.choice(vocabulary.strings or [value])
    if value:
        at = rng.randrange(len(value))
        yield value[:at] + value[at + 1 :]
        yield value[:at] + new + value[at + 1 :]
        yield value[:at] + value[at] + value[at:]
        yield value[::-1]


def _changed_list(value: list[Any], vocabulary: Vocabulary, rng: Random) -> list[Any]:
    if not value:
        return value
    at, other = rng.randrange(len(value)), rng.randrange(len(value))
    match rng.randrange(6):
        case 0 if len(value) > 1:
            return value[:at] + value[at + 1 :]
        case 1:
            return [*value[:at], value[other], *value[at:]]
        case 2:
            return [*value[:at], changed(value[other], vocabulary, rng), *value[at:]]
        case 3 if at != other:
            swapped = list(value)
            swapped[at], swapped[other] = value[other], value[at]
            return swapped
    return _with_item_changed(value, vocabulary, rng)


def _with_item_changed(value: list[Any], vocabulary: Vocabulary, rng: Random) -> list[Any]:
    at = rng.randrange(len(value))
    return [*value[:at], changed(value[at], vocabulary, rng), *value[at + 1 :]]


def _changed_dict(value: dict[Any, Any], vocabulary: Vocabulary, rng: Random) -> dict[Any, Any]:
    key = rng.choice(list(value))
    match rng.randrange(3):
        case 0 if len(value) > 1:
            return {name: item for name, item in value.items() if name != key}
        case 1:
            return {**value, changed(key, vocabulary, rng): value[key]}
    return {**value, key: changed(value[key], vocabulary, rng)}

"""Functions and lambdas that were made inside others and share no variable with them, alone and within rows.

A frame writes one as `double@60()`. Each recipe is `(rng, *values drawn before) -> function or container of functions`.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from cwm_agent.training.values import everyday_texts, scalars, texts
from cwm_agent.training.values.further import closure_values

_NAMES = (
    "double square check rule scale shout bump clean keep drop score rank fold step emit handler task action "
    "by_size by_name is_even is_short to_text wrapper inner helper visit render parse build"
).split()


def _made() -> tuple[Callable[..., object], ...]:
    rng, found = Random(26), []
    for _ in range(240):
        name = rng.choice(_NAMES)
        made = f"return lambda {rng.choice('xvnsa')}: 0" if rng.random() < 0.4 else f"def {name}(x):\n        return x"
        inner = made if made.startswith("return") else f"{made}\n    return {name}"
        source = "\n" * rng.randint(0, 70) + f"def outer():\n    {inner}"
        space: dict[str, Any] = {}
        exec(compile(source, "<line>", "exec"), space)  # noqa: S102
        found.append(space["outer"]())
    return tuple(found)


_MADE = _made()


def inner_function(rng: Random) -> object:
    return rng.choice(_MADE)


def any_function(rng: Random) -> object:
    """Mostly one without variables, else any function."""
    return inner_function(rng) if rng.random() < 0.65 else closure_values.callable_value(rng)


def _label(rng: Random) -> object:
    return rng.choice((texts.word, everyday_texts.phrase, scalars.small, scalars.integer))(rng)


def function_row(rng: Random) -> tuple[object, ...]:
    """A function with one or two plain values before or behind it."""
    row = [any_function(rng), *(_label(rng) for _ in range(rng.randint(1, 2)))]
    rng.shuffle(row)
    return tuple(row)


def numbered_function(rng: Random) -> tuple[object, ...]:
    """A number and a pair of a number or a text and a function, as `enumerate` gives them."""
    return (rng.randint(-1, 9), (_label(rng), any_function(rng)))


def function_pair(rng: Random) -> tuple[object, ...]:
    return (any_function(rng), any_function(rng))


def function_rows(rng: Random) -> list[object]:
    return [function_row(rng) for _ in range(rng.randint(1, 3))]


def function_rows_walk(rng: Random) -> Iterator[object]:
    """An iterator over such rows, some of them in a tuple or numbered."""
    rows = function_rows(rng)
    chance = rng.random()
    if chance < 0.3:
        return enumerate(rows)
    return iter(tuple(rows) if chance < 0.6 else rows)


def functions_by_name(rng: Random) -> dict[str, object]:
    return {texts.word(rng): any_function(rng) for _ in range(rng.randint(1, 4))}

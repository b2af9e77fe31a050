"""Which values a draw can give and how likely each is, by rule: for draws with few possible values.

Values are texts, as in frames. A continuous draw, or one with more than `MOST_VALUES` values, has no table.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envs.execution.stepper.source_calls import GivenArguments, text_of_result

MOST_VALUES = 1_000
DrawTable = dict[str, float]
"""The possible values of a draw as texts, with their probabilities."""


def draw_table(method: str, given: GivenArguments, heap: Mapping[int, str]) -> DrawTable | None:
    """The distribution of one draw; None where it is continuous, too large, or no draw of one value.

    >>> draw_table("randint", GivenArguments(("1", "2")), {})
    {'1': 0.5, '2': 0.5}
    """
    values, keywords = given.live(heap)
    rule = _TABLES.get(method)
    try:
        possible = None if rule is None else rule(*values, **keywords)
    except (TypeError, ValueError):  # the call itself raises
        return None
    if not possible or len(possible[0]) > MOST_VALUES:
        return None
    return _merged(*possible)


def _merged(values: Sequence[Any], weights: Sequence[float] | None) -> DrawTable | None:
    shares = [1.0] * len(values) if weights is None else list(weights)
    total = sum(shares)
    if not total > 0:
        return None
    table: DrawTable = {}
    for value, weight in zip(values, shares, strict=True):
        text = text_of_result(value)
        table[text] = table.get(text, 0.0) + weight / total
    return table


Possible = tuple[Sequence[Any], Sequence[float] | None]


def _randint(low: int, high: int) -> Possible:
    return range(low, high + 1), None


def _randrange(start: int, stop: int | None = None, step: int = 1) -> Possible:
    return (range(start) if stop is None else range(start, stop, step)), None


def _choice(seq: Sequence[Any]) -> Possible:
    return seq, None


def _choices(population: Sequence[Any], weights: Sequence[float] | None = None, *, k: int = 1) -> Possible:
    if k != 1:
        raise ValueError(k)
    return [[item] for item in population], weights


def _getrandbits(k: int) -> Possible:
    return range(1 << min(k, 20)), None


_TABLES: dict[str, Callable[..., Possible]] = {
    "randint": _randint,
    "randrange": _randrange,
    "choice": _choice,
    "choices": _choices,
    "getrandbits": _getrandbits,
}

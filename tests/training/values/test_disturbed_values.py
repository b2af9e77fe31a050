"""Small changes of drawn operands: their kind and the identity of containers stay."""

from collections import Counter, OrderedDict, defaultdict, deque
from copy import deepcopy
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest

from cwm_agent.training.steps.line_examples import lines
from cwm_agent.training.values.changed.disturbed_values import disturbed

VALUES: list[object] = [
    "2024-03-01", "", 7, -12345, 3.75, True, b"ab", Decimal("1.20"), date(2024, 3, 1), datetime(2024, 3, 1, 8, 30),
    timedelta(0, 1800), (1, "a", (2,)), [3, "b", [4]], {"a": 1, "b": [2]}, {1, 2, 3}, deque([1, 2], 2),
    Counter("abca"), defaultdict(list, {"a": [1]}), OrderedDict(a=1, b=2), [], (), {}, set(), Decimal("NaN"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_change_keeps_the_kind_and_a_containers_identity(value: object) -> None:
    rng = Random(1)
    for _ in range(200):
        before = deepcopy(value)
        after = disturbed(rng, before)
        assert type(after) is type(value)
        if isinstance(value, list | dict | set | deque):
            assert after is before


@pytest.mark.parametrize("value", ["a plain text", 1234, [1, 2, 3], {"a": 1, "b": 2}, (1, 2), Decimal("4.25")])
def test_most_changes_change_something(value: object) -> None:
    rng = Random(2)
    assert sum(repr(disturbed(rng, deepcopy(value))) != repr(value) for _ in range(200)) > 150


def test_a_value_without_parts_that_can_change_stays() -> None:
    one = object()
    assert disturbed(Random(3), one) is one
    assert disturbed(Random(3), None) is None


def test_the_same_seed_draws_the_same_lines() -> None:
    first, second = lines(5), lines(5)
    assert [next(first) for _ in range(300)] == [next(second) for _ in range(300)]

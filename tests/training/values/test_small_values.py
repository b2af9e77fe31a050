"""Operands that are made small."""

from collections import Counter, deque
from itertools import islice
from random import Random

from cwm_agent.training.steps import line_examples
from cwm_agent.training.values.changed.small_values import Shrinker

SEEDS = range(200)


def test_containers_are_changed_in_place_and_hold_three_items_at_most() -> None:
    """Names for one object still name one."""
    for seed in SEEDS:
        small = Shrinker(Random(seed)).small
        for value in (
            list(range(9)),
            deque("abcdef", 6),
            {"a": 1, "b": 2, "c": 3, "d": 4},
            set("abcdef"),
            Counter("aabbccdd"),
        ):
            assert small(value) is value
            assert len(value) <= 3


def test_types_stay() -> None:
    """A line is still about the same kinds of values."""
    for seed in SEEDS:
        small = Shrinker(Random(seed)).small
        for value in (7, "seven", 7.5, True, b"seven", (1, "a"), None, int):
            assert type(small(value)) is type(value)
        assert small(None) is None
        assert small(int) is int


def test_what_was_equal_mostly_stays_equal() -> None:
    """A key that a dict has is found there again."""
    kept = 0
    for seed in SEEDS:
        small = Shrinker(Random(seed)).small
        kept += small([3, 5, 8])[:1] in ([], [small(3)])  # type: ignore[index]
    assert kept > 0.6 * len(SEEDS)


def test_a_part_of_a_text_mostly_stays_a_part() -> None:
    """`in`, `count` and `replace` still find something."""
    kept = 0
    for seed in SEEDS:
        small = Shrinker(Random(seed)).small
        whole, part = small("wedding gown"), small("ding")
        assert isinstance(whole, str)
        assert isinstance(part, str)
        kept += part in whole
    assert kept > 0.6 * len(SEEDS)


def test_some_lines_have_small_operands_and_python_runs_them() -> None:
    """The same seed gives the same lines."""
    found = list(islice(line_examples.lines(3), 1500))
    assert found == list(islice(line_examples.lines(3), 1500))
    assert 0.02 < sum(example.kind.startswith("small ") for example in found) / len(found) < 0.1

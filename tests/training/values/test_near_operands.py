"""Operands that almost fit: some do, some do not, and all are of the kind that a line expects."""

from collections.abc import Callable
from datetime import date, datetime
from random import Random

import pytest

from cwm_agent.training.patterns.pattern import pattern_family
from cwm_agent.training.values.changed import near_operands as near


def _is_read(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (near.near_iso_day, date.fromisoformat),
        (near.near_iso_moment, datetime.fromisoformat),
        (near.near_whole, int),
        (near.near_real, float),
    ],
)
def test_some_texts_are_read_and_some_are_not(make: Callable[[Random], str], read: Callable[[str], object]) -> None:
    rng = Random(0)
    share = sum(_is_read(read, make(rng)) for _ in range(500)) / 500
    assert 0.15 < share < 0.75


def test_some_stamps_fit_their_form() -> None:
    rng = Random(1)
    pairs = [(form, near.near_stamp(rng, form)) for form in (near.stamp_form(rng) for _ in range(500))]
    fitting = sum(_is_read(lambda text, form=form: datetime.strptime(text, form), text) for form, text in pairs)
    assert 0.2 < fitting / 500 < 0.75


def test_some_keys_and_parts_are_there() -> None:
    rng = Random(2)
    dicts, texts = [near.pair_dict(rng) for _ in range(400)], [near.dashed_text(rng) for _ in range(400)]
    keys = sum(near.near_pair(rng, entries) in entries for entries in dicts)
    parts = sum(near.near_long_part(rng, text) in text for text in texts)
    assert 0.4 < keys / 400 < 0.95
    assert 0.4 < parts / 400 < 0.9


def test_every_row_of_the_table_can_be_drawn() -> None:
    rng = Random(3)
    for pattern in pattern_family("near"):
        assert pattern.draw(rng).statement

"""Operands whose result is almost the plain one: each kind occurs, the plain one too."""

from random import Random

from cwm_agent.training.values.changed import near_results as near


def test_some_groups_do_not_match() -> None:
    rng = Random(0)
    missing = sum(None in near.optional_match(rng).groups() for _ in range(300))
    assert 60 < missing < 290


def test_some_entries_are_stored_anew_and_some_change_nothing() -> None:
    rng = Random(1)
    same = 0
    for _ in range(300):
        entries = near.kindred_dict(rng)
        key, value = near.kindred_key(rng, entries), near.kindred_value(rng, entries)
        assert value in entries.values()
        same += entries.get(key) == value
    assert 20 < same < 280


def test_iterators_give_pairs_or_items() -> None:
    rng = Random(2)
    given = [item for _ in range(200) for item in near.walked_pairs(rng)]
    pairs = sum(isinstance(item, tuple) for item in given)
    assert 0 < pairs < len(given)

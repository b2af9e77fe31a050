"""Confidence against truth: sums worked out by hand, and what must hold of a table."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.verification.statistics.calibration import EDGES, Calibration

ANSWERS = st.lists(st.tuples(st.floats(-60, 0), st.booleans()), min_size=1)


def gathered(*answers: tuple[float, bool]) -> Calibration:
    found = Calibration()
    for confidence, right in answers:
        found.add(math.log(confidence), right)
    return found


def test_brier_and_error_by_hand() -> None:
    """Two bins: 0.5 twice, right once: no gap; 0.96 twice, right once: a gap of 0.46 over half of the answers."""
    found = gathered((0.5, True), (0.5, False), (0.96, True), (0.96, False))
    assert found.brier == pytest.approx((0.25 + 0.25 + 0.0016 + 0.9216) / 4)
    assert found.error == pytest.approx(0.46 / 2)


def test_the_table_says_count_confidence_and_share_right_of_each_bin_that_holds_answers() -> None:
    record = gathered((0.6, True), (0.7, False), (1.0, True)).record()
    assert record is not None
    assert record["count"] == 3
    assert [(row["from"], row["count"], row["right"]) for row in record["table"]] == [(0.5, 2, 0.5), (0.999, 1, 1.0)]
    assert record["table"][0]["confidence"] == pytest.approx(0.65)


def test_without_answers_there_is_nothing_to_say() -> None:
    assert (Calibration().brier, Calibration().error, Calibration().record()) == (None, None, None)


@pytest.mark.parametrize("edge", EDGES[1:])
def test_a_confidence_on_an_edge_belongs_to_the_bin_that_begins_there(edge: float) -> None:
    found = gathered((edge * (1 + 1e-12), True))
    assert found.bins[EDGES.index(edge)].count == 1


def test_a_log_probability_a_hair_above_zero_counts_as_certain() -> None:
    found = Calibration()
    found.add(1e-12, True)
    assert found.brier == 0.0


@given(ANSWERS)
def test_every_answer_is_in_one_bin_and_the_error_is_never_more_than_one(answers: list[tuple[float, bool]]) -> None:
    found = Calibration()
    for logprob, right in answers:
        found.add(logprob, right)
    assert found.count == len(answers)
    assert found.error is not None
    assert found.brier is not None
    assert 0.0 <= found.error <= 1.0
    assert 0.0 <= found.brier <= 1.0

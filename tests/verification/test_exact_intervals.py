"""Exact intervals: right for small counts, never of zero width; paired tests count what differs."""

import pytest

from cwm_agent.studies.intervals import gap, gap_text, share
from cwm_agent.verification.statistics.exact_intervals import binomial_interval, marked, paired_test, widened
from cwm_agent.verification.statistics.survival import Interval


@pytest.mark.parametrize(
    ("right", "trials", "low", "high"),
    [
        pytest.param(20, 20, 0.8316, 1.0, id="all"),
        pytest.param(0, 20, 0.0, 0.1684, id="none"),
        pytest.param(5, 10, 0.1871, 0.8129, id="half"),
        pytest.param(1, 1, 0.025, 1.0, id="one"),
    ],
)
def test_a_share_has_its_clopper_pearson_interval(right: int, trials: int, low: float, high: float) -> None:
    found = binomial_interval(right, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert share([1.0] * right + [0.0] * (trials - right)) == (right / trials, found)


@pytest.mark.parametrize(("right", "trials"), [(0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(right: int, trials: int) -> None:
    with pytest.raises(ValueError, match="make no share"):
        binomial_interval(right, trials)


def test_the_paired_test_is_mcnemars_exact_test() -> None:
    """Eight pairs differ, seven in one direction: 2 * (1 + 8) / 2**8. Equal pairs say nothing."""
    first, second = [1.0] * 7 + [0.0] + [1.0] * 30, [0.0] * 7 + [1.0] + [1.0] * 30
    assert paired_test(first, second) == pytest.approx(18 / 256)
    assert paired_test(second, first) == pytest.approx(18 / 256)
    assert paired_test([1.0] * 5, [1.0] * 5) == 1.0


def test_equal_values_of_all_programs_still_leave_doubt() -> None:
    """Ten tasks at 2 executions of 50: up to 31 % of all tasks may be others."""
    value, interval = share([2.0] * 10, least=1.0, most=50.0)
    assert value == 2.0
    assert interval.low == pytest.approx(2 - 0.3085, abs=1e-3)
    assert interval.high == pytest.approx(2 + 48 * 0.3085, abs=1e-2)
    assert widened(Interval(1.0, 2.0), 10, 0.0, 9.0) == Interval(1.0, 2.0)


def test_a_gap_has_an_interval_and_a_p_value_or_is_none() -> None:
    ones = [{"program": at, "first": True} for at in range(6)]
    twos = [{"program": at, "first": False} for at in range(6)]
    found = gap(ones, twos, "first")
    assert found is not None
    assert (found.value, found.p, found.programs) == (1.0, 2 / 64, 6)
    assert found.interval.low < 1.0
    assert gap_text(found) == "+1.00 (+0.08 to +1.00, p 0.031)"
    assert gap_text(gap(ones, [], "first")) is None


def test_a_cell_of_few_programs_is_marked() -> None:
    assert (marked("3 of 19", 19), marked("3 of 20", 20)) == ("3 of 19 \\*", "3 of 20")

"""Hazards and survival: against numbers worked out by hand, and against what must always hold."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cwm_agent.verification.statistics.survival import (
    Interval,
    Observation,
    Point,
    Reach,
    bootstrap,
    hazards,
    paired_bootstrap,
    predicted_reach,
    reach,
    stratified,
    survival,
)

FAILED, CUT = "state", None


def seen(*rows: tuple[int, str | None]) -> list[Observation]:
    """Observations by time: an error at step t comes after t - 1 right ones; what was cut off at t had t right ones."""
    return [Observation(time - 1, event) if event else Observation(time) for time, event in rows]


def rounded(points: list[Point]) -> list[tuple[int, float]]:
    return [(point.depth, round(point.share, 9)) for point in points]


TEXTBOOK = seen((6, FAILED), (6, FAILED), (6, FAILED), (6, CUT), (7, FAILED), (9, CUT), (10, FAILED), (10, CUT), (11, CUT),
                (13, FAILED), (16, FAILED), (17, CUT), (19, CUT), (20, CUT), (22, FAILED), (23, FAILED), (25, CUT), (32, CUT),
                (32, CUT), (34, CUT), (35, CUT))  # fmt: skip
"""The 21 remission times of the 6-MP arm of Freireich's trial, the example of every textbook."""


def test_kaplan_meier_gives_the_textbook_numbers() -> None:
    points = survival(TEXTBOOK)
    assert [point.depth for point in points] == [0, 6, 7, 10, 13, 16, 22, 23]
    expected = [1.0, 0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482]
    assert [round(point.share, 4) for point in points] == expected


@pytest.mark.parametrize(
    ("observations", "points"),
    [
        ([], [(0, 1.0)]),
        (seen((5, CUT), (7, CUT)), [(0, 1.0)]),
        (
            seen((1, FAILED), (2, FAILED), (3, FAILED), (4, FAILED)),
            [(0, 1.0), (1, 0.75), (2, 0.5), (3, 0.25), (4, 0.0)],
        ),
        (seen((2, FAILED), (2, CUT), (4, FAILED), (5, CUT)), [(0, 1.0), (2, 0.75), (4, 0.375)]),
        (seen((1, CUT), (2, FAILED)), [(0, 1.0), (2, 0.0)]),
    ],
)
def test_kaplan_meier_by_hand(observations: list[Observation], points: list[tuple[int, float]]) -> None:
    assert rounded(survival(observations)) == points


def test_hazards_by_hand() -> None:
    observations = seen((4, "state"), (6, "action"), (10, CUT), (0, CUT))
    assert hazards(observations) == {
        "all": pytest.approx(0.1),
        "action": pytest.approx(0.05),
        "state": pytest.approx(0.05),
    }
    assert hazards([]) == {"all": 0.0}
    assert hazards(seen((5, CUT))) == {"all": 0.0}


@pytest.mark.parametrize(
    ("observations", "share", "found"),
    [
        (TEXTBOOK, 0.9, Reach(5, 5)),
        (TEXTBOOK, 0.5, Reach(22, 22)),
        (TEXTBOOK, 0.4, Reach(None, 35)),
        (seen((1, FAILED), (2, FAILED)), 0.5, Reach(1, 1)),
        (seen((1, FAILED)), 0.5, Reach(0, 0)),
        (seen((9, CUT)), 0.5, Reach(None, 9)),
        ([], 0.5, Reach(None, 0)),
    ],
)
def test_reach_is_the_last_depth_before_survival_falls_below(
    observations: list[Observation], share: float, found: Reach
) -> None:
    assert reach(observations, share) == found


@pytest.mark.parametrize(
    ("hazard", "share", "depth"),
    [
        (0.5, 0.5, 1.0),
        (0.5, 0.25, 2.0),
        (0.01, 0.5, 68.9676),
        (0.0, 0.5, math.inf),
        (1.0, 0.5, 0.0251),
        (0.02, 0.9, 5.2151),
    ],
)
def test_predicted_reach_is_what_a_constant_hazard_promises(hazard: float, share: float, depth: float) -> None:
    assert predicted_reach(hazard, share) == pytest.approx(depth, abs=1e-3)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        Observation(-1)


OBSERVATIONS = st.lists(
    st.builds(Observation, st.integers(0, 12), st.sampled_from([None, "state", "action", "malformed"])), max_size=25
)


@settings(max_examples=200, deadline=None)
@given(OBSERVATIONS)
def test_survival_never_rises_and_is_a_share(observations: list[Observation]) -> None:
    shares = [point.share for point in survival(observations)]
    assert all(0.0 <= later <= earlier <= 1.0 for earlier, later in pairwise(shares))


@settings(max_examples=100, deadline=None)
@given(OBSERVATIONS)
def test_hazards_of_the_kinds_add_up(observations: list[Observation]) -> None:
    rates = hazards(observations)
    assert rates["all"] == pytest.approx(sum(rate for kind, rate in rates.items() if kind != "all"))
    assert 0.0 <= rates["all"] <= 1.0


@settings(max_examples=100, deadline=None)
@given(OBSERVATIONS)
def test_a_higher_share_is_never_reached_farther(observations: list[Observation]) -> None:
    d90, d50 = reach(observations, 0.9), reach(observations, 0.5)
    assert d50.depth is None or (d90.depth is not None and d90.depth <= d50.depth)


def total(observations: list[Observation]) -> float:
    return hazards(observations)["all"]


def test_a_bootstrap_interval_holds_the_estimate_and_narrows_with_more_programs() -> None:
    rng = Random(5)

    def group() -> list[Observation]:
        return [Observation(rng.randint(0, 20), rng.choice(["state", None])) for _ in range(3)]

    few, many = [group() for _ in range(8)], [group() for _ in range(80)]
    widths = []
    for groups in (few, many):
        interval = bootstrap(groups, total, Random(1), draws=300)  # type: ignore[arg-type]
        point = total([each for part in groups for each in part])
        assert interval.low <= point <= interval.high
        widths.append(interval.high - interval.low)
    assert widths[1] < widths[0]


def test_a_bootstrap_is_the_same_for_the_same_seed_and_needs_a_program() -> None:
    groups = [seen((3, FAILED)), seen((5, CUT)), seen((9, FAILED))]
    one, two = (bootstrap(groups, total, Random(2), draws=50) for _ in range(2))  # type: ignore[arg-type]
    assert one == two
    with pytest.raises(ValueError, match="at least one program"):
        bootstrap([], total, Random(2))  # type: ignore[arg-type]


def test_a_paired_bootstrap_tells_a_real_difference_from_none() -> None:
    rng = Random(3)
    base = [rng.random() for _ in range(60)]
    better = [score + 0.2 + rng.uniform(-0.05, 0.05) for score in base]
    clear = paired_bootstrap(better, base, Random(1), draws=300)
    assert 0.15 < clear.low < 0.2 < clear.high < 0.25
    assert paired_bootstrap(base, base, Random(1), draws=50) == Interval(0.0, 0.0)


@pytest.mark.parametrize(("first", "second"), [([1.0], []), ([], []), ([1.0, 2.0], [1.0])])
def test_a_paired_bootstrap_needs_pairs(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match="equally long"):
        paired_bootstrap(first, second, Random(1))


def test_strata_double_in_length_and_are_told_apart() -> None:
    """Short runs that never err do not lend their survival to long ones that do."""
    short, long = [Observation(4)] * 9, [Observation(9, FAILED), Observation(11, FAILED), Observation(16)]
    found = stratified([*short, *long], [4] * 9 + [12, 12, 16])
    assert [(each.longest, each.rollouts) for each in found] == [(4, 9), (16, 3)]
    assert found[0].d50 == Reach(None, 4)
    assert found[0].hazard == 0.0
    assert found[1].hazard == pytest.approx(2 / (10 + 12 + 16))
    assert found[1].d50 == Reach(11, 11)


@given(st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=30))
def test_every_observation_is_in_one_stratum_that_holds_its_length(rows: list[tuple[int, bool]]) -> None:
    observations = [Observation(depth, FAILED if failed else None) for depth, failed in rows]
    lengths = [depth + failed for depth, failed in rows]
    found = stratified(observations, lengths)
    assert sum(each.rollouts for each in found) == len(rows)
    for each in found:
        inside = [
            length for length in lengths if each.longest // 2 < length <= each.longest or length <= 1 == each.longest
        ]
        assert len(inside) == each.rollouts

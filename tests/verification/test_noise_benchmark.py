"""The noise benchmark in small: known rates lie inside measured intervals, and hazards predict the depth reached."""

import xml.etree.ElementTree as ElementTree
from dataclasses import asdict

import pytest

from benchmarks.noise import (
    KNOWN,
    ReachPoint,
    Shape,
    counted,
    exact,
    hazards_of,
    reach_figure,
    reach_point,
    rolled,
    subject,
)
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates


@pytest.mark.parametrize("shape", ["straight", "branching"])
def test_known_rates_lie_inside_measured_intervals(shape: Shape) -> None:
    """Of 8 seeded runs at least 6, for action and for state errors each; the whole benchmark expects 95 of 100."""
    one, inner = subject(shape, 40), CachedOracle(exact())
    runs = [hazards_of(one, rolled(one, NoisyOracle(inner, KNOWN, "iid", seed), 16, 40)) for seed in range(8)]
    for kind, rate in asdict(KNOWN).items():
        assert sum(run[kind].holds(rate) for run in runs) >= 6


def test_no_noise_no_errors() -> None:
    one = subject("branching", 40)
    found = hazards_of(one, rolled(one, NoisyOracle(exact(), Rates(), "iid"), 3, 1_000))
    assert [(each.errors, each.low) for each in found.values()] == [(0, 0.0), (0, 0.0)]


def test_the_interval_of_no_error_in_a_hundred_is_the_rule_of_three() -> None:
    found = counted(0, 100)
    assert found.low == 0.0
    assert found.high == pytest.approx(0.0362, abs=1e-4)
    assert not counted(10, 100).holds(0.3)


@pytest.mark.parametrize("shape", ["straight", "branching"])
def test_the_measured_depth_is_close_to_the_prediction_of_the_hazard(shape: Shape) -> None:
    point = reach_point(shape, "iid", Rates(0.05, 0.05), rollouts=60, size=60)
    assert point.measured is not None
    assert abs(point.measured - point.predicted) < 5


def test_the_figure_is_svg_with_one_mark_per_measured_point() -> None:
    rates = {"action": 0.1, "state": 0.1, "hazard": 0.2, "predicted": 3.1}
    points = [
        ReachPoint(shape="straight", kind="iid", **rates, measured=3, at_least=3, low=2.0, high=4.0),
        ReachPoint(shape="branching", kind="systematic", **rates, measured=None, at_least=9, low=9.0, high=9.0),
    ]
    root = ElementTree.fromstring(reach_figure(points))  # noqa: S314
    titles = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert titles == ["straight, iid: 3.1, 3"]

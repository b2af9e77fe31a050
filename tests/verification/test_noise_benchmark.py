"""The noise benchmark in small: known rates lie inside measured intervals, and hazards promise the depth reached."""

import xml.etree.ElementTree as ElementTree
from dataclasses import asdict

import pytest

from benchmarks.noise import KNOWN, ReachPoint, Shape, counted, exact, hazards_of, reach_point, rolled, subject
from benchmarks.noise_parts.noise_figure import figure
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates


@pytest.mark.parametrize("shape", ["straight", "branching"])
def test_known_rates_lie_inside_measured_intervals(shape: Shape) -> None:
    """Of 8 seeded runs at least 6, for action and for state errors each; the whole run asks for 95 of 100."""
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
def test_the_measured_depth_is_about_what_the_hazard_promises(shape: Shape) -> None:
    point = reach_point(shape, "iid", Rates(0.05, 0.05), 60, 60)
    assert point.measured is not None
    assert abs(point.measured - point.predicted) < 5


def test_the_figure_is_svg_with_one_mark_a_point() -> None:
    points = [
        ReachPoint("straight", "iid", 0.1, 0.1, 0.2, 3.1, 3, 3, 2.0, 4.0),
        ReachPoint("branching", "systematic", 0.1, 0.1, 0.2, 3.1, None, 9, 9.0, 9.0),
    ]
    titles = [element for element in ElementTree.fromstring(figure(points)).iter() if element.tag.endswith("title")]  # noqa: S314
    assert len(titles) == 1

"""The noise benchmark in small: known rates lie inside measured intervals."""

from dataclasses import asdict

import pytest

from benchmarks.noise import KNOWN, Shape, counted, exact, hazards_of, rolled, subject
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

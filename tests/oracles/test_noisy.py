"""Noise at known rates: none at rate zero, as much as was asked for, and the same way twice where it is systematic."""

from math import sqrt

import pytest
from local_worlds import exact, queries_of, small, traced
from markov_programs import PROGRAMS

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import Answer, Query
from cwm_agent.oracles.wrappers.noise import BadRates, Kind, NoisyOracle, Rates
from cwm_agent.verification.statistics.survival import Observation, hazards
from cwm_agent.verification.verifier import compare
from envs.execution.stepper.stepper import Stepper

BRANCHING = "def f(n):\n    a, b = 1, 2\n    for i in range(n):\n        if a > b:\n            a, b = b, a\n        b = b + i\n    return a, b"


def all_queries() -> list[Query]:
    return [query for name in PROGRAMS for query in queries_of(*small(name), view="program")]


@pytest.mark.parametrize("kind", ["iid", "systematic"])
def test_zero_rates_are_identity(kind: Kind) -> None:
    queries = all_queries()
    assert NoisyOracle(exact(), Rates(), kind).imagine(queries) == exact().imagine(queries)


@pytest.mark.parametrize("kind", ["iid", "systematic"])
def test_at_rate_one_every_answer_leads_somewhere_else(kind: Kind) -> None:
    wrong = NoisyOracle(exact(), Rates(state=1.0), kind)
    for name in PROGRAMS:
        program, real = small(name)
        stepper, queries = Stepper(program), queries_of(program, real)
        for query, truth, lie in zip(queries, exact().imagine(queries), wrong.imagine(queries), strict=True):
            assert isinstance(truth.said, Answer)
            assert isinstance(lie.said, Answer)
            right = stepper.tell(query.frame, truth.said.effect)
            try:
                assert stepper.tell(query.frame, lie.said.effect) != right, query.question
            except (ValueError, LookupError):
                continue  # wrong enough not to be carried on with


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_the_measured_state_hazard_is_the_rate(rate: float) -> None:
    """Steps that went wrong among those the oracle was asked: within four standard errors of the rate."""
    program, real = traced(BRANCHING, "12")
    starts = [RolloutStart(program, real.frames[0], real)] * 150
    rollouts = imagine(starts, NoisyOracle(exact(), Rates(state=rate), "iid", seed=3), RolloutSettings())
    errors = sum(compare(program, each, real).divergence is not None for each in rollouts)
    asked = 0
    for each in rollouts:
        right = compare(program, each, real).depth
        marks = each.marks[1 : right + 2]
        asked += sum(mark == "imagined" for mark in marks)
    assert abs(errors / asked - rate) < 4 * sqrt(rate * (1 - rate) / asked)


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_the_measured_action_hazard_is_the_rate(rate: float) -> None:
    program, real = traced(BRANCHING, "12")
    starts = [RolloutStart(program, real.frames[0], real)] * 150
    noisy = NoisyOracle(exact(), Rates(action=rate), "iid", seed=3)
    rollouts = imagine(starts, noisy, RolloutSettings(guide=parse_guide("free")))
    compared = [compare(program, each, real) for each in rollouts]
    assert {each.divergence.kind for each in compared if each.divergence} <= {"action"}
    observations = [Observation(each.depth, each.divergence.kind if each.divergence else None) for each in compared]
    steps = sum(each.depth + (each.divergence is not None) for each in compared)
    asked = sum(
        sum(mark == "imagined" for mark in rollout.marks[1 : each.depth + 2])
        for rollout, each in zip(rollouts, compared, strict=True)
    )
    measured = hazards(observations)["all"] * steps / asked
    assert abs(measured - rate) < 4 * sqrt(rate * (1 - rate) / asked)


def test_systematic_noise_errs_the_same_way_twice_and_iid_does_not() -> None:
    queries, rates = all_queries(), Rates(action=0.3, state=0.3)
    systematic = NoisyOracle(exact(), rates, "systematic", seed=1)
    first = systematic.imagine(queries)
    assert systematic.imagine(queries) == first
    assert systematic.imagine(queries[::-1]) == first[::-1]
    assert NoisyOracle(exact(), rates, "systematic", seed=2).imagine(queries) != first
    iid = NoisyOracle(exact(), rates, "iid", seed=1)
    assert iid.imagine(queries) != iid.imagine(queries)


def test_a_wrong_line_is_one_of_those_allowed() -> None:
    program, real = traced(BRANCHING, "3")
    queries = [
        Query(each.program, each.frame, each.question, "program", lines=frozenset({each.frame.line, 5, 6}))
        for each in queries_of(program, real, "program")
    ]
    for query, prediction in zip(queries, NoisyOracle(exact(), Rates(action=1.0), "iid").imagine(queries), strict=True):
        assert isinstance(prediction.said, Answer)
        assert query.lines is not None
        assert prediction.said.line is None or prediction.said.line in query.lines


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(BadRates, match="from 0 to 1"):
        Rates(state=rate)


def test_the_name_tells_everything_that_decides_the_answers() -> None:
    assert NoisyOracle(exact(), Rates(0.1, 0.2), "iid", 5).name == "noisy:iid:action=0.1,state=0.2,seed=5(exact)"

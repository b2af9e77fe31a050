"""What `verify` adds up: what was not attempted is wrong, verdicts go by program, strata by length."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import cast

import pytest
from local_worlds import exact, traced

from cwm_agent.imagination.guides import GROUNDED, Guide
from cwm_agent.oracles.backends.no_oracle import NoOracle
from cwm_agent.oracles.protocol import Prediction, Query
from cwm_agent.oracles.wrappers.answer_cache import CachedOracle
from cwm_agent.oracles.wrappers.noise import NoisyOracle, Rates
from cwm_agent.verification.rollout_tally import RolloutTally, roll
from cwm_agent.verification.step_accuracy import Case, StepCounts, count_steps
from cwm_agent.verification.verification_table import table
from tasks.task import CallTest

PROGRAM, REAL = traced("def f(a):\n    b = a + 1\n    return b * 2", "1")
GOOD = Case("t-1#1", PROGRAM, REAL, test=CallTest("1", "4"), passes=True)
LOST = Case("t-1#2", None, None, "no such thing", test=CallTest("2", "6"), passes=False)


def tallied(*cases: Case, oracle: object = None, guide: Guide = GROUNDED) -> tuple[RolloutTally, StepCounts]:
    tally = RolloutTally("local", guide)
    asked = cast(NoOracle, oracle or exact())
    roll(cases, [tally], asked)
    return tally, count_steps(cases, asked, "local")


def test_a_case_without_a_real_run_counts_as_wrong_in_every_share() -> None:
    tally, counts = tallied(GOOD, LOST)
    found = tally.measured(counts)
    assert (found.programs, found.attempted) == (2, 1)
    assert (found.output_exact, found.trace_exact, found.step_exact) == (0.5, 0.5, 0.5)


def test_verdicts_are_counted_by_test_and_by_program() -> None:
    """One test is imagined to pass, one is unknown: the program as a whole is unknown, and really fails."""
    tally, _ = tallied(GOOD, LOST)
    matrices = tally.matrices()
    assert dict(matrices["tests"].counts) == {("pass", True): 1, ("unknown", False): 1}
    assert dict(matrices["programs"].counts) == {("unknown", False): 1}


def test_nothing_at_all_is_measured_without_an_error() -> None:
    found = RolloutTally("local", GROUNDED).measured(StepCounts())
    assert (found.programs, found.step_exact, found.d50, found.verdicts, found.calibration) == (
        0,
        0.0,
        None,
        None,
        None,
    )


def test_an_oracle_without_log_probabilities_has_no_calibration() -> None:
    tally, counts = tallied(GOOD, oracle=NoOracle())
    found = tally.measured(counts)
    assert found.calibration is None
    assert found.kinds == {"malformed": 1}
    assert (found.d50, found.d50_at_least) == (1, 1)  # the call itself is entered by rule


class Spending:
    """The exact oracle, at three tokens an answer."""

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [replace(each, tokens=3) for each in exact().imagine(queries)]


def test_tokens_of_single_steps_are_counted_where_the_rollouts_find_their_answers_in_the_cache() -> None:
    oracle, tally = CachedOracle(Spending()), RolloutTally("local", GROUNDED)
    counts = count_steps([GOOD], oracle, "local")
    roll([GOOD], [tally], oracle)
    found = tally.measured(counts)
    assert (found.step_tokens, found.tokens) == (6, 0)


def test_wrong_steps_are_kept_in_words_with_their_number() -> None:
    _, counts = tallied(GOOD, GOOD, oracle=NoisyOracle(exact(), Rates(state=1.0), "systematic"))
    (question, answer), times = counts.wrong.most_common(1)[0]
    assert question.startswith("v0 = v1")
    assert answer.startswith("v0=")
    assert times == 2


@pytest.mark.parametrize("word", ["true passes 1.000", "calibration of steps", "verdicts of programs", "output_exact"])
def test_the_table_shows_every_kind_of_figure(word: str) -> None:
    tally, counts = tallied(GOOD)
    run = {
        "file": "x",
        "rows": "all",
        "oracle": "exact",
        "view": "local",
        "guide": "grounded",
        **asdict(tally.measured(counts)),
    }
    assert word in table([run])

"""The verdict matrix: what was imagined of tests against what they really said."""

from collections.abc import Sequence

import pytest
from local_worlds import traced

from cwm_agent.imagination.rollout_loop import End, Rollout
from cwm_agent.verification.verdict_matrix import Imagined, VerdictMatrix, imagined_verdict, whole_verdict
from envs.execution.state.frames import Outcome
from tasks.comparison import Comparison
from tasks.task import CallTest

FRAME = traced("def f(x):\n    return x", "1")[1].frames[0]
HALF = CallTest("1", "0.5", Comparison("close", absolute=0.1))


def ended(outcome: Outcome | None, end: End = "outcome") -> Rollout:
    return Rollout((FRAME,), ("given",), end, outcome)


@pytest.mark.parametrize(
    ("test", "rollout", "verdict"),
    [
        pytest.param(CallTest("1", "1"), ended(Outcome("returned", "1")), "pass", id="the expected value"),
        pytest.param(CallTest("1", "1"), ended(Outcome("returned", "True")), "pass", id="an equal value"),
        pytest.param(CallTest("1", "1"), ended(Outcome("returned", "2")), "fail", id="another value"),
        pytest.param(CallTest("1", "1"), ended(Outcome("raised", "1")), "fail", id="raised"),
        pytest.param(CallTest("1", "1"), ended(Outcome("returned", "?object")), "fail", id="no plain value"),
        pytest.param(HALF, ended(Outcome("returned", "0.45")), "pass", id="close enough"),
        pytest.param(CallTest("1", "1"), ended(None, "truncated"), "unknown", id="cut off"),
        pytest.param(CallTest("1", "1"), ended(None, "malformed"), "unknown", id="malformed"),
        pytest.param(CallTest("1", "1"), ended(None, "unsupported"), "unknown", id="unsupported"),
    ],
)
def test_a_rollout_says_pass_fail_or_unknown(test: CallTest, rollout: Rollout, verdict: Imagined) -> None:
    assert imagined_verdict(rollout, test) == verdict


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "unknown"], "unknown"),
        (["unknown", "fail"], "fail"),
        (["fail", "pass"], "fail"),
    ],
)
def test_one_fail_fails_a_program_and_one_unknown_keeps_it_from_passing(
    verdicts: Sequence[Imagined], whole: Imagined
) -> None:
    assert whole_verdict(verdicts) == whole


def test_rates_are_shares_of_the_real_passes_and_fails_with_unknown_among_them() -> None:
    matrix = VerdictMatrix()
    for imagined, passes, times in [
        ("pass", True, 6),
        ("fail", True, 1),
        ("unknown", True, 3),
        ("pass", False, 2),
        ("fail", False, 8),
        ("unknown", False, 10),
    ]:
        for _ in range(times):
            matrix.add(imagined, passes)  # type: ignore[arg-type]
    record = matrix.record()
    assert record is not None
    assert record["pass"] == {"real_pass": 6, "real_fail": 2}
    assert record["unknown"] == {"real_pass": 3, "real_fail": 10}
    rates = {key: value for key, value in record.items() if key.endswith(("_rate", "_precision"))}
    assert rates == {
        "true_pass_rate": 0.6,
        "false_pass_rate": 0.1,
        "true_fail_rate": 0.4,
        "false_fail_rate": 0.1,
        "pass_precision": 0.75,
    }


def test_rates_without_a_test_to_count_are_none() -> None:
    assert VerdictMatrix().record() is None
    matrix = VerdictMatrix()
    matrix.add("unknown", True)
    record = matrix.record()
    assert record is not None
    assert (record["true_pass_rate"], record["false_pass_rate"], record["pass_precision"]) == (0.0, None, None)

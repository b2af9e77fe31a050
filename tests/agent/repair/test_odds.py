"""Odds of a candidate: which beliefs raise and lower them, and how real runs change the trust in a test."""

import math
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.odds import Trust, expected_share, log_odds, most_informative
from cwm_agent.agent.repair.partial_credit import NEARLY, closeness

FAILED, PASSED = False, True
shares = st.floats(0.0, 1.0)


def odds(
    *verdicts: bool | None, marks: tuple[bool, ...] = (FAILED, PASSED), confidence: float = 1.0, prior: float = 0.1
) -> float:
    beliefs = [Belief(verdict, confidence) for verdict in verdicts]
    return log_odds(prior, beliefs, [Trust() for _ in verdicts], marks)


def test_a_fixed_test_raises_the_odds_more_than_one_that_passed_before() -> None:
    assert odds(True, None) > odds(None, True) > odds(None, None) > odds(None, False)


def test_unknown_tests_leave_the_prior_as_it_is() -> None:
    assert odds(None, None) == math.log(0.1)


def test_one_failure_outweighs_the_prior_of_a_likely_edit() -> None:
    assert odds(False, True, prior=0.3) < odds(None, None, prior=0.05)


@given(confidence=shares)
def test_a_belief_with_less_confidence_changes_the_odds_less(confidence: float) -> None:
    neutral = odds(None, None)
    assert neutral <= odds(True, None, confidence=confidence) <= odds(True, None) + 1e-9
    assert odds(False, None) - 1e-9 <= odds(False, None, confidence=confidence) <= neutral


@given(rights=st.lists(st.booleans(), max_size=20))
def test_trust_lies_between_zero_and_one_and_follows_the_comparisons(rights: list[bool]) -> None:
    trust = Trust()
    for right in rights:
        before = trust.share
        trust.learn(right)
        assert 0.0 < trust.share < 1.0
        assert (trust.share > before) == right


def test_a_test_that_was_often_imagined_wrong_changes_the_odds_little() -> None:
    trust = Trust()
    for _ in range(4):
        trust.learn(False)
    found = log_odds(0.1, [Belief(True)], [trust], [FAILED])
    assert found < odds(True, None) - 1.0


def test_the_expected_share_counts_passes_part_credit_and_original_scores() -> None:
    trusts = [Trust(1.0, 0.0)] * 3
    original = (0.0, 1.0, 1.0)
    assert expected_share([None, None, None], trusts, original) is None
    assert expected_share([Belief(True), Belief(True), Belief(None)], trusts, original) == 1.0
    close = expected_share([Belief(False, close=0.8), Belief(True), Belief(True)], trusts, original)
    far = expected_share([Belief(False, close=0.1), Belief(True), Belief(True)], trusts, original)
    assert close is not None
    assert far is not None
    assert far < close < 1.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_closeness_is_one_for_equal_texts_only(expected: str, found: str) -> None:
    assert closeness(expected, found) == 1.0 if expected == found else 0.0 <= closeness(expected, found) <= NEARLY


def test_near_numbers_and_similar_lists_are_close() -> None:
    assert closeness("10", "11") > closeness("10", "50")
    assert closeness("[1, 2, 3]", "[1, 2]") > closeness("[1, 2, 3]", "None")


def test_a_sure_candidate_is_run_at_once() -> None:
    """Whatever could be learnt elsewhere, a candidate that is almost surely right gains most."""
    passes, fails = Belief(True), Belief(False)
    options = [(0.01, (fails, passes)), (0.9, (passes, passes)), (0.01, (passes, fails))]
    assert most_informative(options, [Trust(), Trust()], (FAILED, PASSED), Random(0)) == 1


def test_of_equal_odds_the_run_that_tests_more_beliefs_is_chosen() -> None:
    """Both candidates have the same odds; only the first one's run says whether the doubted test can be trusted."""
    doubted, sure = Trust(1.0, 1.0), Trust(30.0, 0.3)
    passes = Belief(True)
    one = (0.1, (passes, None))
    other = (math.exp(log_odds(*one, [doubted, sure], (FAILED, FAILED))), (None, None))
    rivals = [(0.08, (passes, None)) for _ in range(4)]
    found = most_informative([one, other, *rivals], [doubted, sure], (FAILED, FAILED), Random(0))
    assert found in (0, 2, 3, 4, 5)


def test_the_choice_is_the_same_for_the_same_seed() -> None:
    options = [(0.1 / (at + 1), (Belief(at % 2 == 0), Belief(True))) for at in range(20)]
    chosen = {most_informative(options, [Trust(), Trust()], (FAILED, PASSED), Random(3)) for _ in range(3)}
    assert len(chosen) == 1

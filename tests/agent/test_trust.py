"""Beliefs become odds: what speaks for a candidate, what against it, and how reality changes that."""

import math

from hypothesis import given
from hypothesis import strategies as st

from cwm_agent.agent.repair.beliefs import Belief
from cwm_agent.agent.repair.odds import Trust, expected_share, log_odds
from cwm_agent.agent.repair.partial_credit import NEARLY, closeness

FAILED, PASSED = False, True
shares = st.floats(0.0, 1.0)


def odds(
    *verdicts: bool | None, marks: tuple[bool, ...] = (FAILED, PASSED), sure: float = 1.0, prior: float = 0.1
) -> float:
    beliefs = [Belief(verdict, sure) for verdict in verdicts]
    return log_odds(prior, beliefs, [Trust() for _ in verdicts], marks)


def test_a_mended_test_speaks_for_a_candidate_more_than_one_that_passed_before() -> None:
    assert odds(True, None) > odds(None, True) > odds(None, None) > odds(None, False)


def test_unknown_says_nothing_and_leaves_the_prior() -> None:
    assert odds(None, None) == math.log(0.1)


def test_one_failure_outweighs_the_prior_of_a_likely_edit() -> None:
    assert odds(False, True, prior=0.3) < odds(None, None, prior=0.05)


@given(sure=shares)
def test_a_model_that_is_less_sure_moves_the_odds_less(sure: float) -> None:
    neutral = odds(None, None)
    assert neutral <= odds(True, None, sure=sure) <= odds(True, None) + 1e-9
    assert odds(False, None) - 1e-9 <= odds(False, None, sure=sure) <= neutral


@given(rights=st.lists(st.booleans(), max_size=20))
def test_trust_lies_between_nought_and_one_and_follows_what_was_seen(rights: list[bool]) -> None:
    trust = Trust()
    for right in rights:
        before = trust.share
        trust.learn(right)
        assert 0.0 < trust.share < 1.0
        assert (trust.share > before) == right


def test_a_test_that_was_imagined_wrong_often_says_little() -> None:
    trust = Trust()
    for _ in range(4):
        trust.learn(False)
    told = log_odds(0.1, [Belief(True)], [trust], [FAILED])
    assert told < odds(True, None) - 1.0


def test_promise_counts_passes_part_credit_and_what_was_before() -> None:
    trusts = [Trust(1.0, 0.0)] * 3
    before = (0.0, 1.0, 1.0)
    assert expected_share([None, None, None], trusts, before) is None
    assert expected_share([Belief(True), Belief(True), Belief(None)], trusts, before) == 1.0
    close = expected_share([Belief(False, close=0.8), Belief(True), Belief(True)], trusts, before)
    far = expected_share([Belief(False, close=0.1), Belief(True), Belief(True)], trusts, before)
    assert close is not None
    assert far is not None
    assert far < close < 1.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_closeness_is_one_for_equal_texts_only(wanted: str, found: str) -> None:
    assert closeness(wanted, found) == 1.0 if wanted == found else 0.0 <= closeness(wanted, found) <= NEARLY


def test_near_numbers_and_like_lists_are_close() -> None:
    assert closeness("10", "11") > closeness("10", "50")
    assert closeness("[1, 2, 3]", "[1, 2]") > closeness("[1, 2, 3]", "None")

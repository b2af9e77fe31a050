"""Trust in the imagination of each test, and the odds that a candidate is right.

A right candidate passes every test. A test imagined to pass raises a candidate's odds: more if imagination was often
right on that test, and more if wrong candidates seldom pass it. A test imagined to fail lowers the odds in the same
way. An unknown test changes nothing. The odds start from the prior of the edits. Knows no search and no programs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.beliefs import Belief

PASSED_BY_WRONG = 0.7
"""How often a candidate that is not right passes a test that the buggy program passes."""
PART_CREDIT = 0.4
"""Score of a wrong result that is as close as can be; a right result scores 1."""
FIXED_BY_WRONG = 0.1
"""How often a candidate that is not right passes a test that the buggy program fails."""


@dataclass(slots=True)
class Trust:
    """How often the imagination of one test was right and wrong; the counts start from a prior."""

    right: float = 3.0
    wrong: float = 0.3

    @property
    def share(self) -> float:
        return self.right / (self.right + self.wrong)

    def learn(self, was_right: bool, weight: float = 1.0) -> None:
        """Count one comparison with reality."""
        if was_right:
            self.right += weight
        else:
            self.wrong += weight

    def of(self, belief: Belief) -> float:
        """Probability that a belief is right: the share of right ones, drawn towards a half by low confidence."""
        return 0.5 + (self.share - 0.5) * belief.confidence


def log_odds(
    prior: float, beliefs: Sequence[Belief | None], trusts: Sequence[Trust], marks: Sequence[bool | None]
) -> float:
    """Logarithm of the odds that a candidate is right, up to a constant of the task."""
    found = math.log(max(prior, 1e-12))
    for belief, trust, mark in zip(beliefs, trusts, marks, strict=True):
        if belief is not None and belief.passes is not None:
            found += _evidence(belief.passes, trust.of(belief), PASSED_BY_WRONG if mark else FIXED_BY_WRONG)
    return found


def _evidence(passes: bool, right: float, by_wrong: float) -> float:
    """Logarithm of the likelihood ratio: this belief given a right candidate against a wrong one."""
    believed_pass = by_wrong * right + (1 - by_wrong) * (1 - right)
    return math.log(right / believed_pass) if passes else math.log((1 - right) / (1 - believed_pass))


def expected_share(
    beliefs: Sequence[Belief | None], trusts: Sequence[Trust], original_scores: Sequence[float]
) -> float | None:
    """Share of the tests that a candidate is expected to pass, with part credit for close results; None if unknown.

    `original_scores` are the scores of the buggy program's tests. A test that was not imagined counts half of its
    score there, since the candidate was dropped for failing others; an unknown test counts its score there.
    """
    if not any(belief is not None and belief.passes is not None for belief in beliefs):
        return None
    found = [
        0.5 * original if belief is None else original if belief.passes is None else _score(belief, trust)
        for belief, trust, original in zip(beliefs, trusts, original_scores, strict=True)
    ]
    return sum(found) / len(found)


def _score(belief: Belief, trust: Trust) -> float:
    chance = trust.of(belief)
    return chance if belief.passes else max(1 - chance, PART_CREDIT * belief.close)

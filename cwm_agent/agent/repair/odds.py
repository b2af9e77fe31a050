"""How far the imagination of each test is believed, and what that makes of a candidate: plain odds.

A right candidate passes every test. A test imagined to pass speaks for a candidate as strongly as imagination was right
on that test before and as seldom as wrong candidates pass it; a test imagined to fail speaks against it the same way;
the unknown says nothing. The prior of the edits comes first. Nothing here knows search or programs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.agent.repair.beliefs import Belief

PASSED_BY_WRONG = 0.7
"""How often a candidate that is not right passes a test that the buggy program passes."""
PART_CREDIT = 0.4
"""What a result that is all but right counts beside a right one."""
MENDED_BY_WRONG = 0.1
"""How often it passes one that the buggy program fails."""


@dataclass(slots=True)
class Trust:
    """How often the imagination of one test was right and wrong, counted from what is supposed at first."""

    right: float = 3.0
    wrong: float = 0.3

    @property
    def share(self) -> float:
        return self.right / (self.right + self.wrong)

    def learn(self, was_right: bool, weight: float = 1.0) -> None:
        """Take one comparison with reality."""
        if was_right:
            self.right += weight
        else:
            self.wrong += weight

    def of(self, belief: Belief) -> float:
        """How likely this belief is right: no more than the model itself was sure."""
        return 0.5 + (self.share - 0.5) * belief.sure


def log_odds(
    prior: float, beliefs: Sequence[Belief | None], trusts: Sequence[Trust], marks: Sequence[bool | None]
) -> float:
    """Logarithm of the odds that a candidate is right, up to a constant of the task."""
    found = math.log(max(prior, 1e-12))
    for belief, trust, mark in zip(beliefs, trusts, marks, strict=True):
        if belief is not None and belief.passes is not None:
            found += _evidence(belief.passes, trust.of(belief), PASSED_BY_WRONG if mark else MENDED_BY_WRONG)
    return found


def _evidence(passes: bool, right: float, by_wrong: float) -> float:
    """Logarithm of how much likelier this belief is of a right candidate than of a wrong one."""
    seen_pass = by_wrong * right + (1 - by_wrong) * (1 - right)
    return math.log(right / seen_pass) if passes else math.log((1 - right) / (1 - seen_pass))


def expected_share(beliefs: Sequence[Belief | None], trusts: Sequence[Trust], before: Sequence[float]) -> float | None:
    """Share of the tests that a candidate is expected to pass, with part credit for coming close; None if unknown.

    `before` is the same for each test of the buggy program. A test that was not imagined counts half of that, since the
    candidate was dropped for failing others; an unknown one counts as before.
    """
    if not any(belief is not None and belief.passes is not None for belief in beliefs):
        return None
    found = [
        0.5 * was if belief is None else was if belief.passes is None else _score(belief, trust)
        for belief, trust, was in zip(beliefs, trusts, before, strict=True)
    ]
    return sum(found) / len(found)


def _score(belief: Belief, trust: Trust) -> float:
    chance = trust.of(belief)
    return chance if belief.passes else max(1 - chance, PART_CREDIT * belief.close)

"""Trust in the imagination of each test, and the odds that a candidate is right.

A right candidate passes every test. A test imagined to pass raises a candidate's odds: more if imagination was often
right on that test, and more if wrong candidates seldom pass it. A test imagined to fail lowers the odds in the same
way. An unknown test changes nothing. The odds start from the prior of the edits. Knows no search and no programs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

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


def chance_among(logarithm: float, rivals: Sequence[tuple[float, float]]) -> float:
    """Probability that a candidate is right; `rivals` are priors and log odds of all candidates, itself included."""
    return math.exp(logarithm) / (_left(prior for prior, _ in rivals) + sum(math.exp(other) for _, other in rivals))


def _left(priors: Iterable[float]) -> float:
    """The prior of all candidates that were not imagined."""
    return max(1e-6, 1 - sum(priors))


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


MOST_RIVALS = 12
"""Candidates that are weighed against each other; the others have lower odds than all of these."""
LATER = 0.5
"""What a repair is worth that is found one run later."""
DRAWS = 8
"""Imagined results of each candidate's run, over which the gain is averaged."""


def most_informative(
    options: Sequence[tuple[float, Sequence[Belief | None]]],
    trusts: Sequence[Trust],
    marks: Sequence[bool | None],
    rng: Random,
) -> int:
    """The place of the candidate, given as prior and beliefs, whose real run gains most in one run and the next.

    The gain of a run is the chance that the candidate is right, and where it is not, `LATER` times the best chance of
    another one under the trust that the run teaches: a run also tests what is believed of the rivals.
    """
    scores = [log_odds(prior, beliefs, trusts, marks) for prior, beliefs in options]
    order = sorted(range(len(options)), key=lambda at: -scores[at])[:MOST_RIVALS]
    left = _left(prior for prior, _ in options)
    weights = {at: math.exp(scores[at]) for at in order}
    total = left + sum(math.exp(score) for score in scores)

    def gain(at: int) -> float:
        chance = weights[at] / total
        rivals = [options[other] for other in order if other != at]
        after = [_best_chance(rivals, _taught(options[at][1], trusts, rng), marks, left) for _ in range(DRAWS)]
        return chance + LATER * (1 - chance) * sum(after) / DRAWS

    return max(order, key=gain)


def _taught(beliefs: Sequence[Belief | None], trusts: Sequence[Trust], rng: Random) -> list[Trust]:
    """The trusts after one imagined run in which each belief proves right as often as it is trusted."""
    found = [Trust(trust.right, trust.wrong) for trust in trusts]
    for belief, trust in zip(beliefs, found, strict=True):
        if belief is not None and belief.passes is not None:
            trust.learn(rng.random() < trust.of(belief))
    return found


def _best_chance(
    rivals: Sequence[tuple[float, Sequence[Belief | None]]],
    trusts: Sequence[Trust],
    marks: Sequence[bool | None],
    left: float,
) -> float:
    """The chance of the best rival under some trusts; `left` is the weight of candidates that were not imagined."""
    weights = [math.exp(log_odds(prior, beliefs, trusts, marks)) for prior, beliefs in rivals]
    return max(weights, default=0.0) / (left + sum(weights))

"""Planning depth of a checkpoint, and how well errors per step predict it.

The survival law says that a rollout of n frames is right with probability (1 - e)^n. A plan of d commands is a rollout
of as many frames as its program has. `exponent` is the factor on n with which the law fits best: below 1, plans
tolerate more errors than rollouts.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.ladder_parts.ladder_points import LadderPoint, PlanCount
from cwm_agent.verification.statistics.exact_intervals import binomial_interval

HALF = 0.5
LEAST = 1e-6
"""Probabilities of a prediction stay so far from 0 and 1."""
PREDICTORS = ("action", "state", "both")


@dataclass(frozen=True, slots=True)
class PlanningDepth50:
    """The largest measured distance up to which at least half of the plans work."""

    depth: int
    low: int
    """The same with the lower ends of the exact intervals of all shares."""
    high: int
    """The same with the upper ends."""
    farthest: int
    """Of the measured distances; a depth as large as this is a lower bound."""


@dataclass(frozen=True, slots=True)
class LawFit:
    """How well errors per step of one kind predict plans that work, over cells of checkpoint and distance."""

    predictor: str
    cells: int
    deviance: float
    """Of (1 - e)^n, against shares that fit each cell."""
    exponent: float
    """Factor on n that fits best."""
    fitted: float
    """Deviance with this factor."""
    constant: float
    """Deviance of one share for all cells: what a predictor must beat."""


def depth_of(plans: Sequence[PlanCount]) -> PlanningDepth50 | None:
    """The planning depth with its interval; None where no plan was measured."""
    if not plans:
        return None
    shares = [(each.distance, each.worked / each.problems) for each in plans]
    ends = [(each.distance, binomial_interval(each.worked, each.problems)) for each in plans]
    low = _reached([(distance, interval.low) for distance, interval in ends])
    high = _reached([(distance, interval.high) for distance, interval in ends])
    return PlanningDepth50(_reached(shares), low, high, plans[-1].distance)


def _reached(shares: Sequence[tuple[int, float]]) -> int:
    """The last distance before the share falls below a half; 0 where the first does."""
    reached = 0
    for distance, share in shares:
        if share < HALF:
            break
        reached = distance
    return reached


def worked_share(plans: Sequence[PlanCount]) -> float:
    """The mean share of plans that work, over distances."""
    return sum(each.worked / each.problems for each in plans) / len(plans)


def survival_law(rate: float, frames: float, factor: float = 1.0) -> float:
    """The predicted share of rollouts of so many frames that are right, kept away from 0 and 1."""
    return min(1 - LEAST, max(LEAST, math.exp(factor * frames * math.log1p(-rate))))


def step_error(point: LadderPoint, predictor: str) -> float:
    """Errors per frame of one kind, or of either kind."""
    if predictor == "both":
        return 1 - (1 - point.action.rate) * (1 - point.state.rate)
    return point.error(predictor).rate


def deviance(cells: Sequence[tuple[int, int, float]]) -> float:
    """Twice the log-likelihood that predictions lose against the measured shares; cells are right, all, predicted."""
    total = 0.0
    for right, trials, predicted in cells:
        for count, expected in ((right, trials * predicted), (trials - right, trials * (1 - predicted))):
            total += count * math.log(count / expected) if count else 0.0
    return 2 * total


def law_fit(points: Sequence[LadderPoint], predictor: str) -> LawFit | None:
    """The law against the plans of all points; None where none was measured."""
    from scipy.optimize import minimize_scalar

    cells = [
        (each.worked, each.problems, step_error(point, predictor), point.frames(each.distance))
        for point in points
        for each in point.plans
    ]
    if not cells:
        return None

    def lost(factor: float) -> float:
        return deviance([(right, all_, survival_law(rate, frames, factor)) for right, all_, rate, frames in cells])

    best = minimize_scalar(lambda power: lost(math.exp(power)), bounds=(-8.0, 4.0), method="bounded")
    mean = sum(right for right, *_ in cells) / sum(all_ for _, all_, *_ in cells)
    flat = deviance([(right, all_, min(1 - LEAST, max(LEAST, mean))) for right, all_, *_ in cells])
    return LawFit(predictor, len(cells), lost(1.0), math.exp(float(best.x)), float(best.fun), flat)


def rank_correlation(points: Sequence[LadderPoint], predictor: str) -> tuple[float, float] | None:
    """Spearman's correlation of errors per step with the share of plans that work, and its p value.

    None where fewer than three checkpoints have plans, or where all errors or all shares are equal.
    """
    from scipy.stats import spearmanr

    pairs = [(step_error(point, predictor), worked_share(point.plans)) for point in points if point.plans]
    if len(pairs) < 3 or any(len(set(values)) < 2 for values in zip(*pairs, strict=True)):
        return None
    errors, shares = ([pair[at] for pair in pairs] for at in (0, 1))
    found = spearmanr(errors, shares)
    return float(found.statistic), float(found.pvalue)


def trace_cells(points: Sequence[LadderPoint], chosen: Callable[[int], bool]) -> list[tuple[int, int, float]]:
    """Whole free traces of some lengths: right, all, and what the law predicts of errors of either kind."""
    return [
        (each.free, each.programs, survival_law(step_error(point, "both"), each.frames / each.programs))
        for point in points
        for each in point.traces
        if chosen(each.swaps)
    ]

"""Survival analysis of rollouts: how many steps they equal the real run, with bootstrap intervals over programs.

An observation is one rollout: how many steps it stayed identical, and the error that ended this. The error is None if
the rollout was cut off or agreed to its end: the observation is then censored, and the number is a lower bound.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Observation:
    depth: int
    """Number of steps that were right."""
    event: str | None = None
    """The kind of the error at step `depth` + 1; None if none was seen."""

    def __post_init__(self) -> None:
        if self.depth < 0:
            raise ValueError(f"A depth of {self.depth} steps makes no sense.")


@dataclass(frozen=True, slots=True)
class Point:
    """Survival after `depth` steps."""

    depth: int
    share: float


@dataclass(frozen=True, slots=True)
class Reach:
    """The depth at which survival falls below a share; None with a lower bound where it never does."""

    depth: int | None
    at_least: int


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rollouts of similar length, for which survival is a fair estimate."""

    longest: int
    """Steps of the real run: more than half of this, and at most this."""
    rollouts: int
    hazard: float
    d50: Reach
    d90: Reach


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def hazards(observations: Sequence[Observation]) -> dict[str, float]:
    """Return the errors of each kind per step at risk; `all` is their sum."""
    at_risk = sum(each.depth + (each.event is not None) for each in observations)
    counts = Counter(each.event for each in observations if each.event is not None)
    rates = {kind: count / at_risk for kind, count in sorted(counts.items())} if at_risk else {}
    return {"all": sum(rates.values()), **rates}


def survival(observations: Sequence[Observation]) -> list[Point]:
    """Return the Kaplan-Meier estimate of the share still identical after each depth, for runs of similar length."""
    points, share = [Point(0, 1.0)], 1.0
    for depth, errors, at_risk in _risk_table(observations):
        share *= 1.0 - errors / at_risk
        points.append(Point(depth, share))
    return points


def _risk_table(observations: Sequence[Observation]) -> list[tuple[int, int, int]]:
    """Return the depths with errors, each with its number of errors and of rollouts at risk."""
    errors = Counter(each.depth + 1 for each in observations if each.event is not None)
    lasted = [each.depth + (each.event is not None) for each in observations]
    return [(depth, errors[depth], sum(last >= depth for last in lasted)) for depth in sorted(errors)]


def reach(observations: Sequence[Observation], share: float) -> Reach:
    """Return the last depth at which at least `share` were still identical."""
    longest = max((each.depth for each in observations), default=0)
    for point in survival(observations):
        if point.share < share:
            return Reach(point.depth - 1, point.depth - 1)
    return Reach(None, longest)


def stratified(observations: Sequence[Observation], lengths: Sequence[int]) -> list[Stratum]:
    """Group the observations by the length of their real runs, which doubles from stratum to stratum.

    Without strata, the error rate of short programs, which end early, would enter the estimate for long ones.
    """
    strata: dict[int, list[Observation]] = defaultdict(list)
    for each, length in zip(observations, lengths, strict=True):
        strata[1 << max(0, length - 1).bit_length()].append(each)
    return [
        Stratum(longest, len(found), hazards(found)["all"], reach(found, 0.5), d90=reach(found, 0.9))
        for longest, found in sorted(strata.items())
    ]


def predicted_reach(hazard: float, share: float) -> float:
    """Return the depth at which survival falls to `share` if every step has the same hazard."""
    if hazard <= 0.0:
        return math.inf
    return math.log(share) / math.log1p(-min(hazard, 1.0 - 1e-12))


def bootstrap(
    groups: Sequence[Sequence[T]],
    statistic: Callable[[Sequence[T]], float],
    rng: Random,
    *,
    draws: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return a bootstrap interval for a statistic; draws whole programs, because rollouts of one program are alike."""
    if not groups:
        raise ValueError("A bootstrap needs at least one program.")
    values = sorted(
        statistic([each for group in rng.choices(groups, k=len(groups)) for each in group]) for _ in range(draws)
    )
    return _interval(values, level)


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], rng: Random, *, draws: int = 1000, level: float = 0.95
) -> Interval:
    """Return an interval for the mean difference of two scores of the same programs."""
    if len(first) != len(second) or not first:
        raise ValueError(f"A paired bootstrap needs two equally long lists, got {len(first)} and {len(second)}.")
    gaps = [one - other for one, other in zip(first, second, strict=True)]
    values = sorted(sum(rng.choices(gaps, k=len(gaps))) / len(gaps) for _ in range(draws))
    return _interval(values, level)


def _interval(values: Sequence[float], level: float) -> Interval:
    tail = (1.0 - level) / 2
    return Interval(values[int(tail * (len(values) - 1))], values[math.ceil((1.0 - tail) * (len(values) - 1))])

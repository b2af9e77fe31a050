"""Compares what a program that draws can end in, imagined and real: two samples of outcomes.

    total variation   half the sum of the differences of the shares: 0 for equal samples, 1 for disjoint ones. Two
                      samples of one distribution differ too, so the same figure of two real samples stands beside it.
    coverage          share of the real runs whose outcome some imagined run had
    calibration       of all outcomes of imagined and real runs: share imagined, beside the share of the real runs

Knows no program and no oracle.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BINS = 10
Shares = Mapping[str, float]


def shares(outcomes: Sequence[str]) -> dict[str, float]:
    """The share of each outcome."""
    return {value: count / len(outcomes) for value, count in Counter(outcomes).items()}


def total_variation(one: Shares, other: Shares) -> float:
    """Half the sum of the differences of two distributions.

    >>> total_variation({"a": 0.5, "b": 0.5}, {"a": 1.0})
    0.5
    """
    return sum(abs(one.get(value, 0.0) - other.get(value, 0.0)) for value in {*one, *other}) / 2


def coverage(imagined: Iterable[str], real: Sequence[str]) -> float:
    """The share of the real outcomes that are among the imagined ones."""
    known = set(imagined)
    return sum(value in known for value in real) / len(real)


@dataclass(slots=True)
class OutcomeCalibration:
    """Shares that were imagined beside shares that came about, in bins of the imagined share; holds only sums."""

    rows: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0, 0.0] for _ in range(BINS)])
    """Of each bin: how many outcomes, the sum of their imagined shares, the sum of their real ones."""

    def add(self, imagined: Shares, real: Shares) -> None:
        """Add one program."""
        for value in {*imagined, *real}:
            share = imagined.get(value, 0.0)
            row = self.rows[min(BINS - 1, int(share * BINS))]
            row[0] += 1
            row[1] += share
            row[2] += real.get(value, 0.0)

    @property
    def error(self) -> float | None:
        """The gaps of imagined and real share, summed over the bins, a program; None without programs."""
        total = sum(imagined for _, imagined, _ in self.rows)
        return sum(abs(imagined - real) for _, imagined, real in self.rows) / total if total else None

    def table(self) -> list[dict[str, float]]:
        """The bins that have outcomes."""
        return [
            {"from": place / BINS, "outcomes": count, "imagined": imagined / count, "real": real / count}
            for place, (count, imagined, real) in enumerate(self.rows)
            if count
        ]


@dataclass(frozen=True, slots=True)
class DistributionComparison:
    """One program: a sample of imagined outcomes beside two of real ones."""

    id: str
    total_variation: float
    between_real: float
    """Total variation of the two real samples: what chance alone gives."""
    coverage: float
    ended: float
    """Share of the imagined runs that came to an outcome at all."""

    @property
    def excess(self) -> float:
        """Total variation beyond that of two real samples."""
        return self.total_variation - self.between_real


def summary(found: Sequence[DistributionComparison], calibration: OutcomeCalibration) -> dict[str, Any]:
    """The figures of all programs: means, and the calibration table."""
    count = max(1, len(found))
    means = {
        name: sum(getattr(each, name) for each in found) / count
        for name in ("total_variation", "between_real", "excess", "coverage", "ended")
    }
    return {"programs": len(found), **means, "calibration_error": calibration.error, "calibration": calibration.table()}

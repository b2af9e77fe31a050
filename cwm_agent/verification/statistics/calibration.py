"""Measures calibration: compares an oracle's log-probabilities with how often it is right.

Most answers have a confidence near 1, so the bins of the table are finer there. Knows no oracle and no program.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Lower ends of the bins of confidence; the last bin ends at 1."""


@dataclass(slots=True)
class Bin:
    """Counts of answers with similar confidence."""

    count: int = 0
    right: int = 0
    confidence: float = 0.0
    """Sum over the answers."""


@dataclass(slots=True)
class Calibration:
    """Collects confidence and correctness of answers; holds only sums, so memory does not grow with their number."""

    bins: list[Bin] = field(default_factory=lambda: [Bin() for _ in EDGES])
    _squares: float = 0.0

    def add(self, logprob: float, right: bool) -> None:
        """Add one answer: its log-probability and whether it was right."""
        confidence = math.exp(min(logprob, 0.0))
        place = self.bins[bisect_right(EDGES, confidence) - 1]
        place.count += 1
        place.right += right
        place.confidence += confidence
        self._squares += (confidence - right) ** 2

    def merge(self, other: "Calibration") -> None:
        """Add the answers of another collection."""
        for mine, theirs in zip(self.bins, other.bins, strict=True):
            mine.count += theirs.count
            mine.right += theirs.right
            mine.confidence += theirs.confidence
        self._squares += other._squares

    @property
    def count(self) -> int:
        return sum(each.count for each in self.bins)

    @property
    def brier(self) -> float | None:
        """Return the Brier score: 0 is perfect, 0.25 is a coin toss with confidence 0.5; None without answers."""
        return self._squares / self.count if self.count else None

    @property
    def error(self) -> float | None:
        """Return the expected calibration error: the mean gap of confidence and share right, bins weighted by count."""
        gaps = sum(abs(each.confidence - each.right) for each in self.bins)
        return gaps / self.count if self.count else None

    def record(self) -> dict[str, Any] | None:
        """Return the reliability table with its sums, as JSON; None if no answer had a log-probability."""
        if not self.count:
            return None
        table = [
            {
                "from": low,
                "count": each.count,
                "confidence": each.confidence / each.count,
                "right": each.right / each.count,
            }
            for low, each in zip(EDGES, self.bins, strict=True)
            if each.count
        ]
        return {"count": self.count, "brier": self.brier, "ece": self.error, "table": table}

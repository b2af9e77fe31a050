"""Exact intervals and tests for counts, by scipy: they hold for small numbers and are never of zero width.

A bootstrap of 20 successes in 20 trials has zero width and claims certainty; the exact binomial interval of the same
count goes from 0.83 to 1. Intervals are of 95 %.
"""

from collections.abc import Sequence

from cwm_agent.verification.statistics.survival import Interval

LEVEL = 0.95
FEWEST = 20
"""Programs below which a cell of a table is marked: too few for a sentence to rest on."""


def binomial_interval(successes: int, trials: int) -> Interval:
    """The Clopper-Pearson interval of a share."""
    from scipy.stats import binomtest

    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"{successes} successes of {trials} trials make no share.")
    found = binomtest(successes, trials).proportion_ci(LEVEL, method="exact")
    return Interval(float(found.low), float(found.high))


def paired_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p value that neither of two scores of the same programs is larger: the exact sign test.

    Of scores that are 0 or 1 it is McNemar's exact test. Pairs without a difference say nothing; without any other
    pair the value is 1.
    """
    from scipy.stats import binomtest

    larger = sum(one > other for one, other in zip(first, second, strict=True))
    smaller = sum(one < other for one, other in zip(first, second, strict=True))
    return float(binomtest(larger, larger + smaller).pvalue) if larger + smaller else 1.0


def widened(interval: Interval, programs: int, least: float, most: float) -> Interval:
    """A bootstrap interval, or where all programs gave the same value, what so many programs allow to say.

    The share of programs that differ may then be as large as the binomial interval of 0 in `programs` allows, and
    these may lie anywhere from `least` to `most`.
    """
    if interval.high > interval.low:
        return interval
    unseen = binomial_interval(0, programs).high
    value = interval.low
    return Interval(value - unseen * max(0.0, value - least), value + unseen * max(0.0, most - value))


def marked(text: str, programs: int) -> str:
    """A cell of a table, with an asterisk where it rests on fewer than `FEWEST` programs."""
    return f"{text} \\*" if programs < FEWEST else text

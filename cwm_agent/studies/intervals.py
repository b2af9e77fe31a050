"""Means of a cell and differences between two cells, with intervals of 95 % that are never of zero width.

A share of programs has its exact binomial interval; any other mean a bootstrap interval over programs, and where all
programs gave the same value, what so many programs allow to say. Two cells are compared on the same programs, with
the exact sign test, which is McNemar's test for shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from cwm_agent.studies.study_protocol import Row
from cwm_agent.verification.statistics.exact_intervals import binomial_interval, paired_test, widened
from cwm_agent.verification.statistics.survival import Interval, Observation, bootstrap, paired_bootstrap

DRAWS = 1000
SEED = 0
"""Seed of the bootstrap, so that intervals are the same in every run."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The mean difference between two cells over the programs of both."""

    value: float
    interval: Interval
    p: float
    """Of the exact paired test."""
    programs: int

    def text(self, digits: int = 2) -> str:
        """The difference with its interval and p value, as a cell of a table."""
        low, high = self.interval.low, self.interval.high
        return f"{self.value:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f}, p {self.p:.2g})"


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of no values."""
    return sum(values) / len(values) if values else 0.0


def share(values: Sequence[float], *, least: float = 0.0, most: float = 1.0) -> tuple[float, Interval]:
    """The mean of one value per program, from `least` to `most`, with its interval."""
    if not values:
        raise ValueError("A share needs at least one program.")
    if set(values) <= {0.0, 1.0} and (least, most) == (0.0, 1.0):
        return mean(values), binomial_interval(round(sum(values)), len(values))
    drawn = bootstrap([[value] for value in values], mean, Random(SEED), draws=DRAWS)
    return mean(values), widened(drawn, len(values), least, most)


def gap(first: Sequence[Row], second: Sequence[Row], what: str, *, most: float = 1.0) -> Gap | None:
    """First less second over the programs of both cells; None where they share none. Values go from 0 to `most`."""
    others = {row["program"]: float(row[what]) for row in second}
    pairs = [(float(row[what]), others[row["program"]]) for row in first if row["program"] in others]
    if not pairs:
        return None
    ones, twos = [one for one, _ in pairs], [two for _, two in pairs]
    drawn = paired_bootstrap(ones, twos, Random(SEED), draws=DRAWS)
    return Gap(
        value=mean(ones) - mean(twos),
        interval=widened(drawn, len(pairs), -most, most),
        p=paired_test(ones, twos),
        programs=len(pairs),
    )


def gap_text(found: Gap | None, digits: int = 2) -> str | None:
    """A difference as a cell of a table; None where there is none."""
    return None if found is None else found.text(digits)


def observations(rows: Sequence[Row]) -> list[Observation]:
    """Rows with `depth` and `kind` as observations for `survival.py`."""
    return [Observation(row["depth"], row["kind"]) for row in rows]

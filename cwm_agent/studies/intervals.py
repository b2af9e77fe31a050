"""Means of a cell and differences between two cells, with bootstrap intervals over programs."""

from collections.abc import Sequence
from random import Random

from cwm_agent.studies.study_protocol import Row
from cwm_agent.verification.survival import Interval, Observation, bootstrap, paired_bootstrap

DRAWS = 1000
SEED = 0
"""Seed of the bootstrap, so that intervals are the same in every run."""


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of no values."""
    return sum(values) / len(values) if values else 0.0


def share(values: Sequence[float]) -> tuple[float, Interval]:
    """The mean of one value per program, with its interval."""
    if not values:
        raise ValueError("A share needs at least one program.")
    return mean(values), bootstrap([[value] for value in values], mean, Random(SEED), draws=DRAWS)


def gap(first: Sequence[Row], second: Sequence[Row], what: str) -> tuple[float, Interval]:
    """The mean difference, first less second, over the programs of both cells, with its paired interval."""
    others = {row["program"]: float(row[what]) for row in second}
    pairs = [(float(row[what]), others[row["program"]]) for row in first if row["program"] in others]
    ones, twos = [one for one, _ in pairs], [two for _, two in pairs]
    return mean(ones) - mean(twos), paired_bootstrap(ones, twos, Random(SEED), draws=DRAWS)


def observations(rows: Sequence[Row]) -> list[Observation]:
    """Rows with `depth` and `kind` as observations for `survival.py`."""
    return [Observation(row["depth"], row["kind"]) for row in rows]

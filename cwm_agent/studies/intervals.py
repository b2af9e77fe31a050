"""Shares and gaps between cells with intervals by bootstrap over programs; a thin layer over `survival.py`."""

from collections.abc import Sequence
from random import Random

from cwm_agent.studies.study_protocol import Row
from cwm_agent.verification.survival import Interval, Observation, bootstrap, paired_bootstrap

DRAWS = 1000
SEED = 0
"""Of the drawing: intervals are the same each time the figures are made."""


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def share(values: Sequence[float]) -> tuple[float, Interval]:
    """The mean of one value a program, with its interval."""
    if not values:
        raise ValueError("A share needs at least one program.")
    return mean(values), bootstrap([[value] for value in values], mean, Random(SEED), draws=DRAWS)


def gap(first: Sequence[Row], second: Sequence[Row], what: str) -> tuple[float, Interval]:
    """How much higher the first cell scores on the programs that both hold, with its paired interval."""
    others = {row["program"]: float(row[what]) for row in second}
    pairs = [(float(row[what]), others[row["program"]]) for row in first if row["program"] in others]
    ones, twos = [one for one, _ in pairs], [two for _, two in pairs]
    return mean(ones) - mean(twos), paired_bootstrap(ones, twos, Random(SEED), draws=DRAWS)


def observations(rows: Sequence[Row]) -> list[Observation]:
    """Rows with `depth` and `kind` as the survival figures take them."""
    return [Observation(row["depth"], row["kind"]) for row in rows]

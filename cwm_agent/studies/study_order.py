"""What a study is to do, as one frozen value; imports nothing heavy, so that a command reads its defaults here."""

from dataclasses import dataclass
from pathlib import Path

from cwm_agent import defaults
from cwm_agent.jobs.placement import HERE, Placement


@dataclass(frozen=True, slots=True)
class Order:
    """What a study is to carry out; the same options for every study."""

    out: Path
    oracle: str = defaults.ORACLE
    seed: int = 0
    quick: bool = False
    views: tuple[str, ...] | None = None
    """Only cells that ask in these views, and those that ask no oracle of the user's."""
    seconds: float | None = None
    """From now on; no cell is begun afterwards."""
    placement: Placement = HERE
    """Where cells are measured; with one job it is this process."""

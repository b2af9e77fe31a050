"""One cell as work to be done, and what came of it; a cell begins as if it were the first, so order changes no number.

    Measured   rows, to be kept
    Failed     this cell cannot be measured; others may be
    Refused    the oracle cannot be asked at all, or is not the one whose results are held: nothing can go on

Knows no study and no process.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cwm_agent.oracles.protocol import OracleError
from cwm_agent.studies.study_protocol import Row, Study
from cwm_agent.studies.workbench import Workbench
from envs.execution.sandbox.sandbox import SandboxError


@dataclass(frozen=True, slots=True)
class CellJob:
    """A cell that is to be measured."""

    study: Study[Any]
    cell: Any
    held: frozenset[str] = frozenset()
    """Who answered the cells of the same view that are held already."""


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """A cell's rows."""

    rows: Sequence[Row]
    answered_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FailedCell:
    """Why a cell has none."""

    reason: str


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """Why no cell can be measured."""

    reason: str


Outcome = MeasuredCell | FailedCell | RefusedCell


def measured(job: CellJob, bench: Workbench) -> Outcome:
    """The cell measured with a workbench that has forgotten all earlier ones."""
    bench.forget()
    try:
        answered_by = bench.answered_by(job.study.views(job.cell))
    except (OracleError, SandboxError, ValueError, OSError) as error:
        return RefusedCell(str(error))
    if job.held - {answered_by}:
        others = ", ".join(sorted(job.held))
        return RefusedCell(
            f"The results held are those of {others}, and {bench.oracle} is now {answered_by}: they cannot stand in "
            "one figure. Give another folder with --out."
        )
    began = time.perf_counter()
    try:
        rows = job.study.measure(job.cell, bench)
    except Exception as error:  # whatever it is, it is told, and the other cells go on
        return FailedCell(f"{type(error).__name__}: {error}")
    return MeasuredCell(rows, answered_by, time.perf_counter() - began)

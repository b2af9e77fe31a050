"""Measures one cell. Each cell starts with empty caches, so the order of cells changes no number.

    MeasuredCell   rows of the cell
    FailedCell     this cell cannot be measured; others may be
    RefusedCell    no cell can be measured: the oracle fails, or differs from the one that made the earlier results

Knows no particular study and no process.
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
    """A cell to measure."""

    study: Study[Any]
    cell: Any
    held: frozenset[str] = frozenset()
    """Identities of the oracles of earlier results in the same view."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker looks the study up by its name."""
        return _named_job, (self.study.name, self.cell, self.held)


def _named_job(name: str, cell: Any, held: frozenset[str]) -> CellJob:
    from cwm_agent.studies.study_registry import studies_named

    [study] = studies_named(name)
    return CellJob(study, cell, held)


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """Rows of a cell."""

    rows: Sequence[Row]
    answered_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FailedCell:
    """Reason why a cell has no rows."""

    reason: str


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """Reason why no cell can be measured."""

    reason: str


Outcome = MeasuredCell | FailedCell | RefusedCell


def measured(job: CellJob, bench: Workbench) -> Outcome:
    """The outcome of a cell, measured after the workbench has cleared its caches."""
    bench.forget()
    try:
        answered_by = bench.answered_by(job.study.views(job.cell))
    except (OracleError, SandboxError, ValueError, OSError) as error:
        return RefusedCell(str(error))
    if job.held - {answered_by}:
        others = ", ".join(sorted(job.held))
        return RefusedCell(
            f"The results in this folder are from {others}, but {bench.oracle} is now {answered_by}. They cannot be "
            "mixed in one figure. Give another folder with --out."
        )
    began = time.perf_counter()
    try:
        rows = job.study.measure(job.cell, bench)
    except Exception as error:  # reported with the cell; the other cells continue
        return FailedCell(f"{type(error).__name__}: {error}")
    return MeasuredCell(rows, answered_by, time.perf_counter() - began)

"""Runs studies: measures the cells that the ledgers do not hold, expensive ones first, then writes figures and tables.

One process writes all results; one or more processes measure. The numbers do not depend on the number of processes.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cwm_agent.jobs.node_tally import OnNodes
from cwm_agent.reports.study_figures import NoFigures, svg_of
from cwm_agent.studies.errors import CannotMeasure
from cwm_agent.studies.job import CellJob, FailedCell, Outcome, RefusedCell
from cwm_agent.studies.ledger import Ledger
from cwm_agent.studies.parallel_cells import CellWork, measured_cells
from cwm_agent.studies.study_order import Order
from cwm_agent.studies.study_protocol import Study, StudyOutput
from tasks.output.atomic_file import write_file


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Progress of a study after a cell."""

    study: str
    cell: object
    done: int
    total: int
    seconds: float
    failed: str | None = None
    """Reason why the cell has no result; None where it has one."""


@dataclass(frozen=True, slots=True)
class StudyResults:
    """Figures and tables of all studies of a run."""

    outputs: Mapping[str, StudyOutput]
    """By name of the study."""
    failed: int
    """Number of cells that could not be measured."""
    problem: str = ""
    """Why figures or tables are missing; empty where all were written."""


@dataclass(slots=True)
class _OpenStudy:
    """A study with its cells and its open ledger."""

    study: Study[Any]
    cells: Sequence[Any]
    ledger: Ledger
    done: int = field(init=False)

    def __post_init__(self) -> None:
        self.done = sum(self.ledger.holds(cell) for cell in self.cells)

    def groups(self) -> Iterator[list[CellJob]]:
        """Jobs for the missing cells, grouped by the questions they share."""
        found: dict[object, list[CellJob]] = {}
        for cell in self.cells:
            if not self.ledger.holds(cell):
                job = CellJob(self.study, cell, self.ledger.answered_by(self.study.views(cell)))
                found.setdefault(self.study.shares(cell), []).append(job)
        yield from found.values()

    def keep(self, cell: Any, outcome: Outcome) -> StudyProgress:
        """Store an outcome in the ledger, and return the progress."""
        if isinstance(outcome, RefusedCell):
            raise CannotMeasure(f"{self.study.name}: {outcome.reason}")
        if isinstance(outcome, FailedCell):
            return self._progress(cell, failed=outcome.reason)
        view = self.study.views(cell)
        self.ledger.append(cell, outcome.rows, view=view, answered_by=outcome.answered_by, seconds=outcome.seconds)
        self.done += 1
        return self._progress(cell, outcome.seconds)

    def _progress(self, cell: Any, seconds: float = 0.0, *, failed: str | None = None) -> StudyProgress:
        return StudyProgress(
            study=self.study.name,
            cell=cell,
            done=self.done,
            total=len(self.cells),
            seconds=seconds,
            failed=failed,
        )


def run_studies(
    studies: Sequence[Study[Any]],
    order: Order,
    on_progress: Callable[[StudyProgress], None] = lambda progress: None,
    on_nodes: OnNodes | None = None,
) -> StudyResults:
    """Measure the missing cells, write figures and tables beside the raw results, and return them."""
    until = None if order.seconds is None else time.time() + order.seconds
    failed = 0
    with ExitStack() as stack:
        opened = {study.name: _opened(study, order, stack) for study in studies}
        groups = sorted((group for each in opened.values() for group in each.groups()), key=_cost, reverse=True)
        work = CellWork(order.oracle, order.seed, until)
        for job, outcome in measured_cells(groups, work, order.placement, on_nodes):
            progress = opened[job.study.name].keep(job.cell, outcome)
            failed += progress.failed is not None
            on_progress(progress)
        try:
            return StudyResults({name: _write_output(each, order.out) for name, each in opened.items()}, failed)
        except ImportError as error:  # a machine that measures need not have what tables and figures are made with
            return StudyResults({}, failed, _missing(error))


def _opened(study: Study[Any], order: Order, stack: ExitStack) -> _OpenStudy:
    cells = [
        cell for cell in study.cells(order.quick) if order.views is None or study.views(cell) in (None, *order.views)
    ]
    ledger = stack.enter_context(Ledger(order.out / f"{study.name}.jsonl", order.oracle, order.seed))
    return _OpenStudy(study, cells, ledger)


def _cost(group: Sequence[CellJob]) -> float:
    return sum(job.study.cost(job.cell) for job in group)


def _write_output(opened: _OpenStudy, out: Path) -> StudyOutput:
    """Write the figures and the table of a study, and return them."""
    output = opened.study.shown(opened.ledger.results(opened.study, opened.cells))
    write_file(out / f"{opened.study.name}.md", f"{opened.study.question}\n\n{output.table}")
    for name, figure in output.figures.items():
        write_file(out / f"{name}.svg", svg_of(figure))
    return output


def _missing(error: ImportError) -> str:
    """What to install for tables and figures; other imports that fail are faults."""
    if isinstance(error, NoFigures):
        return str(error)
    if error.name is None or error.name.partition(".")[0] != "scipy":
        raise error
    return "Intervals need scipy. Install it with `pip install scipy`."

"""Studies carried out: cells that the ledgers do not hold are measured, dear ones first, and kept; then all are shown.

One process writes all results, whoever measures them. The numbers are the same whatever the number of processes.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cwm_agent.studies.errors import CannotMeasure
from cwm_agent.studies.job import CellJob, FailedCell, Outcome, RefusedCell
from cwm_agent.studies.ledger import Ledger
from cwm_agent.studies.parallel_cells import measured_alone, measured_by_crew
from cwm_agent.studies.study_protocol import ResultSheet, Study


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be carried out, whatever the study."""

    out: Path
    oracle: str = "embedded"
    seed: int = 0
    quick: bool = False
    views: tuple[str, ...] | None = None
    """Only cells that ask in these views, and those that ask no oracle of the user's."""
    seconds: float | None = None
    """From now on; no cell is begun afterwards."""
    jobs: int = 1
    """Processes that measure cells; with one it is this process."""


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Where a study stands after a cell."""

    study: str
    cell: object
    done: int
    total: int
    seconds: float
    failed: str | None = None
    """Why the cell has no result."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What was found."""

    sheets: Mapping[str, ResultSheet]
    """By study."""
    failed: int
    """Cells that could not be measured."""


@dataclass(slots=True)
class _Book:
    """One study under way."""

    study: Study[Any]
    cells: Sequence[Any]
    ledger: Ledger
    done: int = field(init=False)

    def __post_init__(self) -> None:
        self.done = sum(self.ledger.holds(cell) for cell in self.cells)

    def groups(self) -> Iterator[list[CellJob]]:
        """What is missing, by what asks the same."""
        found: dict[object, list[CellJob]] = {}
        for cell in self.cells:
            if not self.ledger.holds(cell):
                job = CellJob(self.study, cell, self.ledger.answered_by(self.study.views(cell)))
                found.setdefault(self.study.shares(cell), []).append(job)
        yield from found.values()

    def keep(self, cell: Any, outcome: Outcome) -> StudyProgress:
        """Note a result, or that there is none."""
        if isinstance(outcome, RefusedCell):
            raise CannotMeasure(f"{self.study.name}: {outcome.reason}")
        if isinstance(outcome, FailedCell):
            return StudyProgress(self.study.name, cell, self.done, len(self.cells), 0.0, outcome.reason)
        self.ledger.append(cell, outcome.rows, self.study.views(cell), outcome.answered_by, outcome.seconds)
        self.done += 1
        return StudyProgress(self.study.name, cell, self.done, len(self.cells), outcome.seconds)


def carry_out(
    studies: Sequence[Study[Any]], order: Order, told: Callable[[StudyProgress], None] = lambda progress: None
) -> Finished:
    """Measure what is missing, write figures and tables beside the raw results, and return them."""
    until = None if order.seconds is None else time.monotonic() + order.seconds
    failed = 0
    with ExitStack() as stack:
        books = {study.name: _book(study, order, stack) for study in studies}
        groups = sorted((group for book in books.values() for group in book.groups()), key=_cost, reverse=True)
        asked = (groups, order.oracle, order.seed, until)
        for job, outcome in measured_alone(*asked) if order.jobs == 1 else measured_by_crew(*asked, order.jobs):
            progress = books[job.study.name].keep(job.cell, outcome)
            failed += progress.failed is not None
            told(progress)
        return Finished({name: _shown(book, order.out) for name, book in books.items()}, failed)


def _book(study: Study[Any], order: Order, stack: ExitStack) -> _Book:
    cells = [
        cell for cell in study.cells(order.quick) if order.views is None or study.views(cell) in (None, *order.views)
    ]
    ledger = stack.enter_context(Ledger(order.out / f"{study.name}.jsonl", order.oracle, order.seed))
    return _Book(study, cells, ledger)


def _cost(group: Sequence[CellJob]) -> float:
    return sum(job.study.cost(job.cell) for job in group)


def _shown(book: _Book, out: Path) -> ResultSheet:
    """The study's figures and table, written down."""
    sheet = book.study.shown(book.ledger.results(book.study, book.cells))
    for name, svg in sheet.figures.items():
        (out / f"{name}.svg").write_text(svg, encoding="utf-8")
    (out / f"{book.study.name}.md").write_text(f"{book.study.question}\n\n{sheet.table}", encoding="utf-8")
    return sheet

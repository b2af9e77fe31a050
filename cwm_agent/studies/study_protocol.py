"""The parts of a study: cells that are measured one by one, rows of raw results, and figures made from the rows.

    cell     one measured point: a frozen dataclass of plain values
    row      one raw result of a cell, mostly of one program; programs have the same numbers in all cells
    result   a cell with its rows
    ledger   the file with all results of a study
    output   the output of a study: figures by name and a table

Knows no particular study and no oracle.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from cwm_agent.oracles.protocol import View
    from cwm_agent.reports.study_figures import StudyFigure
    from cwm_agent.studies.workbench import Workbench

C = TypeVar("C")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CellResult(Generic[C]):
    """A measured cell."""

    cell: C
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class StudyOutput:
    """Figures and table of a study."""

    figures: Mapping[str, "StudyFigure"]
    """By file name without extension; drawn as SVG."""
    table: str
    """Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Generic[C]):
    """A question, the cells that answer it, and functions that measure a cell and present all results."""

    name: str
    question: str
    cell: type[C]
    cells: Callable[[bool], Sequence[C]]
    """All cells in order; the argument is true for the quick version."""
    measure: Callable[[C, "Workbench"], Sequence[Row]]
    """The rows of one cell."""
    shown: Callable[[Sequence[CellResult[C]]], StudyOutput]
    """Figures and table of the measured cells."""
    views: Callable[[C], "View | None"] = lambda cell: None
    """The view in which a cell asks the oracle under study; None where it does not ask it."""
    cost: Callable[[C], float] = lambda cell: 1.0
    """Approximate seconds on one core; expensive cells start first."""
    shares: Callable[[C], Hashable] = lambda cell: cell
    """Cells with equal values ask mostly the same questions; one process measures them and shares the answers."""

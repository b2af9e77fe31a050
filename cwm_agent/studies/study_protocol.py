"""What a study is: cells to be measured one by one, rows of raw results, and figures made of the rows. Words:

    cell     one point of a study: a frozen dataclass of plain values, its parameters as data
    row      one raw result within a cell, mostly of one program; programs keep their numbers, so cells are paired
    result   a cell with its rows, as the ledger keeps it
    sheet    what is shown of a study: figures by name and a table

Knows no study and no oracle.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from cwm_agent.oracles.protocol import View
    from cwm_agent.studies.workbench import Workbench

C = TypeVar("C")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CellResult(Generic[C]):
    """A measured cell."""

    cell: C
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ResultSheet:
    """What is shown of a study."""

    figures: Mapping[str, str]
    """SVG by file name, without its ending."""
    table: str
    """Markdown."""


@dataclass(frozen=True, slots=True)
class Study(Generic[C]):
    """A question, the cells that answer it, how one is measured, and how all are shown."""

    name: str
    question: str
    cell: type[C]
    cells: Callable[[bool], Sequence[C]]
    """The cells in order, given whether to be quick."""
    measure: Callable[[C, "Workbench"], Sequence[Row]]
    shown: Callable[[Sequence[CellResult[C]]], ResultSheet]
    views: Callable[[C], "View | None"] = lambda cell: None
    """The view a cell asks in; None where it asks no oracle of the user's."""
    cost: Callable[[C], float] = lambda cell: 1.0
    """Seconds on one core, roughly: what is dear is begun first."""
    shares: Callable[[C], Hashable] = lambda cell: cell
    """Cells of equal value ask much the same, so one process measures them and asks once."""

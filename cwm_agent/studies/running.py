"""A study carried out: cells that the ledger does not hold are measured and kept, then all are shown."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cwm_agent.studies.ledger import Ledger
from cwm_agent.studies.study import Sheet, Study
from cwm_agent.studies.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a study stands after a cell."""

    study: str
    cell: object
    done: int
    total: int
    seconds: float


def carry_out(
    study: Study[Any],
    out: Path,
    bench: Workbench,
    *,
    quick: bool = False,
    views: Sequence[str] | None = None,
    until: float | None = None,
    told: Callable[[Progress], None] = lambda progress: None,
) -> Sheet:
    """Measure what is missing, write the figures and the table beside the raw results, and return them.

    `views` leaves out cells of other views; after `until` (on the monotonic clock) no cell is begun.
    """
    ledger = Ledger(out / f"{study.name}.jsonl", bench.oracle, bench.seed)
    cells = [cell for cell in study.cells(quick) if views is None or study.views(cell) in (None, *views)]
    for number, cell in enumerate(cells, start=1):
        if ledger.holds(cell):
            continue
        if until is not None and time.monotonic() > until:
            break
        began = time.perf_counter()
        view = study.views(cell)
        answered_by = bench.answered_by(view)
        ledger.check(view, answered_by)
        rows = study.measure(cell, bench)
        spent = time.perf_counter() - began
        ledger.append(cell, rows, view, answered_by, spent)
        told(Progress(study.name, cell, number, len(cells), spent))
    sheet = study.shown(ledger.results(study, cells))
    _write(sheet, out, study)
    return sheet


def _write(sheet: Sheet, out: Path, study: Study[Any]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, svg in sheet.figures.items():
        (out / f"{name}.svg").write_text(svg, encoding="utf-8")
    (out / f"{study.name}.md").write_text(f"{study.question}\n\n{sheet.table}", encoding="utf-8")

"""Study 1, tracking: how long is a swap program that imagination still follows, by view and by guide?

Whole traces right, and final states right, of random swap programs over 5 and 8 items. The paper's figure is the
history view: free collapses, forced holds.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.svg_figures import Curve, Panel, PointMark, figure, named, share_scale
from cwm_agent.studies.experiments.measured_rollouts import measured_rows
from cwm_agent.studies.experiments.swap_programs import FORMS, Form, swap_programs
from cwm_agent.studies.intervals import gap, share
from cwm_agent.studies.study_protocol import CellResult, ResultSheet, Row, Study
from cwm_agent.studies.workbench import Workbench

VIEWS: tuple[View, ...] = ("local", "history", "program")
COLUMNS: tuple[View, ...] = ("history", "program", "local")
PROGRAMS = {8: 20, 16: 20, 32: 20, 64: 12, 128: 6, 256: 4, 512: 3, 1024: 2}
"""Programs of each length: long ones cost as much as all others together."""
ITEMS = (5, 8)
QUICK = {8: 4, 16: 4}
LONGEST_HISTORY = {("plain", 5): 128, ("operations", 5): 64, ("plain", 8): 32, ("operations", 8): 32}
"""Swaps, by level and items: beyond, a history of 5 items is longer than the embedded model is asked about; of 8 items
those that 5 are compared with are enough."""


@dataclass(frozen=True, slots=True)
class Tracking:
    """One point: so many programs of one length, seen and guided in one way."""

    view: View
    guide: str
    level: Literal["plain", "operations"]
    form: Form
    items: int
    swaps: int
    programs: int


def cells(quick: bool) -> list[Tracking]:
    """What costs little first, then short programs first."""
    every = [
        Tracking(view, guide, level, form, items, swaps, programs)
        for swaps, programs in (QUICK if quick else PROGRAMS).items()
        for items in (ITEMS[:1] if quick else ITEMS)
        for form in FORMS
        for view in VIEWS
        for level, guide in _guides(view, form)
        if adapter_of(view).asks_single_steps or swaps <= LONGEST_HISTORY[level, items]
    ]
    return sorted(every, key=_shows_program)


def _shows_program(cell: Tracking) -> bool:
    """Whether whole programs are shown at every step: each such step costs a hundred of the others."""
    return cell.view == "program" or (cell.view == "local" and cell.guide in ("free", "cfg"))


def _cost(cell: Tracking) -> float:
    """A history is said byte by byte, a program is looked at whole at each step, a line costs little."""
    steps = cell.swaps * (1 if cell.form == "straight" else 2)
    if not adapter_of(cell.view).asks_single_steps:
        return steps * cell.items / 5  # the histories of all programs are written side by side
    return steps * cell.programs * (0.1 + 0.01 * cell.swaps if _shows_program(cell) else 0.005)


def _shares(cell: Tracking) -> tuple[object, ...]:
    """Guides ask the same of the same programs as long as they agree."""
    asked = cell.view if not _shows_program(cell) else "program"
    return asked, cell.level, cell.form, cell.items, cell.swaps


def _guides(view: View, form: Form) -> list[tuple[Literal["plain", "operations"], str]]:
    """Grounding needs decomposed programs; straight ones are the same either way."""
    if not adapter_of(view).takes_level:
        return [("operations", guide) for guide in ("grounded", "forced", "free", "cfg")]
    written: list[tuple[Literal["plain", "operations"], str]] = [("plain", name) for name in ("free", "cfg", "forced")]
    if form == "straight":
        return [*written, ("operations", "grounded")]
    return [*written, ("operations", "free"), ("operations", "grounded"), ("operations", "forced")]


def measure(cell: Tracking, bench: Workbench) -> Sequence[Row]:
    """One row a program."""
    written = swap_programs(cell.form, cell.items, cell.swaps, cell.programs, bench.seed)
    runs = [each.run(bench, cell.view, cell.level) for each in written]
    return measured_rows(runs, bench.under_study(cell.view), cell.view, cell.guide)


def shown(results: Sequence[CellResult[Tracking]]) -> ResultSheet:
    """Whole traces and final states by length, a panel a view and form."""
    if not results:
        return ResultSheet({}, "Nothing was measured.\n")
    figures = {
        "tracking": _figure(results, "complete", "Whole traces right, by length of the program"),
        "tracking-final": _figure(results, "final", "Final states right, by length of the program"),
    }
    return ResultSheet(figures, f"{_table(results)}\n{_gaps(results)}")


def _figure(results: Sequence[CellResult[Tracking]], what: str, title: str) -> str:
    """A row for items and form, a column for a view."""
    rows = {(each.cell.items, each.cell.form) for each in results}
    views = [view for view in COLUMNS if any(each.cell.view == view for each in results)]
    swaps = sorted({each.cell.swaps for each in results})
    panels = [
        Panel(f"{items} items, {form}, {view} view", _lines(results, (items, form, view), what, swaps))
        for items in ITEMS
        for form in FORMS
        if (items, form) in rows
        for view in views
    ]
    x, y = named("swaps", [str(each) for each in swaps]), share_scale("share of programs")
    return figure(title, panels, x, y, columns=len(views))


def _lines(
    results: Sequence[CellResult[Tracking]], group: tuple[int, Form, View], what: str, swaps: Sequence[int]
) -> tuple[Curve, ...]:
    chosen = [each for each in results if (each.cell.items, each.cell.form, each.cell.view) == group]
    labels = {_label(each.cell) for each in chosen}
    lines = []
    for label in (label for label in _LABELS if label in labels):
        marks = []
        for each in chosen:
            if _label(each.cell) == label:
                value, interval = share([float(row[what]) for row in each.rows])
                at = swaps.index(each.cell.swaps)
                marks.append(PointMark(at, value, interval.low, interval.high, f"of {len(each.rows)}"))
        lines.append(Curve(label, tuple(marks)))
    return tuple(lines)


_LABELS = ("free", "cfg", "grounded", "forced", "free, decomposed", "forced, decomposed")


def _label(cell: Tracking) -> str:
    split = adapter_of(cell.view).takes_level and cell.level == "operations" and cell.guide != "grounded"
    return f"{cell.guide}, decomposed" if split else cell.guide


def _table(results: Sequence[CellResult[Tracking]]) -> str:
    rows = []
    for each in results:
        cell, kinds = each.cell, Counter(str(row["kind"]) for row in each.rows if row["kind"])
        errors = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "none"
        whole, final = (sum(bool(row[what]) for row in each.rows) for what in ("complete", "final"))
        where = f"S{cell.items} {cell.form}"
        rows.append((where, cell.swaps, cell.view, _label(cell), f"{whole} of {len(each.rows)}", final, errors))
    head = ("programs", "swaps", "view", "guide", "whole traces", "final states", "first errors")
    return markdown(head, rows)


def _gaps(results: Sequence[CellResult[Tracking]]) -> str:
    """What forcing the action gives back, program by program."""
    known = {each.cell: each.rows for each in results}
    rows = []
    for cell, free in known.items():
        forced = Tracking(cell.view, "forced", cell.level, cell.form, cell.items, cell.swaps, cell.programs)
        if cell.guide == "free" and forced in known:
            value, interval = gap(known[forced], free, "complete")
            where = (f"S{cell.items} {cell.form}", cell.swaps, cell.view, cell.level)
            rows.append((*where, f"{value:+.2f}", f"{interval.low:+.2f} to {interval.high:+.2f}"))
    return markdown(("programs", "swaps", "view", "level", "forced less free", "95 % interval"), rows)


TRACKING = Study(
    "tracking",
    "How long is a swap program that imagination still follows to its end?",
    Tracking,
    cells,
    measure,
    shown,
    lambda cell: cell.view,
    _cost,
    _shares,
)

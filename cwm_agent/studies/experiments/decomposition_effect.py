"""Study 6, decomposition: the same programs as written and with one operation per line, in the same view.

The history view works with both; the Markov views always decompose. The local view is the comparison on the same
programs.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, StudyFigure, named, share_scale
from cwm_agent.studies.experiments.measured_rollouts import measured_rows
from cwm_agent.studies.intervals import gap, gap_text, mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.training.steps.program_examples import held_out_tasks
from cwm_agent.verification.statistics.exact_intervals import marked
from envs.execution.decompose.program import plain

Level = Literal["plain", "operations"]
KINDS = ("action", "control-state", "state", "malformed", "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """Held-out general programs at one level, in one view, under one guide."""

    view: Literal["history", "local"]
    level: Level
    guide: str
    programs: int
    longest: int
    """Most steps of a program, as written."""


def cells(quick: bool) -> list[Decomposition]:
    """Each guide at both levels; grounding needs decomposed programs."""
    programs, longest = (4, 20) if quick else (25, 30)
    levels: tuple[Level, ...] = ("plain", "operations")

    def cell(view: Literal["history", "local"], level: Level, guide: str) -> Decomposition:
        return Decomposition(view=view, level=level, guide=guide, programs=programs, longest=longest)

    both = [cell("history", level, guide) for guide in ("free", "cfg", "forced") for level in levels]
    return [cell("local", "operations", "grounded"), *both, cell("history", "operations", "grounded")]


def measure(cell: Decomposition, bench: Workbench) -> Sequence[Row]:
    """One row per program."""
    tasks = _tasks(cell, bench)
    adapter = adapter_of(cell.view)
    programs = [(adapter.program(task["code"], task["entry"], cell.level), task["input"]) for task in tasks]
    runs = [(program, bench.run(cell.view, program, arguments)) for program, arguments in programs]
    return measured_rows(runs, bench.under_study(cell.view), cell.view, cell.guide)


def _tasks(cell: Decomposition, bench: Workbench) -> list[dict[str, str]]:
    """Held-out programs with at most `longest` steps, the same at both levels."""
    drawn = held_out_tasks(4 * cell.programs, bench.seed)
    short = [task for task in drawn if _steps(task, bench) <= cell.longest]
    return short[: cell.programs]


def _steps(task: dict[str, str], bench: Workbench) -> int:
    return len(bench.history(plain(task["code"], task["entry"]), task["input"], 1_000).frames)


def shown(results: Sequence[CellResult[Decomposition]]) -> StudyOutput:
    """Shares of right runs and of first errors by kind, as written and decomposed."""
    if not results:
        return StudyOutput({}, "No cell was measured.\n")
    x = named("first error", ("right", *KINDS))
    panels = []
    for view, guide in dict.fromkeys((each.cell.view, each.cell.guide) for each in results):
        lines = [
            Curve("as written" if each.cell.level == "plain" else "decomposed", _shares(each), joined=False)
            for each in results
            if (each.cell.view, each.cell.guide) == (view, guide)
        ]
        panels.append(Panel(f"{view} view, {guide}", tuple(lines)))
    drawn = StudyFigure(
        "General programs: what goes wrong first", panels, x, share_scale("share of programs"), columns=2
    )
    return StudyOutput({"decomposition": drawn}, f"{_table(results)}\n{_gaps(results)}")


def _shares(result: CellResult[Decomposition]) -> tuple[PointMark, ...]:
    marks = []
    for at, kind in enumerate(("right", *KINDS)):
        hits = [float(row["complete"] if kind == "right" else row["kind"] == kind) for row in result.rows]
        value, interval = share(hits)
        marks.append(PointMark(at, value, interval.low, interval.high, programs=len(hits)))
    return tuple(marks)


def _table(results: Sequence[CellResult[Decomposition]]) -> str:
    rows = []
    for each in results:
        cell, kinds = each.cell, Counter(row["kind"] for row in each.rows)
        whole, final = (sum(bool(row[what]) for row in each.rows) for what in ("complete", "final"))
        steps = mean([float(row["steps"]) for row in each.rows])
        tokens = mean([float(row["tokens"]) for row in each.rows])
        named_as = (cell.view, cell.guide, "as written" if cell.level == "plain" else "decomposed")
        figures = (marked(f"{whole} of {len(each.rows)}", len(each.rows)), final, f"{steps:.1f}", f"{tokens:.0f}")
        rows.append((*named_as, *figures, *(kinds[kind] for kind in KINDS)))
    head = ("view", "guide", "level", "whole runs", "results right", "steps, mean", "tokens, mean")
    return markdown((*head, *KINDS), rows)


def _has_levels(cell: Decomposition) -> bool:
    """Whether the cell's view shows programs both as written and decomposed."""
    return adapter_of(cell.view).takes_level


def _gaps(results: Sequence[CellResult[Decomposition]]) -> str:
    """Differences between decomposed and written, over the same programs."""
    known = {(each.cell.guide, each.cell.level): each.rows for each in results if _has_levels(each.cell)}
    rows = []
    for guide in ("free", "cfg", "forced"):
        if (guide, "plain") in known and (guide, "operations") in known:
            for what, name in (("complete", "whole runs"), ("final", "results right")):
                found = gap(known[guide, "operations"], known[guide, "plain"], what)
                rows.append((guide, name, gap_text(found)))
    return markdown(("guide, history view", "of", "decomposed less as written (95 %, paired test)"), rows)


DECOMPOSITION = Study(
    name="decomposition",
    question="Are programs imagined better as written, or with one operation per line?",
    cell=Decomposition,
    cells=cells,
    measure=measure,
    shown=shown,
    views=lambda cell: cell.view,
    cost=lambda cell: cell.programs * (4.0 if _has_levels(cell) else 1.0),
    shares=lambda cell: (cell.view, cell.level, cell.guide in ("free", "cfg")),
)

"""Study 9, looks: what is a real look inside an execution worth where the model is unsure, beside fixed intervals?

A look replaces an imagined frame by the real one. The guide `anchored:K` looks at every K-th frame, `unsure:P` after
each answer to which the model gave a probability below P. Programs are the traced programs that come with the project
(rows with even numbers), in the local view. A rollout counts as right when its outcome is the real one; two guides are
compared at equal numbers of looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import is_deterministic
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, StudyFigure, powers_of, share_scale
from cwm_agent.studies.experiments.measured_rollouts import SLACK
from cwm_agent.studies.intervals import gap, gap_text, mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import marked
from cwm_agent.verification.step_accuracy import Case, step_queries
from cwm_agent.verification.task_files import tasks_of
from cwm_agent.verification.view_verification import compare_runs
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.frames import Trace
from envs.execution.state.value_grammar import ExecutionError
from tasks import TraceTask

PROGRAMS = "trace/real_python"
MOST_STEPS = 600
"""Programs with longer runs are left out."""
EVERY = (2, 4, 8, 16, 32, 64, 128)
BELOW = (0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)
NO_LOOKS = "grounded"


@dataclass(frozen=True, slots=True)
class Looks:
    """The programs under one guide."""

    guide: str
    programs: int
    """Of those in the file, in order."""


def cells(quick: bool) -> list[Looks]:
    """Without looks, then both ways of looking."""
    every, below = (EVERY[1::2], BELOW[1::2]) if quick else (EVERY, BELOW)
    guides = [NO_LOOKS, *(f"anchored:{each}" for each in every), *(f"unsure:{each:g}" for each in below)]
    return [Looks(guide, 20 if quick else 50) for guide in guides]


def measure(cell: Looks, bench: Workbench) -> Sequence[Row]:
    """One row per program."""
    runs = _runs(cell.programs, bench)
    oracle, adapter = bench.under_study("local"), adapter_of("local")
    if is_deterministic(oracle):  # the questions of the real runs in one batch; they stay cached for all guides
        cases = [Case(name, program, real) for name, program, real in runs]
        oracle.imagine([query for _, query, _, _ in step_queries(cases, "local") if query is not None])
    pairs = [(program, real) for _, program, real in runs]
    found = adapter.imagine_runs(pairs, oracle, parse_guide(cell.guide), SLACK) if pairs else []
    return [_row(name, program, real, rollout) for (name, program, real), rollout in zip(runs, found, strict=True)]


def _runs(count: int, bench: Workbench) -> list[tuple[str, Program, Trace]]:
    """The real runs of the first programs that can be traced to their end."""
    found: list[tuple[str, Program, Trace]] = []
    for task in tasks_of(PROGRAMS, "even")[:count]:
        assert isinstance(task, TraceTask)
        try:
            program = decomposed(task.source, task.entry)
            real = bench.trace(program, task.arguments, MOST_STEPS, world=task.world.record())
        except ExecutionError:
            continue
        if real.frames and real.outcome.ending != "truncated":
            found.append((task.id, program, real))
    return found


def _row(name: str, program: Program, real: Trace, rollout: Any) -> Row:
    compared = compare_runs("local", program, rollout, real)
    same = sum(one == other for one, other in zip(rollout.frames, real.frames, strict=False))
    return {
        "program": name,
        "steps": len(real.frames) - 1,
        "looks": rollout.marks[1:].count("given"),
        "frames": same / len(real.frames),
        "final": compared.same_outcome,
        "end": rollout.end,
    }


def shown(results: Sequence[CellResult[Looks]]) -> StudyOutput:
    """Right outcomes by number of looks, and both ways at equal numbers."""
    measured = [each for each in results if each.rows]
    if not measured:
        return StudyOutput({}, "No cell was measured.\n")
    figure = StudyFigure(
        "Outcomes right, by looks at the real state",
        [Panel("traced programs, local view", _curves(measured))],
        powers_of("looks per program", [_looks(each) for each in measured]),
        share_scale("share of programs"),
    )
    return StudyOutput({"looks": figure}, f"{_remarks(measured)}{_table(measured)}\n{_equal_looks(measured)}")


def _looks(result: CellResult[Looks]) -> float:
    return mean([float(row["looks"]) for row in result.rows])


def _right(result: CellResult[Looks]) -> float:
    return mean([float(row["final"]) for row in result.rows])


def _kind(result: CellResult[Looks]) -> str:
    return result.cell.guide.partition(":")[0]


def _curves(results: Sequence[CellResult[Looks]]) -> tuple[Curve, ...]:
    """Both ways by the number of looks; without looks a level."""
    curves = []
    for kind, label in (("anchored", "every K-th frame"), ("unsure", "where the model is unsure")):
        chosen = sorted((each for each in results if _kind(each) == kind and _looks(each)), key=_looks)
        marks = []
        for each in chosen:
            value, interval = share([float(row["final"]) for row in each.rows])
            marks.append(PointMark(_looks(each), value, interval.low, interval.high, programs=len(each.rows)))
        if marks:
            curves.append(Curve(label, tuple(marks)))
    bare = next((each for each in results if each.cell.guide == NO_LOOKS), None)
    places = [mark.x for curve in curves for mark in curve.marks]
    if bare is not None and places:
        level = tuple(PointMark(at, _right(bare)) for at in (min(places), max(places)))
        curves.append(Curve("no looks", level, dashed=True, marked=False))
    return tuple(curves)


def _remarks(results: Sequence[CellResult[Looks]]) -> str:
    """What the figure hides: a model that is never or always right without looks, or never unsure."""
    said = []
    bare = next((each for each in results if each.cell.guide == NO_LOOKS), None)
    if bare is not None and _right(bare) in (0.0, 1.0):
        said.append(f"Without looks {'every' if _right(bare) else 'no'} outcome is right.")
    unsure = [each for each in results if _kind(each) == "unsure"]
    if unsure and not any(map(_looks, unsure)):
        said.append("The model was never unsure, or told no probabilities: `unsure` took no look.")
    return "".join(f"{line}\n\n" for line in said)


def _table(results: Sequence[CellResult[Looks]]) -> str:
    rows = []
    for each in results:
        value, interval = share([float(row["final"]) for row in each.rows])
        text = f"{value:.2f} ({interval.low:.2f} to {interval.high:.2f})"
        steps = sum(row["steps"] for row in each.rows)
        looked = sum(row["looks"] for row in each.rows) / max(1, steps)
        frames = mean([float(row["frames"]) for row in each.rows])
        rows.append(
            (each.cell.guide, marked(text, len(each.rows)), f"{frames:.3f}", f"{_looks(each):.1f}", f"{looked:.3f}")
        )
    return markdown(("guide", "outcomes right", "frames right, mean", "looks per program", "looks per step"), rows)


def _equal_looks(results: Sequence[CellResult[Looks]]) -> str:
    """Each `unsure` beside the `anchored` that takes the fewest looks of those that take at least as many."""
    rows = []
    bare = next((each for each in results if each.cell.guide == NO_LOOKS), None)
    for each in (each for each in results if _kind(each) == "unsure" and _looks(each)):
        others = [other for other in results if _kind(other) == "anchored" and _looks(other) >= _looks(each)]
        if not others:
            continue
        other = min(others, key=_looks)
        gained = [
            None if bare is None else f"{(_right(one) - _right(bare)) / _looks(one):+.3f}" for one in (each, other)
        ]
        difference = gap_text(gap(each.rows, other.rows, "final"))
        rows.append(
            (each.cell.guide, f"{_looks(each):.1f}", other.cell.guide, f"{_looks(other):.1f}", difference, *gained)
        )
    head = ("unsure", "its looks", "fixed", "its looks", "outcomes right, unsure less fixed")
    return markdown((*head, "outcomes gained per look, unsure", "fixed"), rows)


LOOKS = Study(
    name="looks",
    question="What is a real look worth where the model is unsure, beside looks at fixed intervals?",
    cell=Looks,
    cells=cells,
    measure=measure,
    shown=shown,
    views=lambda cell: "local",
    cost=lambda cell: cell.programs * 0.5,
    shares=lambda cell: "all",
)

"""Study 5, token budget: what do the views cost as execution grows, and when does a history no longer fit?

Tokens are bytes of the embedded model's format; subword tokens of Meta's format are fewer in all encodings. With a KV
cache a history is read once, so its cost is its length; a Markov view needs a question and an answer at each step. The
study asks no oracle: all texts come from real runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, StudyFigure, named, powers_of, share_scale
from cwm_agent.studies.experiments.loop_programs import WORK
from cwm_agent.studies.experiments.view_lengths import ViewLength, history_length, markov_lengths
from cwm_agent.studies.intervals import mean
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from envs.execution.decompose.program import Program, decomposed, plain
from envs.execution.state.history_frames import History

WINDOWS = (4_096, 32_768, 131_072)
"""Context windows in tokens."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A loop program, executed for about `steps` steps as written."""

    work: str
    steps: int


def cells(quick: bool) -> list[Execution]:
    """All loop programs at all lengths."""
    lengths = (10, 100, 1_000) if quick else (10, 30, 100, 300, 1_000, 3_000, 10_000)
    return [Execution(work, steps) for steps in lengths for work in WORK]


def measure(cell: Execution, bench: Workbench) -> Sequence[Row]:
    """One row per encoding: frames, total tokens, and most tokens in the context at once."""
    source = WORK[cell.work]
    arguments = str(_rounds(cell, bench))
    written_as, split = plain(source, "f"), decomposed(source, "f")
    rows = []
    for program in (written_as, split):
        history = bench.history(program, arguments, 10 * cell.steps + 100)
        rows += [_history_row(program, history, dense=True), _history_row(program, history, dense=False)]
    return [*rows, *_markov_rows(split, arguments, bench, 10 * cell.steps + 100)]


def _rounds(cell: Execution, bench: Workbench) -> int:
    """Rounds of the loop that give the wanted number of steps, from the length of 20 rounds."""
    frames = len(bench.history(plain(WORK[cell.work], "f"), "20", 1_000).frames)
    return max(1, round((cell.steps - 3) / ((frames - 3) / 20)))


def _history_row(program: Program, history: History, *, dense: bool) -> Row:
    """The row of a history with all values in every frame (dense), or with changed values only."""
    encoding = f"history, {'dense' if dense else 'diff'}{', decomposed' if program.level != 'plain' else ''}"
    return _row_of(encoding, len(history.frames), history_length(program, history, dense=dense))


def _markov_rows(program: Program, arguments: str, bench: Workbench, steps: int) -> list[Row]:
    """The rows of the Markov views: questions and answers of all steps that no rule decides."""
    frames = bench.trace(program, arguments, steps).frames
    found = markov_lengths(program, frames, reruns=True)
    return [_row_of(f"{view} view", len(frames), length) for view, length in found.items()]


def _row_of(encoding: str, frames: int, length: ViewLength) -> Row:
    return {"encoding": encoding, "frames": frames, "tokens": length.tokens, "longest": length.longest}


def shown(results: Sequence[CellResult[Execution]]) -> StudyOutput:
    """Tokens per step by length, and the share of executions that do not fit."""
    if not results:
        return StudyOutput({}, "No cell was measured.\n")
    steps = sorted({each.cell.steps for each in results})
    x, lengths = powers_of("steps as written", steps, 10.0), named("steps as written", [f"{each:,}" for each in steps])
    costs = [Panel(work, _cost_lines(results, work)) for work in dict.fromkeys(each.cell.work for each in results)]
    every = [mark.y for panel in costs for curve in panel.curves for mark in curve.marks]
    lost = [Panel(f"window of {window:,} tokens", _lost_lines(results, window)) for window in WINDOWS]
    figures = {
        "budget": StudyFigure("Tokens per step as written", costs, x, powers_of("tokens", every, 10.0)),
        "budget-truncated": StudyFigure("Executions that do not fit", lost, lengths, share_scale("share of programs")),
    }
    return StudyOutput(figures, _table(results, steps))


def _encodings(results: Sequence[CellResult[Execution]]) -> list[str]:
    return list(dict.fromkeys(row["encoding"] for each in results for row in each.rows))


def _row(result: CellResult[Execution], encoding: str) -> Row:
    return next(row for row in result.rows if row["encoding"] == encoding)


def _cost_lines(results: Sequence[CellResult[Execution]], work: str) -> tuple[Curve, ...]:
    chosen = [each for each in results if each.cell.work == work]
    return tuple(
        Curve(name, tuple(PointMark(each.cell.steps, _row(each, name)["tokens"] / each.cell.steps) for each in chosen))
        for name in _encodings(results)
    )


def _lost_lines(results: Sequence[CellResult[Execution]], window: int) -> tuple[Curve, ...]:
    return tuple(
        Curve(
            name,
            tuple(PointMark(at, _lost(results, steps, name, window)) for at, steps in enumerate(_lengths(results))),
        )
        for name in _encodings(results)
    )


def _lengths(results: Sequence[CellResult[Execution]]) -> list[int]:
    return sorted({each.cell.steps for each in results})


def _lost(results: Sequence[CellResult[Execution]], steps: int, encoding: str, window: int) -> float:
    return mean([float(_row(each, encoding)["longest"] > window) for each in results if each.cell.steps == steps])


def _table(results: Sequence[CellResult[Execution]], steps: Sequence[int]) -> str:
    rows = []
    for length in steps:
        for name in _encodings(results):
            chosen = [_row(each, name) for each in results if each.cell.steps == length]
            cost = mean([row["tokens"] / length for row in chosen])
            frames = mean([row["frames"] / length for row in chosen])
            lost = [f"{_lost(results, length, name, window):.2f}" for window in WINDOWS]
            rows.append((length, name, f"{frames:.2f}", f"{cost:.0f}", max(row["longest"] for row in chosen), *lost))
    head = ("steps", "encoding", "frames per step", "tokens per step", "most at once")
    return markdown((*head, *(f"lost at {window:,}" for window in WINDOWS)), rows)


BUDGETS = Study(
    name="budget",
    question="What do the views cost as execution grows, and when does a history no longer fit?",
    cell=Execution,
    cells=cells,
    measure=measure,
    shown=shown,
    cost=lambda cell: cell.steps / 200,
)

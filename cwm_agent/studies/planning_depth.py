"""Study 2, planning depth: how far may the goal be for a plan made in imagination to work, by planner, view and guide?

Depth is commands of the plan, not frames of one execution. `exact` is the ceiling and `none` the control, beside every
oracle. A plan works where the first real run reaches the goal; each further real run is a look at reality, after which
the planner knows where the commands it tried really lead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.oracles.protocol import View
from cwm_agent.studies.figures import Line, Mark, Panel, figure, named, share_scale
from cwm_agent.studies.intervals import gap, mean, share
from cwm_agent.studies.plans import attempt, problems
from cwm_agent.studies.study import Result, Row, Sheet, Study
from cwm_agent.studies.tables import markdown
from cwm_agent.studies.workbench import Workbench

PLANNERS = ("mcts", "beam", "best-first", "random")
SUBJECT = "subject"
"""Stands for the oracle under study."""
DISTANCES = (1, 2, 3, 4, 5, 6, 8, 10)
QUICK = (2, 4, 6)
ITEMS, GENERATORS = 5, "adjacent"
TOKENS = 60_000


@dataclass(frozen=True, slots=True)
class PlanningDepth:
    """So many problems of one distance, planned for in one way."""

    oracle: str
    view: View
    guide: str
    planner: str
    distance: int
    problems: int


def cells(quick: bool) -> list[PlanningDepth]:
    """Ceiling and control first, then the oracle under study: the local view, then the dear ones."""
    ways: list[tuple[str, View, str]] = [("exact", "local", "grounded"), ("none", "local", "grounded")]
    ways += [(SUBJECT, "local", "grounded"), (SUBJECT, "program", "grounded"), (SUBJECT, "program", "free")]
    ways += [(SUBJECT, "history", "free")]
    ways += [] if quick else [(SUBJECT, "program", "cfg"), (SUBJECT, "local", "free"), (SUBJECT, "history", "cfg")]
    return [
        PlanningDepth(*way, planner, distance, _count(way, quick))
        for way in ways
        for distance in (QUICK if quick else DISTANCES)
        for planner in (("beam",) if way[1:] != ("local", "grounded") else ("mcts", "beam") if quick else PLANNERS)
    ]


def _count(way: tuple[str, View, str], quick: bool) -> int:
    """Problems: few where each one takes tens of thousands of tokens."""
    cheap = way[1:] == ("local", "grounded")
    return (6 if cheap else 2) if quick else (20 if cheap else 6)


def measure(cell: PlanningDepth, bench: Workbench) -> Sequence[Row]:
    """One row a problem."""
    name = bench.oracle if cell.oracle == SUBJECT else cell.oracle
    drawn = problems(GENERATORS, ITEMS, cell.distance, cell.problems, bench.seed)
    how = {"guide": cell.guide, "planner": cell.planner}
    return [attempt(problem, bench, oracle=name, view=cell.view, tokens=TOKENS, **how) for problem in drawn]


def shown(results: Sequence[Result[PlanningDepth]]) -> Sheet:
    """Plans that work by distance, a panel a planner, and the depth at which each falls below half of exact."""
    if not results:
        return Sheet({}, "Nothing was measured.\n")
    distances = sorted({each.cell.distance for each in results})
    x = named("commands to the goal", [str(distance) for distance in distances])
    panels = [
        Panel(f"{planner}, {GENERATORS} swaps of {ITEMS}", _lines(results, planner, distances))
        for planner in dict.fromkeys(each.cell.planner for each in results)
    ]
    drawn = figure("Plans that work at the first real run", panels, x, share_scale("share of problems"), columns=2)
    return Sheet({"planning-depth": drawn}, f"{_table(results)}\n{_halves(results)}")


def _label(cell: PlanningDepth) -> str:
    return cell.oracle if cell.oracle != SUBJECT else f"{cell.view}, {cell.guide}"


def _lines(results: Sequence[Result[PlanningDepth]], planner: str, distances: Sequence[int]) -> tuple[Line, ...]:
    chosen = [each for each in results if each.cell.planner == planner]
    lines = []
    for label in dict.fromkeys(_label(each.cell) for each in chosen):
        marks = []
        for each in chosen:
            if _label(each.cell) == label:
                value, interval = share([float(row["first"]) for row in each.rows])
                at = distances.index(each.cell.distance)
                marks.append(Mark(at, value, interval.low, interval.high, f"of {len(each.rows)}"))
        lines.append(Line(label, tuple(marks), dashed=label in ("exact", "none")))
    return tuple(lines)


def _table(results: Sequence[Result[PlanningDepth]]) -> str:
    ceiling = {(each.cell.planner, each.cell.distance): each.rows for each in results if each.cell.oracle == "exact"}
    rows = []
    for each in results:
        cell, count = each.cell, len(each.rows)
        first, within = (sum(bool(row[what]) for row in each.rows) for what in ("first", "solved"))
        less = _less(each.rows, ceiling.get((cell.planner, cell.distance)))
        runs, tokens = (mean([float(row[what]) for row in each.rows]) for what in ("runs", "tokens"))
        figures = (f"{first} of {count}", within, f"{runs:.1f}", f"{tokens:.0f}")
        rows.append((cell.planner, _label(cell), cell.distance, *figures, less))
    head = ("planner", "oracle", "distance", "at the first run", "within ten", "real runs, mean", "tokens, mean")
    return markdown((*head, "first run, less exact"), rows)


def _less(rows: Sequence[Row], ceiling: Sequence[Row] | None) -> str | None:
    """How much worse than exact on the same problems, with its interval."""
    if ceiling is None:
        return None
    value, interval = gap(rows, ceiling, "first")
    return f"{value:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"


def _halves(results: Sequence[Result[PlanningDepth]]) -> str:
    """The last distance up to which each way solves at least half of what exact solves."""
    solved = {
        (each.cell.planner, _label(each.cell), each.cell.distance): mean([float(row["first"]) for row in each.rows])
        for each in results
    }
    distances = sorted({distance for _, _, distance in solved})
    rows = []
    for planner, label in dict.fromkeys((planner, label) for planner, label, _ in solved):
        pairs = [
            (distance, solved.get((planner, label, distance)), solved.get((planner, "exact", distance)))
            for distance in distances
        ]
        known = [(distance, ours, best) for distance, ours, best in pairs if ours is not None and best is not None]
        below = next((distance for distance, ours, best in known if ours < best / 2), None)
        if known:
            rows.append((planner, label, below if below is not None else f"not up to {known[-1][0]}"))
    return markdown(("planner", "oracle", "distance at which it falls below half of exact"), rows)


PLANNING_DEPTH = Study(
    "planning-depth",
    "How far may the goal be for a plan made in imagination to work?",
    PlanningDepth,
    cells,
    measure,
    shown,
    lambda cell: cell.view if cell.oracle == SUBJECT else None,
)

"""Study 2, planning depth: how far may the goal be for a plan made in imagination to work, by planner, view and guide?

Depth is commands of the plan, not frames of one execution. `exact` is the ceiling and `none` the control, beside every
oracle. A plan works where the first real run reaches the goal; each further real run is a look at reality, after which
the planner knows where the commands it tried really lead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.svg_figures import Curve, Panel, PointMark, figure, named, share_scale
from cwm_agent.studies.experiments.anchored_planning import anchored_attempt
from cwm_agent.studies.experiments.planning_problems import attempt, problems
from cwm_agent.studies.intervals import gap, mean, share
from cwm_agent.studies.study_protocol import CellResult, ResultSheet, Row, Study
from cwm_agent.studies.workbench import Workbench
from tasks.task import Style

STYLES: tuple[Style, ...] = get_args(Style)
PLANNERS = ("mcts", "best-first", "random", "beam")
"""The last with all views."""
VIEWS: tuple[View, ...] = ("local", "program", "history")
SUBJECT = "subject"
"""Stands for the oracle under study."""
DISTANCES = (1, 2, 3, 4, 5, 6, 8, 10)
LONG = (12, 16, 20, 24, 28)
"""Of 8 items, up to the farthest there is. Not in the history view: a plan of 12 would take two million tokens."""
QUICK = (2, 4)
EVERY = (1, 2, 4)
"""Commands between the looks of anchored plans."""
ROUGH = "noisy:systematic:state=0.5"
"""The oracle beside which anchoring is measured: half of what it says of values is wrong, the same way each time."""
GENERATORS = "adjacent"
TOKENS = {5: 60_000, 8: 400_000}
"""Of one attempt, by items."""
HISTORY_TOKENS = 400_000
"""The same in the history view, where each plan is read from its first frame: tokens are not to be what limits it."""


@dataclass(frozen=True, slots=True)
class PlanningDepth:
    """So many problems of one distance, planned for in one way."""

    oracle: str
    view: View
    guide: str
    planner: str
    form: Style
    items: int
    distance: int
    problems: int
    every: int = 0
    """Commands after which the plan so far is looked at for real; 0 for never."""


Way = tuple[str, View, str]
_CHEAP: tuple[Way, ...] = tuple((oracle, "local", "grounded") for oracle in ("exact", "none", SUBJECT))
_DEAR: tuple[Way, ...] = (
    (SUBJECT, "history", "free"),
    (SUBJECT, "program", "free"),
    (SUBJECT, "program", "grounded"),
)
_DEAREST: tuple[Way, ...] = (
    (SUBJECT, "history", "cfg"),
    (SUBJECT, "program", "cfg"),
    (SUBJECT, "local", "free"),
)


def cells(quick: bool) -> list[PlanningDepth]:
    """Ceiling and control first, then the oracle under study: the local view, then the dear ones."""
    return [*_short(quick), *_anchored(quick), *([] if quick else _long())]


def _short(quick: bool) -> list[PlanningDepth]:
    """Plans over 5 items; all planners where imagining costs little."""
    planners = ("mcts", "beam") if quick else PLANNERS
    return [
        PlanningDepth(*way, planner, form, 5, distance, _count(way, quick))
        for ways in (_CHEAP, _DEAR, () if quick else _DEAREST)
        for form in STYLES
        for way in ways
        for distance in (QUICK if quick else DISTANCES)
        for planner in (planners if ways is _CHEAP and form == "straight" else ("beam",))
    ]


def _anchored(quick: bool) -> list[PlanningDepth]:
    """Looks on the way, with an oracle that errs much, with none at all, and with the history view's."""
    ways: tuple[Way, ...] = ((ROUGH, "local", "grounded"), ("none", "local", "grounded"), (SUBJECT, "history", "free"))
    return [
        PlanningDepth(*way, "beam", "branching", 5, distance, 2 if quick else 10, every)
        for way in (ways[:2] if quick else ways)
        for distance in ((4,) if quick else (4, 8))
        for every in ((2,) if quick else (*EVERY, 0))
    ]


def _long() -> list[PlanningDepth]:
    """Plans over 8 items, up to the longest there are."""
    return [
        PlanningDepth(*way, "beam", "straight", 8, distance, 10 if way in _CHEAP else 4)
        for way in (*_CHEAP, (SUBJECT, "program", "free"))
        for distance in LONG
    ]


def _count(way: Way, quick: bool) -> int:
    """Problems: few where each one takes tens of thousands of tokens."""
    cheap = way in _CHEAP
    return (6 if cheap else 2) if quick else (20 if cheap else 6)


def _cost(cell: PlanningDepth) -> float:
    """Every plan that is looked at is as long as the way to it, and there are as many as there is way."""
    a_plan = {"history": 0.5, "program": 0.3}.get(_shown_in(cell), 0.02 if cell.oracle == SUBJECT else 0.005)
    return a_plan * cell.problems * cell.distance**2


def _shares(cell: PlanningDepth) -> tuple[object, ...]:
    """Guides ask about the same plans as long as they agree."""
    return _shown_in(cell), cell.oracle, cell.planner, cell.form, cell.items, cell.distance, cell.every


def _shown_in(cell: PlanningDepth) -> str:
    """The view that most is asked in: for the next line the local view shows the program."""
    return "program" if cell.oracle == SUBJECT and (cell.view, cell.guide) == ("local", "free") else cell.view


def measure(cell: PlanningDepth, bench: Workbench) -> Sequence[Row]:
    """One row a problem."""
    name = bench.oracle if cell.oracle == SUBJECT else cell.oracle
    drawn = problems(GENERATORS, cell.items, cell.distance, cell.problems, bench.seed, cell.form)
    view, guide = cell.view, cell.guide
    tokens = TOKENS[cell.items] if adapter_of(view).asks_single_steps else HISTORY_TOKENS
    if cell.every:
        every = cell.every
        return [
            anchored_attempt(each, bench, oracle=name, view=view, guide=guide, every=every, tokens=tokens)
            for each in drawn
        ]
    return [
        attempt(each, bench, oracle=name, view=view, guide=guide, planner=cell.planner, tokens=tokens) for each in drawn
    ]


def shown(results: Sequence[CellResult[PlanningDepth]]) -> ResultSheet:
    """Plans that work by distance, a panel a planner, and the depth at which each falls below half of exact."""
    if not results:
        return ResultSheet({}, "Nothing was measured.\n")
    figures = {}
    for items, name in ((5, "planning-depth"), (8, "planning-long")):
        chosen = [each for each in results if each.cell.items == items and not _has_looks(each.cell)]
        if chosen:
            figures[name] = _figure(chosen, items)
    looked = [each for each in results if _has_looks(each.cell)]
    if looked:
        figures["planning-anchored"] = _anchored_figure(looked)
    return ResultSheet(figures, f"{_table(results)}\n{_halves(results)}")


def _has_looks(cell: PlanningDepth) -> bool:
    """Whether a cell belongs to the anchored ones, those without looks beside them included."""
    return cell in set(_anchored(False)) | set(_anchored(True))


def _figure(results: Sequence[CellResult[PlanningDepth]], items: int) -> str:
    distances = sorted({each.cell.distance for each in results})
    x = named("commands to the goal", [str(distance) for distance in distances])
    places = _places(results)
    panels = [
        Panel(f"{planner}, {form}, {view} view", _lines(_beside(results, planner, form, view), distances))
        for planner in PLANNERS
        for form in STYLES
        for view in VIEWS
        if (planner, form, view) in places
    ]
    title = f"Plans that work at the first real run, {GENERATORS} swaps of {items} items"
    return figure(title, panels, x, share_scale("share of problems"))


def _places(results: Sequence[CellResult[PlanningDepth]]) -> set[tuple[str, Style, View]]:
    """Planner, commands and view of each panel: where the oracle under study was asked, or where it was in no view."""
    every = {(each.cell.planner, each.cell.form, each.cell.view) for each in results}
    asked = {(each.cell.planner, each.cell.form, each.cell.view) for each in results if each.cell.oracle == SUBJECT}
    return asked | {place for place in every if place[:2] not in {other[:2] for other in asked}}


def _beside(
    results: Sequence[CellResult[PlanningDepth]], planner: str, form: Style, view: View
) -> list[CellResult[PlanningDepth]]:
    """The oracle under study in one view, and ceiling and control, which have none."""
    chosen = [each for each in results if (each.cell.planner, each.cell.form) == (planner, form)]
    return [each for each in chosen if each.cell.view == view or each.cell.oracle != SUBJECT]


def _anchored_figure(results: Sequence[CellResult[PlanningDepth]]) -> str:
    """Plans that work by how often reality is looked at, a panel a distance."""
    names = [str(every) for every in EVERY] + ["never"]
    panels = []
    for distance in sorted({each.cell.distance for each in results}):
        lines = []
        for label in dict.fromkeys(_oracle(each.cell) for each in results):
            marks = []
            for each in results:
                if (_oracle(each.cell), each.cell.distance) == (label, distance):
                    value, interval = share([float(row["first"]) for row in each.rows])
                    looks = mean([float(row["runs"]) for row in each.rows])
                    at = names.index(str(each.cell.every or "never"))
                    marks.append(PointMark(at, value, interval.low, interval.high, f"with {looks:.0f} real runs"))
            marks.sort(key=lambda mark: mark.x)
            lines.append(Curve(_ANCHORED.get(label, label), tuple(marks), dashed=label == "none"))
        panels.append(Panel(f"{distance} commands to the goal", tuple(lines)))
    title = "Anchored plans that work when carried out, branching commands"
    return figure(title, panels, named("commands between real looks", names), share_scale("share of problems"))


_ANCHORED = {ROUGH: "half of all values wrong", "none": "none (control)"}


def _oracle(cell: PlanningDepth) -> str:
    """Who is asked, and in which view where that matters."""
    return cell.oracle if cell.oracle != SUBJECT else f"{cell.view}, {cell.guide}"


def _label(cell: PlanningDepth) -> str:
    return _oracle(cell) + (f", looks every {cell.every}" if cell.every else "")


def _guided(cell: PlanningDepth) -> str:
    """Ceiling, control, or the guide of the oracle under study: the panel says its view."""
    return cell.guide if cell.oracle == SUBJECT else cell.oracle


def _lines(results: Sequence[CellResult[PlanningDepth]], distances: Sequence[int]) -> tuple[Curve, ...]:
    lines = []
    for label in dict.fromkeys(_guided(each.cell) for each in results):
        marks = []
        for each in results:
            if _guided(each.cell) == label:
                value, interval = share([float(row["first"]) for row in each.rows])
                at = distances.index(each.cell.distance)
                marks.append(PointMark(at, value, interval.low, interval.high, f"of {len(each.rows)}"))
        lines.append(Curve(label, tuple(marks), dashed=label in ("exact", "none")))
    return tuple(lines)


def _place(cell: PlanningDepth) -> tuple[str, str, int]:
    """Where a cell has its ceiling: same planner, commands and items."""
    return cell.planner, cell.form, cell.items


def _table(results: Sequence[CellResult[PlanningDepth]]) -> str:
    ceiling = {(_place(each.cell), each.cell.distance): each.rows for each in results if each.cell.oracle == "exact"}
    rows = []
    for each in results:
        cell, count = each.cell, len(each.rows)
        first, within = (sum(bool(row[what]) for row in each.rows) for what in ("first", "solved"))
        less = _less(each.rows, ceiling.get((_place(cell), cell.distance)))
        runs, tokens = (mean([float(row[what]) for row in each.rows]) for what in ("runs", "tokens"))
        figures = (f"{first} of {count}", within, f"{runs:.1f}", f"{tokens:.0f}")
        rows.append((cell.planner, f"{cell.form}, {cell.items}", _label(cell), cell.distance, *figures, less))
    head = ("planner", "commands, items", "oracle", "distance", "at the first run", "within ten", "real runs, mean")
    return markdown((*head, "tokens, mean", "first run, less exact"), rows)


def _less(rows: Sequence[Row], ceiling: Sequence[Row] | None) -> str | None:
    """How much worse than exact on the same problems, with its interval."""
    if ceiling is None:
        return None
    value, interval = gap(rows, ceiling, "first")
    return f"{value:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"


def _halves(results: Sequence[CellResult[PlanningDepth]]) -> str:
    """The distance at which each way solves less than half of what exact solves."""
    solved = {
        (_place(each.cell), _label(each.cell), each.cell.distance): mean([float(row["first"]) for row in each.rows])
        for each in results
    }
    distances = sorted({distance for _, _, distance in solved})
    rows = []
    for place, label in dict.fromkeys((place, label) for place, label, _ in solved):
        pairs = [
            (distance, solved.get((place, label, distance)), solved.get((place, "exact", distance)))
            for distance in distances
        ]
        known = [(distance, ours, best) for distance, ours, best in pairs if ours is not None and best is not None]
        below = next((distance for distance, ours, best in known if ours < best / 2), None)
        if known:
            planner, form, items = place
            said = below if below is not None else f"not up to {known[-1][0]}"
            rows.append((planner, f"{form}, {items}", label, said))
    return markdown(("planner", "commands, items", "oracle", "distance at which it falls below half of exact"), rows)


PLANNING_DEPTH = Study(
    "planning-depth",
    "How far may the goal be for a plan made in imagination to work?",
    PlanningDepth,
    cells,
    measure,
    shown,
    lambda cell: cell.view if cell.oracle == SUBJECT else None,
    _cost,
    _shares,
)

"""Study 2, planning depth: up to which distance of the goal do imagined plans work, by planner, view and guide?

Depth counts commands of the plan, not frames of one execution. Every oracle is compared with `exact` (the ceiling) and
`none` (the control). A plan works if the first real run reaches the goal. After each further real run (a look) the
planner knows the real states of the commands that it tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, StudyFigure, named, share_scale
from cwm_agent.studies.experiments.anchored_planning import anchored_attempt
from cwm_agent.studies.experiments.planning_problems import attempt, problems
from cwm_agent.studies.intervals import gap, gap_text, mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import marked
from tasks.task import Style

STYLES: tuple[Style, ...] = get_args(Style)
PLANNERS = ("mcts", "best-first", "random", "beam")
"""The last one is measured in all views."""
VIEWS: tuple[View, ...] = ("local", "program", "history")
SUBJECT = "subject"
"""Name of the oracle under study in a cell."""
DISTANCES = (1, 2, 3, 4, 5, 6, 8, 10)
LONG = (12, 16, 20, 24, 28)
"""Distances of 8 items, up to the largest. Not in the history view: a plan of 12 commands takes two million tokens."""
QUICK = (2, 4)
EVERY = (1, 2, 4)
"""Commands between two looks of anchored plans."""
ROUGH = "noisy:systematic:state=0.5"
"""The oracle of the anchored plans: half of its values are wrong, the same ones each time."""
GENERATORS = "adjacent"
TOKENS = {5: 60_000, 8: 400_000}
"""Token limit of one attempt, by number of items."""
HISTORY_TOKENS = 400_000
"""The same in the history view, which reads each plan from its first frame; high enough not to limit the search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningDepth:
    """Problems of one distance, planned in one way."""

    oracle: str
    view: View
    guide: str
    planner: str
    form: Style
    items: int
    distance: int
    problems: int
    every: int = 0
    """Commands between two looks; 0 for no looks."""


Way = tuple[str, View, str]
_CHEAP: tuple[Way, ...] = tuple((oracle, "local", "grounded") for oracle in ("exact", "none", SUBJECT))
_EXPENSIVE: tuple[Way, ...] = (
    (SUBJECT, "history", "free"),
    (SUBJECT, "program", "free"),
    (SUBJECT, "program", "grounded"),
)
_MOST_EXPENSIVE: tuple[Way, ...] = (
    (SUBJECT, "history", "cfg"),
    (SUBJECT, "program", "cfg"),
    (SUBJECT, "local", "free"),
)


def cells(quick: bool) -> list[PlanningDepth]:
    """Ceiling and control first, then the oracle under study: the local view, then the expensive ones."""
    return [*_short(quick), *_anchored(quick), *([] if quick else _long())]


def _cell(
    way: Way, *, planner: str = "beam", form: Style, items: int, distance: int, problems: int, every: int = 0
) -> PlanningDepth:
    oracle, view, guide = way
    return PlanningDepth(
        oracle=oracle,
        view=view,
        guide=guide,
        planner=planner,
        form=form,
        items=items,
        distance=distance,
        problems=problems,
        every=every,
    )


def _short(quick: bool) -> list[PlanningDepth]:
    """Plans over 5 items; all planners where imagination is cheap."""
    planners = ("mcts", "beam") if quick else PLANNERS
    return [
        _cell(way, planner=planner, form=form, items=5, distance=distance, problems=_count(way, quick))
        for ways in (_CHEAP, _EXPENSIVE, () if quick else _MOST_EXPENSIVE)
        for form in STYLES
        for way in ways
        for distance in (QUICK if quick else DISTANCES)
        for planner in (planners if ways is _CHEAP and form == "straight" else ("beam",))
    ]


def _anchored(quick: bool) -> list[PlanningDepth]:
    """Plans with looks: with an oracle of many errors, without an oracle, and in the history view."""
    ways: tuple[Way, ...] = ((ROUGH, "local", "grounded"), ("none", "local", "grounded"), (SUBJECT, "history", "free"))
    return [
        _cell(way, form="branching", items=5, distance=distance, problems=2 if quick else 10, every=every)
        for way in (ways[:2] if quick else ways)
        for distance in ((4,) if quick else (4, 8))
        for every in ((2,) if quick else (*EVERY, 0))
    ]


def _long() -> list[PlanningDepth]:
    """Plans over 8 items, up to the largest distance."""
    return [
        _cell(way, form="straight", items=8, distance=distance, problems=10 if way in _CHEAP else 4)
        for way in (*_CHEAP, (SUBJECT, "program", "free"))
        for distance in LONG
    ]


def _count(way: Way, quick: bool) -> int:
    """Number of problems: few where one problem takes tens of thousands of tokens."""
    cheap = way in _CHEAP
    return (6 if cheap else 2) if quick else (20 if cheap else 6)


def _cost(cell: PlanningDepth) -> float:
    """Seconds, estimated: both the length and the number of imagined plans grow with the distance."""
    per_plan = {"history": 0.5, "program": 0.3}.get(_asked_view(cell), 0.02 if cell.oracle == SUBJECT else 0.005)
    return per_plan * cell.problems * cell.distance**2


def _shares(cell: PlanningDepth) -> tuple[object, ...]:
    """Guides ask about the same plans until they diverge."""
    return _asked_view(cell), cell.oracle, cell.planner, cell.form, cell.items, cell.distance, cell.every


def _asked_view(cell: PlanningDepth) -> str:
    """The view of most questions: in the local view the question about the next line shows the program."""
    return "program" if cell.oracle == SUBJECT and (cell.view, cell.guide) == ("local", "free") else cell.view


def measure(cell: PlanningDepth, bench: Workbench) -> Sequence[Row]:
    """One row per problem."""
    name = bench.oracle if cell.oracle == SUBJECT else cell.oracle
    drawn = problems(GENERATORS, cell.items, cell.distance, count=cell.problems, seed=bench.seed, style=cell.form)
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


def shown(results: Sequence[CellResult[PlanningDepth]]) -> StudyOutput:
    """Working plans by distance, one panel per planner, and the distance at which each falls below half of exact."""
    if not results:
        return StudyOutput({}, "No cell was measured.\n")
    figures = {}
    for items, name in ((5, "planning-depth"), (8, "planning-long")):
        chosen = [each for each in results if each.cell.items == items and not _has_looks(each.cell)]
        if chosen:
            figures[name] = _figure(chosen, items)
    looked = [each for each in results if _has_looks(each.cell)]
    if looked:
        figures["planning-anchored"] = _anchored_figure(looked)
    return StudyOutput(figures, f"{_table(results)}\n{_halves(results)}")


def _has_looks(cell: PlanningDepth) -> bool:
    """Whether a cell belongs to the anchored part, which includes cells without looks for comparison."""
    return cell in set(_anchored(False)) | set(_anchored(True))


def _figure(results: Sequence[CellResult[PlanningDepth]], items: int) -> StudyFigure:
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
    return StudyFigure(title, panels, x, share_scale("share of problems"))


def _places(results: Sequence[CellResult[PlanningDepth]]) -> set[tuple[str, Style, View]]:
    """Planner, form and view of each panel: those of the oracle under study, and others where it has no panel."""
    every = {(each.cell.planner, each.cell.form, each.cell.view) for each in results}
    asked = {(each.cell.planner, each.cell.form, each.cell.view) for each in results if each.cell.oracle == SUBJECT}
    return asked | {place for place in every if place[:2] not in {other[:2] for other in asked}}


def _beside(
    results: Sequence[CellResult[PlanningDepth]], planner: str, form: Style, view: View
) -> list[CellResult[PlanningDepth]]:
    """Results of the oracle under study in one view, with ceiling and control."""
    chosen = [each for each in results if (each.cell.planner, each.cell.form) == (planner, form)]
    return [each for each in chosen if each.cell.view == view or each.cell.oracle != SUBJECT]


def _anchored_figure(results: Sequence[CellResult[PlanningDepth]]) -> StudyFigure:
    """Working plans by commands between looks, one panel per distance."""
    names = [str(every) for every in EVERY] + ["never"]
    panels = []
    for distance in sorted({each.cell.distance for each in results}):
        lines = []
        for label in dict.fromkeys(_oracle(each.cell) for each in results):
            marks = []
            for each in results:
                if (_oracle(each.cell), each.cell.distance) == (label, distance):
                    value, interval = share([float(row["first"]) for row in each.rows])
                    at = names.index(str(each.cell.every or "never"))
                    marks.append(PointMark(at, value, interval.low, interval.high, programs=len(each.rows)))
            marks.sort(key=lambda mark: mark.x)
            lines.append(Curve(_ANCHORED.get(label, label), tuple(marks), dashed=label == "none"))
        panels.append(Panel(f"{distance} commands to the goal", tuple(lines)))
    title = "Anchored plans that work when executed, branching commands"
    return StudyFigure(title, panels, named("commands between real looks", names), share_scale("share of problems"))


_ANCHORED = {ROUGH: "half of all values wrong", "none": "none (control)"}


def _oracle(cell: PlanningDepth) -> str:
    """The oracle; of the oracle under study its view and guide."""
    return cell.oracle if cell.oracle != SUBJECT else f"{cell.view}, {cell.guide}"


def _label(cell: PlanningDepth) -> str:
    return _oracle(cell) + (f", looks every {cell.every}" if cell.every else "")


def _guided(cell: PlanningDepth) -> str:
    """Ceiling, control, or the guide of the oracle under study, whose view is in the title of the panel."""
    return cell.guide if cell.oracle == SUBJECT else cell.oracle


def _lines(results: Sequence[CellResult[PlanningDepth]], distances: Sequence[int]) -> tuple[Curve, ...]:
    lines = []
    for label in dict.fromkeys(_guided(each.cell) for each in results):
        marks = []
        for each in results:
            if _guided(each.cell) == label:
                value, interval = share([float(row["first"]) for row in each.rows])
                at = distances.index(each.cell.distance)
                marks.append(PointMark(at, value, interval.low, interval.high, programs=len(each.rows)))
        lines.append(Curve(label, tuple(marks), dashed=label in ("exact", "none")))
    return tuple(lines)


def _place(cell: PlanningDepth) -> tuple[str, str, int]:
    """Planner, form and items; cells are compared with the ceiling of the same three."""
    return cell.planner, cell.form, cell.items


def _table(results: Sequence[CellResult[PlanningDepth]]) -> str:
    ceiling = {(_place(each.cell), each.cell.distance): each.rows for each in results if each.cell.oracle == "exact"}
    rows = []
    for each in results:
        cell, count = each.cell, len(each.rows)
        first, within = (sum(bool(row[what]) for row in each.rows) for what in ("first", "solved"))
        less = _less(each.rows, ceiling.get((_place(cell), cell.distance)))
        runs, tokens = (mean([float(row[what]) for row in each.rows]) for what in ("runs", "tokens"))
        figures = (marked(f"{first} of {count}", count), within, f"{runs:.1f}", f"{tokens:.0f}")
        rows.append((cell.planner, f"{cell.form}, {cell.items}", _label(cell), cell.distance, *figures, less))
    head = ("planner", "commands, items", "oracle", "distance", "at the first run", "within ten", "real runs, mean")
    return markdown((*head, "tokens, mean", "first run, less exact"), rows)


def _less(rows: Sequence[Row], ceiling: Sequence[Row] | None) -> str | None:
    """The difference from exact on the same problems, with its interval."""
    if ceiling is None:
        return None
    return gap_text(gap(rows, ceiling, "first"))


def _halves(results: Sequence[CellResult[PlanningDepth]]) -> str:
    """The distance at which each oracle solves less than half of the problems that exact solves."""
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
            found = below if below is not None else f"not up to {known[-1][0]}"
            rows.append((planner, f"{form}, {items}", label, found))
    return markdown(("planner", "commands, items", "oracle", "distance at which it falls below half of exact"), rows)


PLANNING_DEPTH = Study(
    name="planning-depth",
    question="Up to which distance of the goal do imagined plans work?",
    cell=PlanningDepth,
    cells=cells,
    measure=measure,
    shown=shown,
    views=lambda cell: cell.view if cell.oracle == SUBJECT else None,
    cost=_cost,
    shares=_shares,
)

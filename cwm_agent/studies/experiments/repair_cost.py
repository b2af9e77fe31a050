"""Study 7, repair cost: how many real executions does a repair take with an oracle of known error rates?

Short tasks of the project, one edit from their repair. Oracles with errors in values (grounded: a rule decides the next
line) or in the next line (free) are compared with `exact`, `none` and the oracle under study. Executions by `exact` and
`noisy` are counted but not charged: these oracles are the scale. An unsolved task counts with its whole budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.repair.repair_kind import solve_repair
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, Scale, StudyFigure, named
from cwm_agent.studies.intervals import gap, gap_text, mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import marked
from tasks import RepairTask, load

SUBJECT = "subject"
"""Name of the oracle under study in a cell."""
TASKS = "repair/one_edit_short"
EXECUTIONS = 50
STEPS = 30_000
"""Most imagined steps per task: an oracle of many errors could imagine without end."""
RATES = (0.03, 0.1, 0.3, 1.0)
SECONDS = 900.0
"""A safety limit; steps and executions end a repair earlier, so results do not depend on the machine."""


@dataclass(frozen=True, slots=True)
class RepairCost:
    """Tasks repaired with one oracle."""

    oracle: str
    """exact, none or subject; `action` or `state` for an oracle with errors of this kind."""
    rate: float
    tasks: int


def cells(quick: bool) -> list[RepairCost]:
    """Ceiling, control and the oracle under study, then state and action errors with rates up to 1."""
    compared = [RepairCost(oracle, 0.0, 2 if quick else 10) for oracle in ("exact", "none", SUBJECT)]
    rates, fewer = ((0.1,), 1) if quick else (RATES, 10)
    return [*compared, *(RepairCost(what, rate, fewer) for rate in rates for what in ("state", "action"))]


def measure(cell: RepairCost, bench: Workbench) -> Sequence[Row]:
    """One row per task."""
    name = _named(cell, bench)
    guide = parse_guide("free" if cell.oracle == "action" else "grounded")
    budget = Budget(executions=EXECUTIONS, steps=STEPS, seconds=SECONDS)
    settings = Settings(
        planner="mcts",
        oracle=name,
        view="local",
        guide=guide,
        budget=budget,
        seed=bench.seed,
        ceiling=True,
        policy="none",
    )
    rows: list[Row] = []
    for task in short_tasks(cell.tasks):
        workplace = Workplace(settings, oracle=bench.uncached_oracle(name), sandbox=bench.sandbox)
        done = solve_repair(task, workplace)
        spent = int(done.spent["executions"]) if done.solved else EXECUTIONS
        row = {"program": task.id, "solved": done.solved, "executions": spent, "right": bool(done.right)}
        rows.append(row | {"imagined": int(done.spent["imagined"]), "tokens": int(done.spent["tokens"])})
    return rows


def short_tasks(count: int) -> list[RepairTask]:
    """The first tasks of the development split."""
    tasks = [task for task in load(TASKS).tasks if isinstance(task, RepairTask) and task.split == "dev"]
    return tasks[:count]


def _named(cell: RepairCost, bench: Workbench) -> str:
    if cell.oracle == SUBJECT:
        return bench.oracle
    if cell.oracle in ("action", "state"):
        return f"noisy:systematic:{cell.oracle}={cell.rate:g},seed={bench.seed}"
    return cell.oracle


def shown(results: Sequence[CellResult[RepairCost]]) -> StudyOutput:
    """Real executions by error rate, with ceiling and control."""
    if not results:
        return StudyOutput({}, "No cell was measured.\n")
    return StudyOutput({"repair-cost": _figure(results)}, _table(results))


def _shared(results: Sequence[CellResult[RepairCost]]) -> set[str]:
    """The tasks that all cells have; only means over these can be compared."""
    return set.intersection(*({row["program"] for row in each.rows} for each in results))


def _spent(result: CellResult[RepairCost], tasks: set[str]) -> list[float]:
    return [float(row["executions"]) for row in result.rows if row["program"] in tasks]


def _figure(results: Sequence[CellResult[RepairCost]]) -> StudyFigure:
    shared = _shared(results)
    rates = sorted({each.cell.rate for each in results if each.cell.rate}) or [1.0]
    names = ["0", *(f"{rate:g}" for rate in rates)]
    lines = []
    for label in dict.fromkeys(each.cell.oracle for each in results):
        marks = []
        for each in results:
            if each.cell.oracle == label:
                value, interval = share(_spent(each, shared), least=1.0, most=EXECUTIONS)
                level = each.cell.oracle not in ("action", "state")
                places = range(len(names)) if level else (names.index(f"{each.cell.rate:g}"),)
                marks += [PointMark(at, value, interval.low, interval.high, programs=len(shared)) for at in places]
        lines.append(Curve(_label(label), tuple(marks), dashed=label not in ("action", "state")))
    y = Scale("real executions per task", 0.0, float(EXECUTIONS), (0.0, 10.0, 20.0, 30.0, 40.0, 50.0))
    title = "Real executions until a repair, unsolved tasks at their budget"
    return StudyFigure(
        title, [Panel(f"{len(shared)} short tasks, one edit", tuple(lines))], named("errors per step", names), y
    )


def _label(oracle: str) -> str:
    known = {"action": "errors in the next line (free)", "state": "errors in values (grounded)"}
    return known.get(oracle, "local view, grounded" if oracle == SUBJECT else oracle)


def _table(results: Sequence[CellResult[RepairCost]]) -> str:
    exact = next((each.rows for each in results if each.cell.oracle == "exact"), None)
    shared = _shared(results)
    rows = []
    for each in results:
        spent = mean([float(row["executions"]) for row in each.rows])
        solved, right = (sum(bool(row[what]) for row in each.rows) for what in ("solved", "right"))
        more = None
        if exact is not None:
            more = gap_text(gap(each.rows, exact, "executions", most=EXECUTIONS), 1)
        rate = f"{each.cell.rate:g}" if each.cell.rate else None
        figures = (
            marked(f"{solved} of {len(each.rows)}", len(each.rows)),
            right,
            f"{spent:.1f}",
            f"{mean(_spent(each, shared)):.1f}",
            more,
        )
        rows.append((_label(each.cell.oracle), rate, *figures))
    head = ("oracle", "errors per step", "solved", "hidden tests pass", "real executions, mean")
    return markdown((*head, f"on the {len(shared)} tasks that all share", "more than exact, same tasks"), rows)


REPAIR_COST = Study(
    name="repair-cost",
    question="How many real executions does a repair take with an oracle of known error rates?",
    cell=RepairCost,
    cells=cells,
    measure=measure,
    shown=shown,
    views=lambda cell: "local" if cell.oracle == SUBJECT else None,
    cost=lambda cell: cell.tasks * 30.0,
)

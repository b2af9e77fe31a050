"""Study 3, dose and response: the depth of rollouts, and the success of plans, with oracles of known error rates.

Reach: rollouts of an oracle with known rates of action and state errors; the depth at which half of them have diverged,
beside the depth that the hazard per step predicts. Plans: problems that are solved at the first real run. The study
shows how good a model must be for a given depth. It does not ask the oracle under study.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Literal

from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.wrappers.noise import Kind, NoisyOracle, Rates
from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, Scale, StudyFigure, named, share_scale
from cwm_agent.studies.experiments.planning_problems import attempt, problems
from cwm_agent.studies.intervals import SEED, observations, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.verification.statistics.exact_intervals import widened
from cwm_agent.verification.statistics.survival import Observation, bootstrap, predicted_reach, reach
from cwm_agent.verification.verifier import compare
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.effects import Question
from envs.execution.state.frames import Trace
from envs.execution.stepper.stepper import Stepper

RATES = (0.0, 0.01, 0.03, 0.1)
PLAN_RATES = (0.0, 0.01, 0.03, 0.1, 0.3)
DISTANCES = (2, 4, 6, 8)
SOURCES = {
    "straight": "def f(a, b, c):\n"
    + 100
    * "    a = b + 1\n    b = c - a\n    c = a * 3\n    a = c % 97\n    b = a // 2\n"
    "    c = b + a\n" + "    return a\n",
    "branching": "def f(a, b, c):\n    for i in range(120):\n        if a > b:\n            a = a - 7\n        else:\n"
    "            b = b - 5\n        a = a + i\n    return a\n",
}
"""600 steps in a straight line, and a loop of about 600 steps with a branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dose:
    """An oracle of known error rates, in rollouts or in plans of one distance."""

    part: Literal["reach", "plans"]
    noise: Kind
    guide: str
    action: float
    state: float
    form: str
    """Form of the program, or `adjacent` for the commands of plans."""
    distance: int
    """Distance of the plans; 0 for rollouts."""
    count: int
    """Number of rollouts or problems."""


def cells(quick: bool) -> list[Dose]:
    """Rollouts on a grid of action and state rates; plans with wrong values, and plans with wrong lines."""
    rates = [(0.0, 0.1), (0.1, 0.0), (0.03, 0.03)] if quick else [pair for pair in product(RATES, RATES) if any(pair)]
    kinds: tuple[Kind, ...] = ("iid",) if quick else ("iid", "systematic")
    reached = [
        Dose(
            part="reach",
            noise=noise,
            guide=guide,
            action=action,
            state=state,
            form=form,
            distance=0,
            count=20 if quick else 60,
        )
        for form, noise, guide, (action, state) in product(SOURCES, kinds, ("free", "grounded"), rates)
        if guide == "free" or state
    ]
    plan_kinds: tuple[Kind, ...] = ("systematic",) if quick else ("iid", "systematic")
    plan_rates = (0.0, 0.1) if quick else PLAN_RATES
    count = 4 if quick else 20
    grid = list(product(plan_kinds, (2, 6) if quick else DISTANCES, plan_rates))

    def plans(guide: str, noise: Kind, distance: int, rate: float) -> Dose:
        wrong = {"action": 0.0, "state": rate} if guide == "grounded" else {"action": rate, "state": 0.0}
        return Dose(part="plans", noise=noise, guide=guide, **wrong, form="adjacent", distance=distance, count=count)

    return [*reached, *(plans("grounded", *each) for each in grid), *(plans("free", *each) for each in grid)]


def measure(cell: Dose, bench: Workbench) -> Sequence[Row]:
    """One row per rollout or problem."""
    if cell.part == "plans":
        rates = {"action": cell.action, "state": cell.state}
        wrong = ",".join(f"{what}={rate:g}" for what, rate in rates.items() if rate)
        name = f"noisy:{cell.noise}:{wrong},seed={bench.seed}" if wrong else "exact"
        drawn = problems(cell.form, 5, cell.distance, count=cell.count, seed=bench.seed)
        return [
            attempt(problem, bench, oracle=name, view="local", guide=cell.guide, planner="beam") for problem in drawn
        ]
    program = decomposed(SOURCES[cell.form], "f")
    real = bench.trace(program, "3, 4, 5")
    hazard = expected_hazard(program, real, cell)
    longest = min(len(real.frames), int(4 * predicted_reach(hazard, 0.5)) + 20)
    return [{**row, "hazard": hazard} for row in _rolled(cell, bench, program, real=real, longest=longest)]


def _rolled(cell: Dose, bench: Workbench, program: Program, *, real: Trace, longest: int) -> list[Row]:
    """Rollouts with random errors; a systematic oracle gets one rollout per seed, since all would be equal."""
    rates, exact = Rates(cell.action, cell.state), bench.cached_oracle("exact")
    settings = RolloutSettings(view="program", guide=parse_guide(cell.guide), steps=longest)
    start = RolloutStart(program, real.frames[0], real)
    if cell.noise == "iid":
        found = imagine([start] * cell.count, NoisyOracle(exact, rates, "iid", bench.seed), settings)
    else:
        seeds = range(bench.seed * cell.count, (bench.seed + 1) * cell.count)
        found = [imagine([start], NoisyOracle(exact, rates, "systematic", seed), settings)[0] for seed in seeds]
    rows: list[Row] = []
    for number, rollout in enumerate(found):
        held = compare(program, rollout, real)
        kind = held.divergence.kind if held.divergence else None
        rows.append({"program": number, "depth": held.depth, "kind": kind})
    return rows


def expected_hazard(program: Program, real: Trace, cell: Dose) -> float:
    """Expected errors per step; only steps at which the oracle gets a question can go wrong."""
    stepper, total = Stepper(program), 0.0
    for frame in real.frames[:-1]:
        step = stepper.ask(frame)
        state = isinstance(step, Question)
        heading = frame.event == "line" and program.lines[frame.line - 1].lstrip().startswith("for ")
        line = frame.event == "line" and cell.guide == "free" and (state or heading or stepper.is_branch(frame))
        total += 1 - (1 - cell.action * line) * (1 - cell.state * state)
    return total / max(1, len(real.frames) - 1)


def shown(results: Sequence[CellResult[Dose]]) -> StudyOutput:
    """Predicted against measured depth, and solved plans by error rate."""
    reached = [each for each in results if each.cell.part == "reach"]
    plans = [each for each in results if each.cell.part == "plans"]
    figures, tables = {}, []
    if reached:
        figures["dose-reach"] = _reach_figure(reached)
        tables.append(_reach_table(reached))
    if plans:
        figures["dose-plans"] = _plan_figure(plans)
        tables.append(_plan_table(plans))
    return StudyOutput(figures, "\n".join(tables) or "No cell was measured.\n")


def _predicted(result: CellResult[Dose]) -> float:
    return predicted_reach(result.rows[0]["hazard"], 0.5)


def _reached(result: CellResult[Dose]) -> tuple[int | None, float, float]:
    """The depth that half of the rollouts reach, with its interval; None where more than half never diverged."""
    rows = observations(result.rows)
    found = reach(rows, 0.5)
    drawn = bootstrap([[row] for row in rows], _at_half, Random(SEED), draws=300)
    longest = max(row.depth for row in rows)
    interval = widened(drawn, len(rows), 0.0, max(float(longest), drawn.high + 1.0))
    return found.depth, interval.low, interval.high


def _at_half(rows: Sequence[Observation]) -> float:
    found = reach(rows, 0.5)
    return float(found.at_least if found.depth is None else found.depth)


_FARTHEST = 200
"""Length of the axes in steps: more than the prediction for the lowest rate."""


def _reach_figure(results: Sequence[CellResult[Dose]]) -> StudyFigure:
    panels = []
    for form, noise in dict.fromkeys((each.cell.form, each.cell.noise) for each in results):
        lines = [Curve("as predicted", (PointMark(1, 1), PointMark(_FARTHEST, _FARTHEST)), dashed=True, marked=False)]
        for guide in ("free", "grounded"):
            marks = []
            for each in results:
                if (each.cell.form, each.cell.noise, each.cell.guide) == (form, noise, guide):
                    depth, low, high = _reached(each)
                    if depth is not None:
                        ends, count = (max(1, low), max(1, high)), len(each.rows)
                        marks.append(PointMark(_predicted(each), max(1, depth), *ends, programs=count))
            lines.append(Curve(guide, tuple(marks), joined=False))
        panels.append(Panel(f"{form}, {noise}", tuple(lines)))
    x, y = (
        Scale(name, 1, _FARTHEST, (1, 3, 10, 30, 100), powers=True)
        for name in ("predicted d50, steps", "measured d50, steps")
    )
    return StudyFigure("Horizon that half of the rollouts reach", panels, x, y, columns=2)


def _reach_table(results: Sequence[CellResult[Dose]]) -> str:
    rows = []
    for each in results:
        cell, (depth, low, high) = each.cell, _reached(each)
        measured = "not reached" if depth is None else str(depth)
        where = (cell.form, cell.noise, cell.guide, f"{cell.action:g}", f"{cell.state:g}")
        rows.append((*where, f"{_predicted(each):.0f}", measured, f"{low:.0f} to {high:.0f}"))
    head = ("program", "noise", "guide", "action rate", "state rate", "predicted d50", "measured d50", "95 % interval")
    return markdown(head, rows)


def _plan_figure(results: Sequence[CellResult[Dose]]) -> StudyFigure:
    rates = sorted({_rate(each.cell) for each in results})
    x = named("errors per step", [f"{rate:g}" for rate in rates])
    panels = []
    for noise, guide in dict.fromkeys((each.cell.noise, each.cell.guide) for each in results):
        lines = []
        for distance in sorted({each.cell.distance for each in results}):
            marks = []
            for each in results:
                if (each.cell.noise, each.cell.distance) == (noise, distance) and each.cell.guide == guide:
                    value, interval = share([float(row["first"]) for row in each.rows])
                    at, ends = rates.index(_rate(each.cell)), (interval.low, interval.high)
                    marks.append(PointMark(at, value, *ends, programs=len(each.rows)))
            lines.append(Curve(f"distance {distance}", tuple(marks)))
        panels.append(Panel(f"{noise}, {_WRONG[guide]}", tuple(lines)))
    title = "Plans that work at the first real run: beam, adjacent swaps of 5"
    return StudyFigure(title, panels, x, share_scale("share of problems"), columns=2)


_WRONG = {"grounded": "wrong values", "free": "wrong lines"}
"""The kind of errors in plans under a guide."""


def _rate(cell: Dose) -> float:
    """The error rate of plans: of values or of lines."""
    return max(cell.state, cell.action)


def _plan_table(results: Sequence[CellResult[Dose]]) -> str:
    rows = []
    for each in results:
        first, within = (sum(bool(row[what]) for row in each.rows) for what in ("first", "solved"))
        looks = sum(row["runs"] for row in each.rows) / len(each.rows)
        cell = each.cell
        wrong = (cell.noise, _WRONG[cell.guide], f"{_rate(cell):g}")
        rows.append((*wrong, cell.distance, len(each.rows), first, within, f"{looks:.1f}"))
    head = (
        "noise",
        "what is wrong",
        "rate",
        "distance",
        "problems",
        "at the first run",
        "within ten",
        "real runs, mean",
    )
    return markdown(head, rows)


DOSES = Study(
    name="dose",
    question="How deep does an oracle of known error rates reach, and how many of its plans work?",
    cell=Dose,
    cells=cells,
    measure=measure,
    shown=shown,
    cost=lambda cell: cell.count * 0.1,
)

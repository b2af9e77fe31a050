"""Study 8, game models: to which depth does planning in a faulty model of a game help, by kind of its errors?

Millrace, a game with hidden wheels, is planned by ISMCTS in a model with errors of one kind at a known rate: illegal
moves, wrong transitions, wrong observations. The search looks so many moves ahead and values what it finds there by the
stores. The score is the mean return against a random player; a choice that reality refuses, or that the model cannot
make, is a random move.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from cwm_agent.reports.markdown_tables import markdown
from cwm_agent.reports.study_figures import Curve, Panel, PointMark, Scale, StudyFigure, named
from cwm_agent.studies.intervals import mean, share
from cwm_agent.studies.study_protocol import CellResult, Row, Study, StudyOutput
from cwm_agent.studies.workbench import Workbench
from cwm_agent.synthesis.erring_game import ErringMillrace, ShortSighted
from cwm_agent.synthesis.synthesis_run import legal_choices
from envs.games.millrace import Millrace, State
from planners.players.game import choose_randomly, play
from planners.players.information_sets import ISMCTS

KINDS = {"legal": "illegal moves", "step": "wrong transitions", "observe": "wrong observations"}
RATES = (0.01, 0.05, 0.2)
DEPTHS = (1, 2, 4, 8)
SIMULATIONS = 60


@dataclass(frozen=True, slots=True)
class GameModelCell:
    """Games planned in one model to one depth."""

    kind: str
    """`none`, or the kind of errors."""
    rate: float
    depth: int
    """Moves that the search looks ahead."""
    games: int


def cells(quick: bool) -> list[GameModelCell]:
    """A model without errors, then each kind at each rate, at every depth."""
    games, rates, depths = (4, (0.2,), (1, 4)) if quick else (120, RATES, DEPTHS)
    found = [GameModelCell("none", 0.0, depth, games) for depth in depths]
    return found + [
        GameModelCell(kind, rate, depth, games) for kind in KINDS for rate in rates for depth in depths
    ]  # fmt: skip


def measure(cell: GameModelCell, bench: Workbench) -> Sequence[Row]:
    """One row per game: our return, and the choices that failed."""
    real = Millrace()
    rows: list[Row] = []
    for number in range(cell.games):
        model = ShortSighted(ErringMillrace(cell.kind, cell.rate, bench.seed), cell.depth)
        failed: Counter[str] = Counter()
        choosers: list[Any] = [choose_randomly(real)] * 2
        choosers[number % 2] = _planning(model, real, failed)
        returns = play(real, choosers, Random(f"{bench.seed} {number}"))
        rows.append({"program": number, "score": returns[number % 2], "failed": failed.total()})
    return rows


def _planning(model: ShortSighted, real: Millrace, failed: Counter[str]) -> Any:
    planner = ISMCTS(simulations=SIMULATIONS)

    def planned(state: State, rng: Random) -> Any:
        model.start_from(state)
        player = real.legal(state)[0]
        assert player is not None
        search = planner.search(model, real.observe(state, player), player, rng).run()
        return max(search.policy(), key=lambda pair: pair[1])[0]

    return legal_choices(real, planned, failed)


def shown(results: Sequence[CellResult[GameModelCell]]) -> StudyOutput:
    """Score by depth, one panel for each kind of errors."""
    if not results:
        return StudyOutput({}, "No cell was measured.\n")
    return StudyOutput({"game-models": _figure(results)}, _table(results))


def _figure(results: Sequence[CellResult[GameModelCell]]) -> StudyFigure:
    depths = sorted({each.cell.depth for each in results})
    rates = sorted({each.cell.rate for each in results})
    panels = []
    for kind, title in KINDS.items():
        curves = []
        for rate in rates:
            chosen = [each for each in results if each.cell.rate == rate and each.cell.kind in (kind, "none")]
            marks = tuple(_mark(each, depths.index(each.cell.depth)) for each in chosen if each.rows)
            curves.append(Curve(f"errors {rate:g}" if rate else "no errors", marks, dashed=not rate))
        panels.append(Panel(title, tuple(curve for curve in curves if curve.marks)))
    y = Scale("mean return against a random player", -0.5, 1.0, (-0.5, 0.0, 0.5, 1.0))
    return StudyFigure(
        "Planning in a faulty model of a game", panels, named("moves looked ahead", [str(each) for each in depths]), y
    )


def _mark(result: CellResult[GameModelCell], place: int) -> PointMark:
    value, interval = share([float(row["score"]) for row in result.rows], least=-1.0)
    return PointMark(place, value, interval.low, interval.high, programs=len(result.rows))


def _table(results: Sequence[CellResult[GameModelCell]]) -> str:
    rows = []
    for each in results:
        value, interval = share([float(row["score"]) for row in each.rows], least=-1.0)
        failed = mean([float(row["failed"]) for row in each.rows])
        what = KINDS.get(each.cell.kind, "none")
        score = f"{value:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"
        rows.append((what, f"{each.cell.rate:g}", each.cell.depth, score, f"{failed:.2f}"))
    return markdown(("errors", "rate", "moves looked ahead", "mean return", "failed choices a game"), rows)


GAME_MODELS = Study(
    name="game-models",
    question="To which depth does planning in a faulty model of a game help, by kind of its errors?",
    cell=GameModelCell,
    cells=cells,
    measure=measure,
    shown=shown,
    cost=lambda cell: cell.games * 0.1,
)

"""Search under chance: chance nodes and open-loop search find the optimum that recursion computes exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest

from planners import (
    BadModel,
    BadOption,
    BadTicket,
    ChanceMCTS,
    Limits,
    OpenLoopMCTS,
    Refused,
    Step,
    Widening,
    check_model,
    run,
)

FACES = 6
ROLLS = 3
DiceState = tuple[int, int]
"""The die as it lies, and the rolls left."""


@dataclass(frozen=True)
class Dice:
    """Roll a die at most three times and keep what it shows: a stopping problem whose optimum is known."""

    def actions(self, state: DiceState) -> Sequence[str]:
        return ("keep", "roll") if state[1] else ("keep",)

    def step(self, moves: Sequence[tuple[DiceState, str]], rng: Random) -> list[Step[DiceState]]:
        return [self._one(state, action, rng.randint(1, FACES)) for state, action in moves]

    def _one(self, state: DiceState, action: str, rolled: int) -> Step[DiceState]:
        if action == "keep":
            return Step((state[0], -1), float(state[0]), end="goal")
        return Step((rolled, state[1] - 1))


class OpenDice(Dice):
    """The same die with its odds told."""

    def outcomes(self, state: DiceState, action: str) -> list[tuple[float, Step[DiceState]]]:
        faces = range(1, FACES + 1) if action == "roll" else [1]
        return [(1 / len(faces), self._one(state, action, face)) for face in faces]


@cache
def optimum(shown: int, rolls: int) -> float:
    """The exact value of the die: keep what it shows, or roll on."""
    rolled = sum(optimum(face, rolls - 1) for face in range(1, FACES + 1)) / FACES if rolls else 0.0
    return max(float(shown), rolled)


@pytest.mark.parametrize("world", [Dice(), OpenDice()], ids=["drawn", "odds-told"])
@pytest.mark.parametrize("backup", ["mean", "max"])
def test_chance_nodes_find_the_value_of_a_stopping_problem(world: Dice, backup: str) -> None:
    """From a shown 4 it is best to roll, three rolls being left; a 6 is kept."""
    planner = ChanceMCTS(simulations=4000, backup=backup)  # type: ignore[arg-type]
    plan = planner.plan(world, (4, ROLLS), Limits(calls=None), Random(0))
    assert plan.actions[0] == "roll"
    assert plan.value == pytest.approx(optimum(4, ROLLS), abs=0.25)
    assert planner.plan(world, (6, ROLLS), Limits(calls=None), Random(0)).actions == ("keep",)


def test_told_odds_and_max_backup_give_the_exact_value() -> None:
    """Once every outcome was visited, expectimax is exact, whatever was drawn."""
    plan = ChanceMCTS(simulations=5000, backup="max").plan(OpenDice(), (4, 2), Limits(calls=None), Random(3))
    assert plan.value == pytest.approx(optimum(4, 2), abs=1e-9)


def test_open_loop_search_knows_the_value_of_not_looking() -> None:
    """Without a look at the die the third roll is as good as the first: 3.5; so a 4 is kept, and a 3 is rolled."""
    planner = OpenLoopMCTS(simulations=3000)
    assert planner.plan(Dice(), (4, ROLLS), Limits(calls=None), Random(0)).actions == ("keep",)
    plan = planner.plan(Dice(), (3, 1), Limits(calls=None), Random(0))
    assert plan.actions == ("roll", "keep")
    assert plan.value == pytest.approx(3.5, abs=0.2)


@pytest.mark.parametrize(
    "planner", [ChanceMCTS(simulations=200), OpenLoopMCTS(simulations=200)], ids=["chance", "open"]
)
def test_the_same_seed_gives_the_same_plan_and_limits_hold(planner: ChanceMCTS | OpenLoopMCTS) -> None:
    check_model(Dice(), (4, ROLLS))
    plans = [planner.plan(Dice(), (4, ROLLS), Limits(calls=100), Random(5)) for _ in range(2)]
    assert plans[0] == plans[1]
    assert plans[0].spent.calls == 100
    assert plans[0].stopped == "limits"
    assert planner.plan(Dice(), (4, ROLLS), Limits(calls=0), Random(5)).actions == ()
    ended = planner.plan(Dice(), Step((4, 0), end="goal"), Limits(), Random(0))
    assert ended.actions == ()


@pytest.mark.parametrize("planner", [ChanceMCTS(simulations=50), OpenLoopMCTS(simulations=50)], ids=["chance", "open"])
def test_lost_answers_are_released_and_leave_no_trace(planner: ChanceMCTS | OpenLoopMCTS) -> None:
    search = planner.search(Dice(), (4, ROLLS), Limits(calls=None), Random(0))
    leaves = search.ask(4)
    assert len(leaves) == 4
    search.release(leaves)
    assert search.remaining == 50
    assert search.tell([(leaves[0], Step((1, 0)))]) == 0
    assert all(edge.started == 0 for edge in search.root.edges or ())
    with pytest.raises(BadTicket):
        search.release([leaves[0]._replace(ticket=99)])
    assert run(search).stopped == "simulations"
    assert sum(edge.visits for edge in search.root.edges or ()) == 50


def test_search_goes_on_from_the_outcome_that_came() -> None:
    search = ChanceMCTS(simulations=300).search(Dice(), (1, 2), Limits(calls=None), Random(0))
    run(search)
    search.advance("roll", Step((6, 1)))
    assert search.root.visits > 0
    assert run(search).actions == ("keep",)
    with pytest.raises(BadOption, match="advance"):
        search.correct(["keep"], Refused())


def test_refused_actions_are_not_tried_again() -> None:
    class Stuck(Dice):
        def step(self, moves: Sequence[tuple[DiceState, str]], rng: Random) -> list[Step[DiceState] | Refused]:  # type: ignore[override]
            return [Refused("no") if action == "roll" else self._one(state, action, 1) for state, action in moves]

    for planner in (ChanceMCTS(simulations=20), OpenLoopMCTS(simulations=20)):
        assert planner.plan(Stuck(), (3, 2), Limits(), Random(0)).actions == ("keep",)


def test_widening_bounds_the_outcomes_of_an_action() -> None:
    search = ChanceMCTS(simulations=400, widening=Widening(1.0, 0.2)).search(Dice(), (1, 1), Limits(), Random(0))
    run(search)
    roll = next(edge for edge in search.root.edges or () if edge.action == "roll")
    assert len(roll.outcomes) <= 4


def test_odds_that_are_none_are_named() -> None:
    class Bad(Dice):
        def outcomes(self, state: DiceState, action: str) -> list[tuple[float, Step[DiceState]]]:
            return [(0.7, Step((1, 0)))]

    with pytest.raises(BadModel, match=r"sum to 0[.]7"):
        ChanceMCTS().plan(Bad(), (1, 1), Limits(), Random(0))
    with pytest.raises(BadOption, match="backup"):
        ChanceMCTS(backup="most")  # type: ignore[arg-type]

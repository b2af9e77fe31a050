"""The examples of docs/examples that plan in Gymnasium's own environments do what they say."""

import runpy
from pathlib import Path

import pytest

from planners import MCTS, Beam, BestFirst, RandomShooting

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


@pytest.mark.parametrize(
    "planner",
    [MCTS(simulations=40), Beam(8, merge=False), BestFirst(), RandomShooting()],
    ids=lambda each: type(each).__name__,
)
def test_every_planner_balances_the_pole(planner):
    """Pushing at random drops it after about 20 steps, always to one side after 10."""
    assert example("cart_pole")["balance"](planner, steps=24) == 24


@pytest.mark.parametrize(
    "planner", [MCTS(simulations=1000, transpositions=True), Beam(), BestFirst()], ids=lambda each: type(each).__name__
)
def test_every_planner_crosses_the_lake(planner):
    cells, reward = example("frozen_lake")["cross"](planner)
    assert (cells[-1], reward) == (15, 1.0)


@pytest.mark.parametrize("planner", [Beam(width=64), BestFirst()], ids=lambda each: type(each).__name__)
def test_the_passenger_is_driven_by_the_shortest_way(planner):
    reward, end = example("taxi")["drive"](planner)
    assert (reward > 0, end) == (True, "goal")


@pytest.mark.parametrize("planner", [Beam(width=16), BestFirst()], ids=lambda each: type(each).__name__)
def test_the_car_reaches_the_top(planner):
    """The environment cuts episodes off at 200 steps."""
    reward, up = example("mountain_car")["climb"](planner)
    assert up
    assert reward > -150

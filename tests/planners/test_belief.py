"""Search with hidden state: POMCP finds the exact optimum of Tiger and RockSample, and a belief can run out."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.game_parts.hidden_values import episode
from benchmarks.search_worlds.hidden_worlds import (
    RockSample,
    RockState,
    Tiger,
    TigerOptimum,
    go_east,
    rock_values,
    tiger_values,
)
from planners import POMCP, BadModel, BadOption, Limits, NoParticles, ParticleBelief, Step, run, update_belief
from planners.belief.history_search import HistoryEdge, HistoryNode, best_value
from planners.belief.particles import SeenMove

SMALL = RockSample(rocks=((1, 1), (3, 2)), start=(0, 1), half=4.0)
"""RockSample 4x4 with two rocks, so that the test can compute its optimum."""


def test_the_exact_value_of_tiger_is_the_published_one() -> None:
    """19.37 with discount 0.95 (Cassandra's tiger.95)."""
    assert tiger_values(0.95, 200)["listen"] == pytest.approx(19.37, abs=0.005)


def test_pomcp_listens_first_and_finds_the_value_of_tiger() -> None:
    exact = tiger_values(0.95, 4)
    search = POMCP(simulations=10_000, discount=0.95, rollout_depth=0).search(
        Tiger(), Tiger().belief(100), Limits(calls=None, depth=4), Random(0)
    )
    plan = run(search)
    assert plan.actions[0] == "listen"
    assert plan.value == pytest.approx(exact["listen"], abs=0.2)


@pytest.mark.parametrize("seed", range(3))
def test_pomcp_opens_the_other_door_once_the_belief_is_sure(seed: int) -> None:
    """The last action: with more to come, listening once more costs 0.45 of 110, which few simulations cannot see."""
    assert TigerOptimum(0.95).values(3, 1)["open 1"] > 9.0 > -1.0 == TigerOptimum(0.95).values(3, 1)["listen"]
    search = POMCP(simulations=600, discount=0.95, particles=400).search(
        Tiger(), Tiger().belief(400), Limits(calls=None, depth=1), Random(seed)
    )
    for _ in range(3):
        run(search)
        search.advance("listen", "hear 0")
    assert search.belief.share((0, "hear 0")) == pytest.approx(0.85**3 / (0.85**3 + 0.15**3), abs=0.03)
    assert run(search).actions[0] == "open 1"


def test_pomcp_finds_the_optimum_of_rock_sample() -> None:
    exact = rock_values(SMALL, 0.95, 6)
    search = POMCP(simulations=10_000, discount=0.95, rollout=go_east).search(
        SMALL, SMALL.belief(64), Limits(calls=None, depth=6), Random(0)
    )
    plan = run(search)
    assert exact[plan.actions[0]] == pytest.approx(max(exact.values()), abs=0.02)
    assert plan.value == pytest.approx(max(exact.values()), abs=0.2)


@pytest.mark.parametrize(("name", "horizon", "most"), [("tiger", 4, 0.6), ("rocks", 6, 0.6)])
def test_whole_episodes_lose_little_of_the_optimum(name: str, horizon: int, most: float) -> None:
    """The loss of each action is exact, by the exact belief: no luck of an episode is in it.

    With the backup `max`, RockSample loses 1.5 on average: it samples rocks that it has not looked at.
    """
    losses = [episode(name, horizon, 1000, seed).loss for seed in range(500, 504)]
    assert all(loss >= -1e-9 for loss in losses)
    assert sum(losses) / len(losses) < most


def test_a_history_is_not_worth_its_luckiest_action() -> None:
    """One more visit of the mean value: 10 seen once beside 0 seen once is 7.5 and not 10."""
    node: HistoryNode[int, str] = HistoryNode()
    node.edges = [HistoryEdge("left"), HistoryEdge("right"), HistoryEdge("untried")]
    node.visits, node.total = 3, 12.0
    assert best_value(node, 1) == 4.0  # its rollouts, while no action was tried
    node.edges[0].visits, node.edges[0].q, node.edges[1].visits = 1, 10.0, 1
    assert best_value(node, 1) == 7.5
    assert best_value(node, 0) == 10.0


def test_beliefs_are_updated_by_what_was_seen() -> None:
    world = RockSample()
    belief = update_belief(world, world.belief(200), SeenMove("east", (1, 2, "")), Random(0), particles=200)
    assert {world.observe(state) for state in belief.particles} == {(1, 2, "")}
    assert len(belief.particles) == 200


def test_a_belief_without_an_explanation_is_an_error_that_says_so() -> None:
    search = POMCP(simulations=10, particles=5).search(Tiger(), Tiger().belief(2), Limits(depth=3), Random(0))
    run(search)
    with pytest.raises(NoParticles, match="explains the observation 'hear 7'"):
        search.advance("listen", "hear 7")


def test_few_particles_are_drawn_again_to_the_number_wanted() -> None:
    world = Tiger()
    sure: ParticleBelief[tuple[int, str]] = ParticleBelief(((0, ""),))
    belief = update_belief(world, sure, SeenMove("listen", "hear 1"), Random(0), particles=8, tries=2)
    assert belief.particles == ((0, "hear 1"),) * 8


def test_pomcp_refuses_worlds_and_beliefs_it_cannot_use() -> None:
    class Blind:
        def actions(self, state: int) -> list[int]:
            return [0]

        def step(self, moves: list[tuple[int, int]], rng: Random) -> list[Step[int]]:
            return [Step(0) for _ in moves]

    with pytest.raises(BadModel, match="observe"):
        POMCP().search(Blind(), 0, Limits(), Random(0))
    empty: ParticleBelief[RockState] = ParticleBelief(())
    with pytest.raises(BadModel, match="without particles"):
        POMCP().search(SMALL, empty, Limits(), Random(0))
    with pytest.raises(BadOption):
        POMCP(particles=0)

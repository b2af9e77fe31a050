"""What MCTS promises beyond its invariants: rules of preference, both paths, real results, storing, looking."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from toy_worlds import ROOT, Line, Random3

from benchmarks.search_worlds.search_worlds import Erring, Permutation, random_start
from planners import (
    MCTS,
    Beam,
    BestFirst,
    Codec,
    Gumbel,
    Limits,
    RandomShooting,
    Refused,
    Step,
    Widening,
    advance,
    correct,
    dump_search,
    load_search,
    read_plan,
    run,
    score_terms,
    to_networkx,
    tree_text,
)
from planners.tree.scores import exploration, halving_schedule

GOLDEN = Path(__file__).parent / "golden"
WORLD = Permutation(items=4)
START = (3, 2, 1, 0)
GOLDEN_CONFIGS = {
    "max": MCTS(simulations=40),
    "mean": MCTS(simulations=40, backup="mean"),
    "leaves": MCTS(simulations=40, leaves=8),
    "transpositions": MCTS(simulations=40, transpositions=True),
    "gumbel": MCTS(simulations=40, gumbel=Gumbel(considered=4)),
    "widening": MCTS(simulations=40, widening=Widening(1.0, 0.5)),
}


def rows(search) -> list[list]:
    return [
        [depth, node.action and list(node.action), list(node.state), node.visits, round(node.q, 12)]
        for depth, node in search.tree.walk()
    ]


@pytest.mark.parametrize("name", GOLDEN_CONFIGS)
def test_a_small_search_is_the_stored_tree_node_by_node(name):
    """Golden trees: depth, action, state, visits and value of every node, in order."""
    search = GOLDEN_CONFIGS[name].search(WORLD, WORLD.at(START), Limits(depth=6), Random(7))
    run(search)
    for node, stored in zip(rows(search), json.loads((GOLDEN / f"{name}.json").read_text()), strict=True):
        assert node == stored


def line_of(prior: tuple[float, ...] | None = None, value: float | None = None) -> Step:
    return Step(0, prior=prior, value=value)


def test_the_action_with_the_larger_prior_is_opened_first():
    """Of children never opened, the prior decides."""
    search = MCTS().search(Line(), line_of(prior=(0.1, 0.9)), Limits(depth=5), Random(0))
    assert [leaf.action for leaf in search.ask(2)] == [1, -1]


def test_what_is_left_to_learn_of_a_child_grows_with_its_prior_and_shrinks_with_its_visits():
    assert exploration(0.5, 1, 10, c=1) > exploration(0.5, 3, 10, c=1)
    assert exploration(0.6, 3, 10, c=1) > exploration(0.5, 3, 10, c=1)


def test_an_unknown_value_is_what_was_believed_before_and_not_a_failure():
    """A child of unknown value inherits its parent's estimate."""
    search = MCTS().search(Line(goal=9), line_of(value=0.7), Limits(depth=5), Random(0))
    (leaf,) = search.ask(1)
    search.tell([(leaf, Step(1))])
    child = search.tree.root.fan.children[0]
    assert (child.estimate, child.known) == (0.7, False)


def test_a_refused_action_costs_its_call_but_no_simulation():
    """The child disappears, and the simulation is given back."""
    search = MCTS(simulations=10).search(Line(), 0, Limits(depth=5), Random(0))
    (leaf,) = search.ask(1)
    search.tell([(leaf, Refused("no", tokens=3))])
    assert (search.remaining, search.spent.calls, search.spent.tokens) == (10, 1, 3)
    assert search.tree.root.fan.children == []
    assert search.ask(1)[0].action != leaf.action


def test_leaves_in_flight_are_virtual_visits_and_distinct():
    """ask() twice without tell() gives other leaves, and the root counts them as started, not as visited."""
    search = MCTS().search(WORLD, WORLD.at(START), Limits(depth=5), Random(0))
    first, second = search.ask(3), search.ask(3)
    assert len({leaf.action for leaf in first + second}) == 6
    assert (search.tree.root.started, search.tree.root.visits) == (7, 1)
    assert search.ask(1) == []


def test_widening_opens_few_children_of_many():
    """With factor 1 and power 0.5, a root visited n times has at most about sqrt(n) children."""
    world = Permutation(items=8)
    search = MCTS(simulations=100, widening=Widening(1.0, 0.5)).search(
        world, world.at(random_start(world, 0)), Limits(depth=8), Random(0)
    )
    run(search)
    assert len(search.tree.root.fan.children) <= 11


def test_sequential_halving_gives_each_round_the_same_share():
    """Four actions and eight simulations: all once, then the better two twice more."""
    assert halving_schedule(4, 8) == (0, 0, 0, 0, 1, 1, 2, 2)
    assert halving_schedule(1, 3) == (0, 1, 2)


def test_both_paths_are_returned_where_they_differ():
    """A most visited path that is no end keeps the best one to a goal beside it."""
    search = MCTS(simulations=1, backup="mean").search(Line(goal=2), 0, Limits(depth=5), Random(0))
    root = search.tree.root
    for action, step in ((-1, Step(-1, value=0.9)), (1, Step(2, value=0.1, end="goal"))):
        correct(search, [action], step)
    root.fan.children[0].visits = 5
    plan = read_plan(search)
    assert (plan.actions, plan.end) == ((-1,), None)
    assert plan.best_goal.actions == (1,)


@pytest.mark.parametrize("backup", ["max", "mean"])
def test_a_real_result_takes_back_what_rested_on_the_imagined_one(backup):
    """A false goal, once corrected, loses its visits everywhere, and search finds the true way."""
    world = Permutation(items=6)
    start = (1, 2, 3, 4, 5, 0)
    config = MCTS(simulations=300, backup=backup)
    search = config.search(Lying(world), world.at(start), Limits(depth=8), Random(0))
    plan = run(search)
    assert plan.actions == ((0, 1),)
    before = search.tree.root.visits
    wrong = search.tree.root.fan.children[0].visits
    correct(search, [(0, 1)], world.at(world.swapped(start, (0, 1))))
    assert search.tree.root.visits == before - wrong + 1
    assert search.tree.root.visits == 1 + sum(child.visits for child in search.tree.root.fan.children)
    search.remaining = 2000
    plan = run(search)
    assert plan.end == "goal"
    assert world.replay(start, plan.actions)[-1] == world.goal


class Lying:
    """Says that the first swap from the start reaches the goal at once; right in all else."""

    def __init__(self, world: Permutation) -> None:
        self.world = world

    def actions(self, state):
        return self.world.swaps

    def step(self, moves, rng):
        lie = ((1, 2, 3, 4, 5, 0), (0, 1))
        truth = self.world.step(moves, rng)
        return [self.world.at(self.world.goal) if move == lie else t for move, t in zip(moves, truth, strict=True)]


def test_a_real_refusal_closes_the_action():
    """What the real world refuses is gone from the tree, with its visits."""
    search = MCTS(simulations=50).search(WORLD, WORLD.at(START), Limits(depth=6), Random(0))
    run(search)
    action = search.tree.root.fan.children[0].action
    correct(search, [action], Refused("locked"))
    assert action not in [child.action for child in search.tree.root.fan.children]
    assert search.tree.root.visits == 1 + sum(child.visits for child in search.tree.root.fan.children)


@pytest.mark.parametrize("transpositions", [False, True])
def test_after_a_real_step_its_subtree_is_kept_and_searched_on(transpositions):
    """advance() keeps the child's visits; the next search starts with them."""
    search = MCTS(simulations=200, transpositions=transpositions).search(
        WORLD, WORLD.at(START), Limits(depth=6), Random(0)
    )
    plan = run(search)
    kept = max(search.tree.root.fan.children, key=lambda child: child.visits).visits
    advance(search, plan.actions[0], WORLD.at(plan.states[1]))
    assert search.tree.root.visits == kept
    assert run(search).actions == plan.actions[1:]


def test_advance_to_an_action_never_tried_starts_from_its_real_result():
    """Reality may take a step that search never imagined."""
    search = MCTS(simulations=20).search(Line(), 0, Limits(depth=6), Random(0))
    advance(search, 1, Step(1))
    assert search.tree.root.state == 1
    assert run(search).states[0] == 1


def test_a_false_goal_is_corrected_in_one_tree_until_the_plan_is_true():
    """The loop of the agent in small: plan, run, correct, search on."""
    world = Permutation(items=6)
    start = random_start(world, 4)
    search = MCTS(simulations=400).search(Erring(world, 0.1, 4), world.at(start), Limits(depth=8), Random(0))
    for _ in range(20):
        plan = run(search)
        states = world.replay(start, plan.actions)
        if states[-1] == world.goal:
            break
        wrong = next(i for i, (real, said) in enumerate(zip(states, plan.states, strict=True)) if real != said)
        correct(search, plan.actions[:wrong], world.at(states[wrong]))
        search.remaining = 400
    assert states[-1] == world.goal


def test_states_that_are_not_plain_are_stored_through_a_codec():
    """A codec makes any state JSON; here a frozenset."""
    codec = Codec(encode_state=sorted, decode_state=frozenset)
    search = MCTS().search(Line(), frozenset({1, 2}), Limits(), Random(0))
    assert load_search(dump_search(search, codec), Line(), codec).tree.root.state == frozenset({1, 2})


def test_the_exported_graph_has_every_node_and_its_score_by_terms():
    """networkx gets the whole tree; the terms of a child add up to its PUCT score."""
    search = MCTS(simulations=60).search(WORLD, WORLD.at(START), Limits(depth=6), Random(0))
    run(search)
    graph = to_networkx(search)
    assert graph.number_of_nodes() == len(search.tree)
    assert graph.number_of_edges() == len(search.tree) - 1
    root, child = search.tree.root, search.tree.root.fan.children[0]
    terms = score_terms(search, root, child)
    scaled = child.q * search.tree.range.scale
    assert sum(terms.values()) == pytest.approx(scaled + exploration(child.prior, child.started, root.started, c=0.5))
    assert set(terms) == {"value", "exploration"}


def test_the_printed_tree_shows_the_most_visited_children_and_counts_the_rest():
    """A few lines are enough to see where search went."""
    search = MCTS(simulations=60).search(WORLD, WORLD.at(START), Limits(depth=6), Random(0))
    run(search)
    lines = tree_text(search, depth=1, top=2).splitlines()
    assert lines[0].startswith("root: visits 61")
    assert lines[-1] == "  ... 4 more (4 opened)"
    assert len(lines) == 4


def test_limits_are_kept_and_the_best_plan_so_far_is_returned():
    """Each limit ends the search by itself."""
    world = Random3(3)
    for limits in (Limits(calls=7), Limits(batches=3), Limits(tokens=10)):
        plan = MCTS(leaves=2).plan(world, ROOT, limits, Random(0))
        assert plan.stopped == "limits"
        assert plan.actions
    assert plan.spent.tokens <= 10 + 2 * 2


def test_the_beam_leaves_a_depth_early_only_to_save_calls():
    """On the permutation world the early end finds the goal with fewer calls than whole levels."""
    world = Permutation()
    start = world.at(random_start(world, 1))
    early = Beam().plan(world, start, Limits(depth=12), Random(0))
    whole = Beam(leaves=None).plan(world, start, Limits(depth=12), Random(0))
    assert early.end == whole.end == "goal"
    assert early.spent.calls < whole.spent.calls


SCRIPT = """
from random import Random
from benchmarks.search_worlds.search_worlds import Permutation, random_start
from planners import *
world = Permutation(items=6)
gumbel = MCTS(simulations=200, gumbel=Gumbel())
for planner in (gumbel, MCTS(transpositions=True), Beam(), BestFirst(), RandomShooting()):
    plan = planner.plan(world, random_start(world, 1), Limits(calls=400, depth=8), Random(5))
    print(plan.actions, plan.value, plan.spent.calls, plan.spent.batches)
"""


def test_the_same_seed_gives_the_same_plan_in_any_process():
    """Two processes with different hash seeds print the same plans."""
    root = Path(__file__).parents[2]
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 5


@pytest.mark.parametrize(
    ("planner", "calls", "batches"),
    [
        pytest.param(MCTS(), 300, 300, id="mcts"),
        pytest.param(MCTS(leaves=16), 640, 40, id="16-leaves"),
        pytest.param(Beam(), 661, 10, id="beam"),
        pytest.param(BestFirst(), 300, 10, id="best-first"),
    ],
)
def test_the_goal_is_on_the_path_within_the_calls_that_were_promised(planner, calls, batches):
    """The world of the published table, its first ten seeds; the benchmark runs all thirty."""
    world = Permutation()
    plans = [planner.plan(world, world.at(random_start(world, s)), Limits(depth=12), Random(s)) for s in range(10)]
    assert all(plan.end == "goal" and plan.most_visited is None for plan in plans)
    assert sum(plan.spent.calls for plan in plans) / 10 <= calls
    assert sum(plan.spent.batches for plan in plans) / 10 <= batches


def test_random_shooting_draws_by_the_prior():
    """A prior of certainty is followed by every rollout."""
    plan = RandomShooting(rollouts=3).plan(Line(goal=1), line_of(prior=(0.0, 1.0)), Limits(depth=1), Random(0))
    assert plan.actions == (1,)


def test_without_revisits_every_simulation_asks_something_new_until_nothing_is_left() -> None:
    """A small world is searched whole, each leaf once, and then the search is over."""

    class Letters:
        """Words of up to two letters; those that end in z are over."""

        def actions(self, state: str) -> str:
            return "xyz"

        def step(self, moves: Sequence[tuple[str, str]], rng: Random) -> list[Step[str]]:
            return [
                Step(word + letter, value=len(word) / 2, end="goal" if letter == "z" or len(word) == 1 else None)
                for word, letter in moves
            ]

    search = MCTS(simulations=10_000, revisit=False).search(Letters(), "", Limits(), Random(0))
    asked: list[str] = []
    while leaves := search.ask(4):
        asked += [leaf.state + leaf.action for leaf in leaves]
        answers = search.model.step([(leaf.state, leaf.action) for leaf in leaves], search.rng)
        search.tell(zip(leaves, answers, strict=True))
    assert sorted(asked) == sorted([*"xyz", *(a + b for a in "xy" for b in "xyz")])

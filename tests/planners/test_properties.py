"""What is true of every search, whatever the world: invariants, checked on random worlds and options."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planner_strategies import configs, depths, trees
from toy_worlds import ROOT, Random3

from planners import (
    MCTS,
    Beam,
    BestFirst,
    Exhaustive,
    Limits,
    RandomShooting,
    TreeSearch,
    dump_search,
    load_search,
    read_plan,
    run,
)

quick = settings(max_examples=40, deadline=None)


def shape(search: TreeSearch) -> list[tuple]:
    """The whole tree as comparable rows, node by node."""
    return [
        (depth, node.action, node.state, node.visits, node.started, node.value, node.q, node.end)
        for depth, node in search.tree.walk()
    ]


def searched(config: MCTS, world: Random3, depth: int) -> TreeSearch:
    search = config.search(world, ROOT, Limits(depth=depth), Random(0))
    run(search)
    return search


@quick
@given(config=configs, world=trees, depth=depths)
def test_visits_of_children_add_up_to_their_parents(config, world, depth):
    """An expanded node was visited once itself, and then once for each visit of a child; nothing is in flight."""
    search = searched(config, world, depth)
    for level, node in search.tree.walk():
        assert node.started == node.visits
        below = sum(child.visits for child in node.fan.children) if node.fan else 0
        dead_end = node.fan is not None and not node.fan.children
        if below and not dead_end:
            assert node.visits == below + (0 if level == 0 and not node.known else 1)
        assert below <= node.visits


@quick
@given(config=configs, world=trees, depth=depths)
def test_an_end_is_never_expanded_and_no_path_passes_the_depth_limit(config, world, depth):
    """Ends stay leaves, and the deepest node is at the limit at most."""
    for level, node in searched(config, world, depth).tree.walk():
        assert level <= depth
        assert not (node.end and node.fan)


@quick
@given(config=configs, world=trees, depth=depths)
def test_values_stay_within_what_rewards_and_values_allow(config, world, depth):
    """No backup invents value: |value| is at most one reward a step to come and one final value."""
    for level, node in searched(config, world, depth).tree.walk():
        assert abs(node.value) <= (depth - level) + 1 + 1e-9


@quick
@given(config=configs, world=trees, depth=depths, cut=st.integers(0, 40), hold=st.booleans())
def test_a_search_stored_and_loaded_goes_on_as_if_uninterrupted(config, world, depth, cut, hold):
    """Resume equals no interruption, with leaves in flight or without."""
    whole = config.search(world, ROOT, Limits(depth=depth), Random(5))
    parted = config.search(world, ROOT, Limits(depth=depth), Random(5))
    for search in (whole, parted):
        for _ in range(cut):
            leaves = search.ask(config.leaves)
            search.tell(zip(leaves, world.step([(x.state, x.action) for x in leaves], search.rng), strict=True))
    if hold:
        held = whole.ask(config.leaves), parted.ask(config.leaves)
        parted = load_search(dump_search(parted), world)
        assert list(parted.in_flight) == [leaf.ticket for leaf in held[1]]
        for search, leaves in zip((whole, parted), held, strict=True):
            search.tell(zip(leaves, world.step([(x.state, x.action) for x in leaves], search.rng), strict=True))
    else:
        parted = load_search(dump_search(parted), world)
    assert run(whole) == run(parted)
    assert shape(whole) == shape(parted)


@quick
@given(config=configs, world=trees, depth=depths, order=st.randoms(use_true_random=False))
def test_answers_told_together_in_any_order_give_the_same_tree(config, world, depth, order):
    """tell() sorts by ticket, so a shuffled batch changes nothing."""
    straight, shuffled = (config.search(world, ROOT, Limits(depth=depth), Random(1)) for _ in range(2))
    while True:
        leaves = straight.ask(config.leaves)
        assert shuffled.ask(config.leaves) == leaves
        if not leaves:
            break
        answers = list(zip(leaves, world.step([(x.state, x.action) for x in leaves], Random(0)), strict=True))
        straight.tell(answers)
        order.shuffle(answers)
        shuffled.tell(answers)
    assert shape(straight) == shape(shuffled)


@quick
@given(config=configs, world=trees, depth=depths, order=st.randoms(use_true_random=False))
def test_answers_told_one_by_one_in_any_order_give_the_same_visits_and_values(config, world, depth, order):
    """Before the next ask(), the order of single answers matters to rounding at most."""
    straight, shuffled = (config.search(world, ROOT, Limits(depth=depth), Random(1)) for _ in range(2))
    for search, mixed in ((straight, False), (shuffled, True)):
        for _ in range(2):
            leaves = search.ask(config.leaves)
            answers = world.step([(x.state, x.action) for x in leaves], Random(0))
            pairs = list(zip(leaves, answers, strict=True))
            if mixed:
                order.shuffle(pairs)
            for pair in pairs:
                search.tell([pair])
    for one, two in zip(shape(straight), shape(shuffled), strict=True):
        assert one[:5] == two[:5]
        assert one[5:7] == pytest.approx(two[5:7])


@quick
@given(config=configs, world=trees, depth=depths)
def test_released_leaves_leave_no_trace(config, world, depth):
    """Asking and releasing gives the same tree as never having asked, and late answers are dropped."""
    search = replace(config, gumbel=None).search(world, ROOT, Limits(depth=depth), Random(1))
    leaves = search.ask(config.leaves)
    answers = world.step([(x.state, x.action) for x in leaves], Random(0))
    search.release(leaves[::-1])
    assert search.tell(zip(leaves, answers, strict=True)) == 0
    assert search.tree.root.started == 0
    assert [(x.state, x.action) for x in search.ask(config.leaves)] == [(x.state, x.action) for x in leaves]


@quick
@given(world=trees, depth=st.integers(1, 4))
def test_a_wide_enough_beam_equals_exhaustive_search(world, depth):
    """With room for every path, the beam finds a plan as good as the best of all, ended the same way."""
    limits = Limits(depth=depth, calls=None)
    beam = Beam(width=10_000, stop_at_goal=False).plan(world, ROOT, limits, Random(0))
    reference = Exhaustive().plan(world, ROOT, limits, Random(0))
    assert beam.value == reference.value
    assert (beam.end, len(beam.actions)) == (reference.end, len(reference.actions))


@quick
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 4))
def test_merging_equal_states_loses_no_value(seed, depth):
    """Where states meet again, the merged beam still equals exhaustive search."""
    world, limits = Random3(seed, mergeable=True), Limits(depth=depth, calls=None)
    beam = Beam(width=10_000, stop_at_goal=False).plan(world, 0, limits, Random(0))
    assert beam.value == pytest.approx(Exhaustive().plan(world, 0, limits, Random(0)).value)


@quick
@given(world=trees, depth=depths, calls=st.integers(0, 60))
def test_no_planner_passes_its_call_limit_or_invents_its_plan(world, depth, calls):
    """Calls are kept exactly, and every plan replays to its imagined states, value and end."""
    limits = Limits(depth=depth, calls=calls)
    for planner in (MCTS(leaves=4), MCTS(backup="mean"), Beam(), BestFirst(leaves=3), RandomShooting(), Exhaustive()):
        plan = planner.plan(world, ROOT, limits, Random(3))
        assert plan.spent.calls <= calls
        assert plan.spent.tokens <= 2 * calls
        for path in (plan, plan.best_goal, plan.most_visited):
            if path is None:
                continue
            steps = world.step(list(zip(path.states, path.actions, strict=False)), Random(0))
            assert [step.state for step in steps] == list(path.states[1:])
            assert path.end == (steps[-1].end if steps else None)


@quick
@given(seed=st.integers(0, 10_000), config=configs)
def test_transpositions_keep_children_within_their_states(seed, config):
    """In a graph, nodes with equal states share one fan, and a plan never passes one state twice."""
    world = Random3(seed, mergeable=True)
    search = replace(config, transpositions=True).search(world, 0, Limits(depth=6), Random(0))
    run(search)
    fans = {}
    for _, node in search.tree.walk():
        if node.fan is not None:
            assert fans.setdefault(node.state, node.fan) is node.fan
    inner = read_plan(search).states[:-1]
    assert len(set(inner)) == len(inner)

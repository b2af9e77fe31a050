"""Every planner is driven by ask and tell: same plans in any portions, corrected by reality, ended by limits."""

from random import Random

import pytest
from toy_worlds import ROOT, Line, Random3

from planners import (
    MCTS,
    BadOption,
    BadTicket,
    Beam,
    BestFirst,
    Exhaustive,
    Leaf,
    Limits,
    RandomShooting,
    Refused,
    Step,
    drive,
)

PLANNERS = [MCTS(simulations=200), Beam(3), BestFirst(), RandomShooting(64), Exhaustive()]
PATH_PLANNERS = PLANNERS[1:]
named = pytest.mark.parametrize("planner", PLANNERS, ids=lambda planner: type(planner).__name__)


@pytest.mark.parametrize("planner", PATH_PLANNERS, ids=lambda planner: type(planner).__name__)
@pytest.mark.parametrize("seed", range(5))
def test_the_plan_does_not_depend_on_how_many_leaves_are_asked_at_once(planner, seed):
    """One by one and answered in reverse, or a whole batch: the planner waits for all it wanted."""
    world, limits = Random3(seed, refusals=True, priors=True), Limits(depth=4)
    whole = planner.plan(world, ROOT, limits, Random(0))
    search = planner.search(world, ROOT, limits, Random(0))
    while leaves := [leaf for _ in range(3) for leaf in search.ask(1)]:
        answers = world.step([(leaf.state, leaf.action) for leaf in leaves], Random(0))
        search.tell(reversed(list(zip(leaves, answers, strict=True))))
    parted = search.plan()
    assert (parted.actions, parted.value, parted.end, parted.stopped) == (
        whole.actions,
        whole.value,
        whole.end,
        whole.stopped,
    )


@named
def test_reality_is_written_over_imagination(planner):
    """A goal that reality takes away is no goal of the plan any more."""
    search = planner.search(Line(), 0, Limits(depth=3), Random(0))
    plan = drive(search, Line(), Random(0))
    assert (plan.actions, plan.end) == ((1, 1, 1), "goal")
    search.correct([1, 1, 1], Step(3, value=0.0, end="failure"))
    after = search.plan()
    assert after.end != "goal"
    assert after.best_goal is None


@named
def test_what_reality_refuses_is_dropped(planner):
    """No plan goes through a refused action."""
    search = planner.search(Line(), 0, Limits(depth=3), Random(0))
    drive(search, Line(), Random(0))
    search.correct([1], Refused("no way"))
    assert search.plan().actions[:1] != (1,)


@pytest.mark.parametrize("planner", [Beam(2), BestFirst()], ids=["Beam", "BestFirst"])
def test_a_path_that_reality_opens_again_is_searched_on(planner):
    """Imagined as a failure, it really goes on: the search takes it up and finds the goal behind it."""

    class Doubtful(Line):
        def _at(self, place):
            return Step(place, value=0.0, end="failure") if place == 1 else super()._at(place)

    search = planner.search(Doubtful(), 0, Limits(depth=4), Random(0))
    leaves = search.ask(9)
    answers = Doubtful().step([(leaf.state, leaf.action) for leaf in leaves], Random(0))
    search.tell(list(zip(leaves, answers, strict=True)))
    search.correct([1], Step(1, value=0.5))
    assert drive(search, Doubtful(), Random(0)).end == "goal"


@named
def test_actions_that_were_never_met_cannot_be_corrected(planner):
    """The error says so; the search is as it was."""
    search = planner.search(Line(), 0, Limits(depth=3), Random(0))
    search.ask(1)
    with pytest.raises(BadOption, match="never imagined"):
        search.correct([1, 1, 1], Step(3))


@named
def test_released_leaves_are_asked_again_and_unknown_tickets_refused(planner):
    search = planner.search(Line(), 0, Limits(depth=3), Random(0))
    first = search.ask(1)
    search.release(first)
    assert [leaf.action for leaf in search.ask(1)] == [leaf.action for leaf in first]
    assert search.tell([(first[0], Step(0))]) == 0
    with pytest.raises(BadTicket):
        search.tell([(Leaf(99, 0, 1), Step(1))])


@named
def test_limits_hold_between_portions(planner):
    """Calls are kept exactly, however the leaves are asked."""
    world = Random3(1)
    search = planner.search(world, ROOT, Limits(calls=4, depth=4), Random(0))
    asked = 0
    while leaves := search.ask(2):
        asked += len(leaves)
        answers = world.step([(leaf.state, leaf.action) for leaf in leaves], Random(0))
        search.tell(zip(leaves, answers, strict=True))
    assert asked == 4
    assert search.plan().stopped == "limits"


def test_an_end_is_one_of_three():
    with pytest.raises(ValueError, match="goal"):
        Step(0, end="over")

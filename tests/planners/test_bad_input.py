"""What planners do with worlds and options that cannot be meant: a clear error, or the behaviour written here."""

from __future__ import annotations

from random import Random

import pytest
from toy_worlds import Broken, Line

from planners import (
    MCTS,
    BadModel,
    BadOption,
    BadSnapshot,
    BadTicket,
    Beam,
    BestFirst,
    Exhaustive,
    Gumbel,
    Leaf,
    Limits,
    ModelFailed,
    RandomShooting,
    Step,
    Widening,
    advance,
    check_model,
    correct,
    dump_search,
    load_search,
    run,
)

SMALL = Limits(calls=50, depth=5)
ALL = [
    MCTS(simulations=30),
    MCTS(simulations=30, leaves=4, backup="mean"),
    MCTS(simulations=30, gumbel=Gumbel()),
    MCTS(simulations=30, transpositions=True),
    Beam(),
    BestFirst(),
    RandomShooting(rollouts=4),
    Exhaustive(),
]
every_planner = pytest.mark.parametrize("planner", ALL, ids=lambda planner: repr(planner)[:60])


@every_planner
@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        ("nan", BadModel, "value is nan"),
        ("infinite", BadModel, "value is inf"),
        ("prior sum", BadModel, "sums to 0.4"),
        ("prior negative", BadModel, "-0.5"),
        ("too few", BadModel, "gave 0 answers"),
        ("no step", BadModel, "answer with Step"),
        ("raises", ModelFailed, "ConnectionError: server gone"),
        ("actions raise", ModelFailed, "the list is gone"),
    ],
)
def test_a_broken_world_is_named_and_its_fault_shown(planner, fault, error, says):
    """The error says which model, what it did, and with which value."""
    with pytest.raises(error, match=says):
        planner.plan(Broken(fault), 0, SMALL, Random(0))


@every_planner
@pytest.mark.parametrize("fault", ["no actions", "all refused"])
def test_where_nothing_can_be_done_the_plan_is_empty(planner, fault):
    """A start without actions, or with refusals only, gives the plan of no actions and unknown value."""
    plan = planner.plan(Broken(fault), 0, SMALL, Random(0))
    assert (plan.actions, plan.states, plan.value, plan.end) == ((), (0,), None, None)


@every_planner
@pytest.mark.parametrize(
    "limits", [Limits(calls=0), Limits(batches=0), Limits(tokens=0), Limits(seconds=0), Limits(depth=0)]
)
def test_a_limit_of_zero_spends_nothing_and_returns_the_empty_plan(planner, limits):
    """Zero is a limit like any other: no call of the model, no error."""
    plan = planner.plan(Line(), 0, limits, Random(0))
    assert plan.actions == ()
    assert (plan.spent.calls, plan.spent.batches) == (0, 0)


@every_planner
def test_a_model_that_fails_later_leaves_its_best_plan_in_the_error(planner):
    """Work done before the failure is not lost."""
    with pytest.raises(ModelFailed) as caught:
        planner.plan(Broken("raises later"), 0, Limits(calls=500, depth=6), Random(0))
    assert caught.value.plan is not None
    assert caught.value.plan.stopped == "failed"
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_a_search_whose_model_failed_can_go_on():
    """After a failure nothing is in flight, and the same search runs on with a model that is back."""
    config = MCTS(simulations=200, leaves=4)
    search = config.search(Broken("raises later"), 0, Limits(depth=6), Random(0))
    with pytest.raises(ModelFailed):
        run(search)
    assert search.in_flight == {}
    search.model = Line(goal=4)
    assert run(search).value == 1.0


@pytest.mark.parametrize("planner", [Beam(), BestFirst(), MCTS(transpositions=True)], ids=lambda p: type(p).__name__)
def test_unhashable_states_are_refused_where_states_are_merged(planner):
    """The message says which option does without hashing."""
    with pytest.raises(BadModel, match=r"merge=False|transpositions=False"):
        planner.plan(Broken("unhashable"), [], SMALL, Random(0))


@pytest.mark.parametrize("planner", [Beam(merge=False), BestFirst(merge=False), MCTS(), RandomShooting(), Exhaustive()])
def test_unhashable_states_serve_where_states_are_not_merged(planner):
    """A list as state is fine for a planner that never asks whether two states are equal."""
    assert len(planner.plan(Broken("unhashable"), [], SMALL, Random(0)).states) > 1


@pytest.mark.parametrize("planner", [MCTS(), RandomShooting()], ids=["mcts", "shooting"])
def test_a_prior_of_the_wrong_length_is_refused_where_priors_are_read(planner):
    """Two actions, three probabilities."""
    with pytest.raises(BadModel, match="3 entries"):
        planner.plan(Broken("prior length"), 0, Limits(depth=5), Random(0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Limits(calls=-1),
        lambda: Limits(seconds=float("nan")),
        lambda: Limits(depth=-1),
        lambda: MCTS(simulations=-1),
        lambda: MCTS(leaves=0),
        lambda: MCTS(backup="median"),
        lambda: MCTS(discount=1.5),
        lambda: MCTS(exploration=float("nan")),
        lambda: Beam(width=0),
        lambda: Beam(leaves=0),
        lambda: BestFirst(leaves=0),
        lambda: RandomShooting(rollouts=0),
        lambda: Exhaustive(discount=-1),
        lambda: Gumbel(considered=0),
        lambda: Widening(factor=-1),
        lambda: MCTS().search(Line(), 0, SMALL, Random(0)).ask(0),
        lambda: correct(MCTS().search(Line(), 0, SMALL, Random(0)), [], Step(0)),
        lambda: correct(MCTS().search(Line(), 0, SMALL, Random(0)), [7], Step(0)),
        lambda: advance(MCTS().search(Line(), 0, SMALL, Random(0)), 1),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_at_the_door(make):
    """BadOption, which is a ValueError, with the value in its message."""
    with pytest.raises(BadOption):
        make()


def test_an_answer_to_a_question_never_asked_is_refused():
    """A ticket from nowhere is a programming error; a late one is not."""
    search = MCTS().search(Line(), 0, SMALL, Random(0))
    with pytest.raises(BadTicket, match="Ticket 99"):
        search.tell([(Leaf(99, 0, 1), Step(1))])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 99}', '{"version": 1}'])
def test_text_that_is_no_stored_search_is_refused(text):
    """BadSnapshot, whatever is wrong with the text."""
    with pytest.raises(BadSnapshot):
        load_search(text, Line())


def test_a_state_that_json_cannot_hold_asks_for_a_codec():
    """The default codec serves plain values, and says so."""
    search = MCTS().search(Line(), {1, 2}, SMALL, Random(0))
    with pytest.raises(BadSnapshot, match="Codec"):
        dump_search(search)


@pytest.mark.parametrize(
    ("fault", "start", "says"),
    [
        ("iterator", 0, "list or tuple"),
        ("too few", 0, "0 answers"),
        ("no step", 0, "Refused"),
        ("chance", 0, "same seed"),
        ("changes state", [0], "changed the state"),
        ("prior length", 0, "3 entries"),
    ],
)
def test_check_model_finds_what_is_wrong(fault, start, says):
    """One message with all faults, before any search is run."""
    with pytest.raises(BadModel, match=says):
        check_model(Broken(fault), start)


def test_check_model_passes_a_sound_model():
    """No news is good news."""
    check_model(Line(), 0)

"""A prior that is computed late: the same search as with numbers at once, computed for opened states only."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from toy_worlds import ROOT, Random3

from planners import (
    MCTS,
    BadModel,
    Beam,
    LatePrior,
    Limits,
    ModelFailed,
    RandomShooting,
    Refused,
    Step,
    check_model,
    dump_search,
)
from planners.tree.snapshot import load_search

WORLD = Random3(seed=5, priors=True)
LIMITS = Limits(depth=5)


@dataclass(frozen=True)
class Late:
    """The same world with late priors; remembers for which states they were computed."""

    inner: Random3 = WORLD
    computed: list[Any] = field(default_factory=list)

    def actions(self, state: Any) -> Sequence[int]:
        return self.inner.actions(state)

    def step(self, moves: Sequence[tuple[Any, int]], rng: Random) -> list[Step[Any] | Refused]:
        return [self._late(answer) for answer in self.inner.step(moves, rng)]

    def _late(self, answer: Step[Any] | Refused) -> Step[Any] | Refused:
        if isinstance(answer, Refused) or not isinstance(answer.prior, tuple):
            return answer
        state, numbers = answer.state, answer.prior
        return replace(answer, prior=LatePrior(lambda: (self.computed.append(state), *numbers)[1:]))


@pytest.mark.parametrize("planner", [MCTS(simulations=60), Beam(width=3), RandomShooting()])
def test_the_plan_is_that_of_numbers_at_once(planner: Any) -> None:
    at_once, late = (planner.plan(world, ROOT, LIMITS, Random(1)) for world in (WORLD, Late()))
    assert late.actions == at_once.actions
    assert late.value == at_once.value


def test_tree_search_computes_priors_of_opened_states_only() -> None:
    world = Late()
    search = MCTS(simulations=60).search(world, ROOT, LIMITS, Random(1))
    while leaves := search.ask():
        search.tell([(leaf, world.step([(leaf.state, leaf.action)], Random(0))[0]) for leaf in leaves])
    opened = [node.state for _, node in search.tree.walk() if node.fan is not None and node.state != ROOT]
    assert sorted(world.computed) == sorted(opened)
    assert len(opened) < len(search.tree) - 1


def test_a_stored_search_holds_the_numbers() -> None:
    world = Late()
    search = MCTS(simulations=10).search(world, ROOT, LIMITS, Random(1))
    leaves = search.ask()
    search.tell([(leaf, world.step([(leaf.state, leaf.action)], Random(0))[0]) for leaf in leaves])
    again = load_search(dump_search(search), world)
    kept, stored = ([node.prior_ahead for _, node in each.tree.walk()] for each in (search, again))
    assert any(isinstance(prior, LatePrior) for prior in kept)
    assert [prior and tuple(prior) for prior in kept] == stored


def test_equal_priors_are_equal_and_bad_ones_are_named_when_they_are_read() -> None:
    assert LatePrior(lambda: (0.5, 0.5)) == LatePrior(lambda: [0.5, 0.5]) == (0.5, 0.5)
    assert hash(LatePrior(lambda: (0.5, 0.5))) == hash((0.5, 0.5))
    assert LatePrior(lambda: (0.25, 0.75))[1:] == (0.75,)
    bad = LatePrior(lambda: (0.5, 0.4))
    assert Step(0, prior=bad).prior is bad
    with pytest.raises(BadModel, match=r"sums to 0\.9"):
        len(bad)


def test_a_computation_that_fails_is_the_models_fault() -> None:
    failing = LatePrior(lambda: [][0])
    with pytest.raises(ModelFailed, match="IndexError"):
        list(failing)


def test_a_prior_given_as_a_list_is_checked_too() -> None:
    with pytest.raises(BadModel, match=r"sums to 0\.9"):
        Step(0, prior=[0.5, 0.4])  # type: ignore[arg-type]


def test_a_world_with_late_priors_is_sound() -> None:
    check_model(Late(), ROOT)

"""Open-loop MCTS: a tree of action sequences, whose states are drawn anew in each simulation; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from planners.belief.history_search import HistoryOptions, HistorySearch
from planners.belief.particles import ParticleBelief
from planners.drive import run
from planners.limits import Limits
from planners.model import Model, Offers, Step, root_step
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class OpenLoopMCTS(HistoryOptions):
    """Search over action sequences that cannot look at what happened on the way.

    Its tree does not grow with the number of outcomes, so it needs few simulations; it underrates states where a later
    choice depends on chance.
    """

    def search(self, model: Offers[S, A], state: S | Step[S], limits: Limits, rng: Random) -> HistorySearch[S, A]:
        """Return a new search from `state`."""
        start = root_step(state)
        belief = ParticleBelief(() if start.end is not None else (start.state,))
        return HistorySearch(self, model, belief, limits, rng=rng, observe=_nothing, same_actions=False)

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Search until the simulations or the limits are used up."""
        return run(self.search(model, state, limits, rng))


def _nothing(state: Any) -> None:
    return None

"""POMCP as a planner: options and entry; `history_search.py` searches, `particles.py` keeps beliefs."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeVar, cast

from planners.belief.history_search import HistoryOptions, HistorySearch
from planners.belief.particles import Observes, ParticleBelief
from planners.drive import run
from planners.errors import BadModel
from planners.limits import Limits
from planners.model import Model, Offers, Step
from planners.plan import Plan

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class POMCP(HistoryOptions):
    """Search in a world whose state is hidden, from a belief; the model also has `observe(state)`."""

    def search(
        self, model: Offers[S, A], state: ParticleBelief[S] | S | Step[S], limits: Limits, rng: Random
    ) -> HistorySearch[S, A]:
        """Return a new search from a belief; a bare state is a belief that is sure of it."""
        if not callable(getattr(model, "observe", None)):
            raise BadModel(f"POMCP needs to know what is seen: give {type(model).__name__} a method `observe(state)`.")
        if isinstance(state, Step):
            state = state.state
        belief = state if isinstance(state, ParticleBelief) else ParticleBelief((state,))
        if not belief.particles:
            raise BadModel("POMCP got a belief without particles; give at least one possible state.")
        observe = cast(Observes[S, A], model).observe
        return HistorySearch(self, model, belief, limits, rng=rng, observe=observe, same_actions=True)

    def plan(
        self, model: Model[S, A], state: ParticleBelief[S] | S | Step[S], limits: Limits, rng: Random
    ) -> Plan[S, A]:
        """Search until the simulations or the limits are used up; only the plan's first action is sure to be apt."""
        return run(self.search(model, state, limits, rng))

"""The plain ask-and-tell loop: drives any search with a model until the search ends; knows no search and no world."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Protocol, TypeVar

from planners.errors import BadModel, ModelFailed
from planners.limits import Limits, ask_model
from planners.model import Model, Step
from planners.plan import Plan, Planner, Search

S = TypeVar("S")
A = TypeVar("A")

EVERYTHING = 1 << 30
"""Number of leaves to ask for at once, for searches that want whole batches."""


class SelfContained(Search[S, A], Protocol[S, A]):
    """A search that holds its own model and random generator, as those of this library do."""

    model: Model[S, A]
    rng: Random


def run(search: SelfContained[S, A]) -> Plan[S, A]:
    """Ask and tell until the search ends, and return its plan; the search can be continued."""
    return drive(search, search.model, search.rng)


def drive(search: Search[S, A], model: Model[S, A], rng: Random) -> Plan[S, A]:
    """Ask and tell until the search ends, with the model that answers its leaves, and return its plan."""
    try:
        while asked := search.ask(search.leaves):
            answers = ask_model(model, [(leaf.state, leaf.action) for leaf in asked], rng)
            search.tell(zip(asked, answers, strict=True))
    except (ModelFailed, BadModel) as error:
        search.release()
        if isinstance(error, ModelFailed):
            error.plan = replace(search.plan(), stopped="failed")
        raise
    return search.plan()


def plan_with(planner: Planner, model: Model[S, A], state: S | Step[S], limits: Limits, *, rng: Random) -> Plan[S, A]:
    """Return the plan of any planner, also of the user's own."""
    return drive(planner.search(model, state, limits, rng), model, rng)

"""Options of Monte-Carlo tree search as a planner. `tree_search.py` selects, expands and backs up; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

from planners.drive import run
from planners.errors import BadOption, require_at_least
from planners.limits import Limits
from planners.model import Model, Offers, Step, root_step
from planners.plan import Plan
from planners.tree.scores import Gumbel, Widening
from planners.tree.tree_search import TreeSearch

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class MCTS:
    """PUCT search; the defaults are the ones that measured best (docs/planners.md)."""

    simulations: int = 1000
    """Number of simulations; many need no model call, since they stop at a known end."""
    leaves: int = 1
    """Leaves asked in one model batch; with 16, results are little worse and batches 16 times fewer."""
    exploration: float = 0.5
    backup: Literal["max", "mean"] = "max"
    """The value of a state: that of its best child, or the mean over all simulations through it."""
    normalise: bool = True
    """Scale values by the range seen, so that `exploration` means the same in every world."""
    discount: float = 1.0
    transpositions: bool = False
    """Whether equal states share their children; needs hashable states."""
    gumbel: Gumbel | None = None
    widening: Widening | None = None
    revisit: bool = True
    """Whether simulations may end again in known states. If not, each simulation asks a new question, and search ends
    when nothing is left: right for steps that are expensive and certain."""

    def __post_init__(self) -> None:
        require_at_least(0, simulations=self.simulations, exploration=self.exploration, discount=self.discount)
        require_at_least(1, leaves=self.leaves)
        if self.backup not in ("max", "mean"):
            raise BadOption(f"backup is {self.backup!r}; choose 'max' or 'mean'.")
        if self.discount > 1:
            raise BadOption(f"discount is {self.discount!r}; give a number from 0 to 1.")

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the plan that `planners.tree.readout.read_plan` finds in the tree of a whole search."""
        return run(self.search(model, state, limits, rng))

    def search(self, model: Offers[S, A], state: S | Step[S], limits: Limits, rng: Random) -> TreeSearch[S, A]:
        """Return a search to ask and tell by hand, to store, to correct, or to give to `run`."""
        return TreeSearch(self, model, root_step(state), limits, rng=rng)

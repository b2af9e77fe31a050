"""Monte-Carlo tree search as a planner: its options, and the plain loop from ask to tell; knows no world."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

from planners.errors import BadModel, BadOption, ModelFailed, require_at_least
from planners.limits import Limits, ask_model
from planners.model import Model, Step, root_step
from planners.plan import Plan
from planners.readout import read_plan
from planners.scores import Gumbel, Widening
from planners.search import Search

S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class MCTS:
    """PUCT search; the defaults are the ones that measured best (docs/planners.md)."""

    simulations: int = 1000
    """Paths from the root to a leaf; many need no model call, since they end at an end already known."""
    leaves: int = 1
    """Leaves asked in one model batch; 16 costs little and makes batches 16 times fewer."""
    exploration: float = 0.5
    backup: Literal["max", "mean"] = "max"
    """What a state is worth: its best child, or the mean of all that was seen below it."""
    normalise: bool = True
    """Scale values by the range seen, so that `exploration` means the same in every world."""
    discount: float = 1.0
    transpositions: bool = False
    """Let equal states share their children; needs hashable states."""
    gumbel: Gumbel | None = None
    widening: Widening | None = None
    revisit: bool = True
    """Let simulations end again where all is known. Without, each asks something new, and search ends when nothing is
    left: right where steps are dear and certain."""

    def __post_init__(self) -> None:
        require_at_least(0, simulations=self.simulations, exploration=self.exploration, discount=self.discount)
        require_at_least(1, leaves=self.leaves)
        if self.backup not in ("max", "mean"):
            raise BadOption(f"backup is {self.backup!r}; choose 'max' or 'mean'.")
        if self.discount > 1:
            raise BadOption(f"discount is {self.discount!r}; give a number from 0 to 1.")

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Return the plan that `planners.readout.read_plan` finds in the tree of a whole search."""
        return run(self.search(model, state, limits, rng))

    def search(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Search[S, A]:
        """Return a search to ask and tell by hand, to store, to correct, or to give to `run`."""
        return Search(self, model, root_step(state), limits, rng)


def run(search: Search[S, A]) -> Plan[S, A]:
    """Ask and tell until the search is over, and return its plan; the search can be gone on with."""
    try:
        while leaves := search.ask(search.config.leaves):
            answers = ask_model(search.model, [(leaf.state, leaf.action) for leaf in leaves], search.rng)
            search.tell(zip(leaves, answers, strict=True))
    except (ModelFailed, BadModel) as error:
        search.release()
        if isinstance(error, ModelFailed):
            error.plan = read_plan(search, stopped="failed")
        raise
    return read_plan(search, stopped="limits" if search.remaining else "simulations")

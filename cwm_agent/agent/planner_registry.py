"""Planners by name, as every command line takes them; `module:callable` returns the user's own."""

from cwm_agent.agent.repair import blind_search
from cwm_agent.plugins import make_plugin
from planners import MCTS, Beam, BestFirst, Planner, RandomShooting
from tasks.errors import did_you_mean

EXPLORATION = 30.0
"""Hundreds of edits with peaked priors: with less, one partial success hides all other first edits."""
NAMES = ("mcts", "beam", "best-first", "random", *blind_search.NAMES)


class UnknownPlanner(ValueError):
    """A name that stands for no planner."""


def planner_named(name: str) -> Planner:
    """The planner that a name stands for, with the options that suit repair."""
    if name == "mcts":
        return MCTS(simulations=1_000_000, leaves=64, exploration=EXPLORATION, revisit=False)
    if name == "beam":
        return Beam(48)
    if name == "best-first":
        return BestFirst()
    if name == "random" or name in blind_search.NAMES:  # a baseline plans nothing; its domain takes the order
        return RandomShooting()
    if ":" in name and not name.startswith("baseline:"):
        return _own(name)
    raise UnknownPlanner(f"No planner named {name!r}. {did_you_mean(name, [*NAMES, 'module:callable'])}")


def _own(name: str) -> Planner:
    """A planner of the user's own: the callable is called without arguments."""
    planner = make_plugin(name, "planner")
    if not isinstance(planner, Planner):
        raise UnknownPlanner(
            f"{name} returned {type(planner).__name__}, which has no method search; expected a planner with "
            "search(model, state, limits, rng) (docs/planners.md)."
        )
    return planner

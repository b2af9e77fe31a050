"""Planners by name, as every command line takes them, with the settings that suit repair."""

from difflib import get_close_matches

from cwm_agent.agent.repair import blind_search
from planners import MCTS, Beam, BestFirst, Planner, RandomShooting

EXPLORATION = 30.0
"""Hundreds of edits with peaked priors: less than this, and one partial success hides all other first edits."""
NAMES = ("mcts", "beam", "best-first", "random", *blind_search.NAMES)


class UnknownPlanner(ValueError):
    """A name that stands for no planner."""


def planner_named(name: str) -> Planner:
    """The planner a name stands for."""
    if name == "mcts":
        return MCTS(simulations=1_000_000, leaves=64, exploration=EXPLORATION, revisit=False)
    if name == "beam":
        return Beam(48)
    if name == "best-first":
        return BestFirst()
    if name == "random" or name in blind_search.NAMES:  # a baseline plans nothing; the loop takes its order
        return RandomShooting()
    near = get_close_matches(name, NAMES, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Choose one of: {', '.join(NAMES)}."
    raise UnknownPlanner(f"No planner named {name!r}. {hint}")

"""Starts for permutation problems, drawn uniformly: any, or exactly so many commands from the goal.

Adjacent and free swaps have formulas (tasks.permutations); other commands are counted by breadth-first
search backwards from the goal, which is exact and therefore small. Knows no environment.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from random import Random

from envs.domains.permutation_commands import Arrangement, commands_of
from envs.errors import BadEnvOption
from tasks.permutations import Generators, arrangement_at

MOST_COUNTED = 8
"""Items up to which all arrangements are visited: 40,320 of them."""


def arrangement_from(
    rng: Random, goal: Arrangement, generators: Generators, *, conditional: bool, distance: int | None
) -> Arrangement:
    """A start that is not the goal, or one exactly `distance` commands from it."""
    if distance is None:
        while (start := tuple(rng.sample(goal, len(goal)))) == goal:
            pass
        return start
    if generators in ("adjacent", "swaps"):
        assert isinstance(generators, str)
        order = arrangement_at(distance, len(goal), generators, rng)
        return tuple(goal[place] for place in order)
    layers = _layers(goal, generators, conditional)
    if not 0 <= distance < len(layers):
        raise BadEnvOption(f"distance={distance}: the farthest start is {len(layers) - 1} of these commands away.")
    return rng.choice(layers[distance])


@lru_cache(maxsize=16)
def _layers(goal: Arrangement, generators: Generators, conditional: bool) -> list[tuple[Arrangement, ...]]:
    """All arrangements by their exact distance from the goal."""
    if len(goal) > MOST_COUNTED:
        raise BadEnvOption(
            f"{len(goal)} items: exact distances of {generators!r} are counted up to {MOST_COUNTED} items "
            f"({factorial(MOST_COUNTED):,} arrangements). Leave distance out, or use 'swaps' or 'adjacent'."
        )
    commands = commands_of(len(goal), generators, conditional=conditional)
    layers: list[tuple[Arrangement, ...]] = [(goal,)]
    seen = {goal}
    while layers[-1]:
        found: dict[Arrangement, None] = {}
        for arrangement in layers[-1]:
            for command in commands:
                earlier = command.before(arrangement)
                if earlier is not None and earlier not in seen:
                    found[earlier] = None
        seen.update(found)
        layers.append(tuple(found))
    return layers[:-1]

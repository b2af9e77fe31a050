"""Draws starts of permutation problems uniformly: from all arrangements, or from those at an exact distance.

Adjacent and free swaps have formulas (`tasks.permutations`). For other commands a breadth-first search backwards from
the goal visits all arrangements, which limits the number of items. Knows no environment.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from random import Random

from envs.domains.permutation_commands import Arrangement, commands_of
from envs.errors import BadEnvOption
from tasks.permutations import Generators, arrangement_at

MAX_ITEMS = 8
"""Largest number of items whose arrangements are all visited: 40,320 of them."""
MAX_COUNTED = 64
"""Largest number of items of which arrangements at a distance are counted by formula."""


def arrangement_from(
    rng: Random, goal: Arrangement, generators: Generators, *, conditional: bool, distance: int | None
) -> Arrangement:
    """Any start except the goal, or one exactly `distance` commands from the goal.

    Custom moves may not reach every arrangement; up to `MAX_ITEMS` items only starts that lead to the goal are drawn.
    """
    if len(goal) < 2 or len(set(goal)) < len(goal):
        raise BadEnvOption(f"An arrangement needs two or more different items, got {goal!r:.80}.")
    if distance is None and not isinstance(generators, str) and len(goal) <= MAX_ITEMS:
        return rng.choice([start for layer in _layers(goal, generators, conditional)[1:] for start in layer])
    if distance is None:
        while (start := tuple(rng.sample(goal, len(goal)))) == goal:
            pass
        return start
    if isinstance(distance, bool) or not isinstance(distance, int) or distance < 0:
        raise BadEnvOption(f"distance={distance!r}: give a whole number, 0 or more, or None for any start.")
    if generators in ("adjacent", "swaps"):
        assert isinstance(generators, str)
        if len(goal) > MAX_COUNTED:
            raise BadEnvOption(f"{len(goal)} items: exact distances are drawn up to {MAX_COUNTED} items.")
        farthest = len(goal) - 1 if generators == "swaps" else len(goal) * (len(goal) - 1) // 2
        if distance > farthest:
            raise BadEnvOption(f"distance={distance}: the farthest start is {farthest} of these commands away.")
        order = arrangement_at(distance, len(goal), generators, rng)
        return tuple(goal[place] for place in order)
    layers = _layers(goal, generators, conditional)
    if distance >= len(layers):
        raise BadEnvOption(f"distance={distance}: the farthest start is {len(layers) - 1} of these commands away.")
    return rng.choice(layers[distance])


@lru_cache(maxsize=16)
def _layers(goal: Arrangement, generators: Generators, conditional: bool) -> list[tuple[Arrangement, ...]]:
    """All arrangements by their exact distance from the goal."""
    if len(goal) > MAX_ITEMS:
        raise BadEnvOption(
            f"{len(goal)} items: exact distances of {generators!r} are computed up to {MAX_ITEMS} items "
            f"({factorial(MAX_ITEMS):,} arrangements). Leave distance out, or use 'swaps' or 'adjacent'."
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

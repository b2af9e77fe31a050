"""Commands of permutation problems: their effect on an arrangement, and their Python source.

A command is one statement of a plan program (`a, b = b, a`), optionally under a condition (`if a > b:`). Knows no task,
no goal and no search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from envs.errors import BadEnvOption
from tasks.permutations import COMMANDS, Generators

Arrangement = tuple[int, ...]

_LETTERS = "abcdeghijklmnopqrstuvwxyz"
"""Variable names of the places; `f` is left out because the plan function has this name."""
_MAX_MOVES = 2_000_000
"""Most entries of all commands together: 158 items with swaps, 1,414 with swaps of neighbours."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a plan, such as `swap 0 1`; places are counted from 0."""

    name: str
    moves: tuple[int, ...]
    """For each place, the place that its item comes from."""
    condition: tuple[int, int] | None = None
    """Places (i, j): the command acts only if the item at i is greater than the item at j."""

    @property
    def places(self) -> tuple[int, ...]:
        """The places whose item changes."""
        return tuple(place for place, origin in enumerate(self.moves) if place != origin)

    def holds(self, arrangement: Sequence[int]) -> bool:
        """Whether the condition holds; True without a condition."""
        if self.condition is None:
            return True
        left, right = self.condition
        return arrangement[left] > arrangement[right]

    def apply(self, arrangement: Arrangement) -> Arrangement:
        """The arrangement after this command."""
        return tuple(arrangement[origin] for origin in self.moves) if self.holds(arrangement) else arrangement

    def before(self, arrangement: Arrangement) -> Arrangement | None:
        """The arrangement that this command turns into the given one; None if its condition does not hold there."""
        earlier = [0] * len(self.moves)
        for place, origin in enumerate(self.moves):
            earlier[origin] = arrangement[place]
        return tuple(earlier) if self.holds(earlier) else None

    def lines(self, names: Sequence[str]) -> list[str]:
        """The Python source of the command, over these variable names."""
        targets = ", ".join(names[place] for place in self.places)
        values = ", ".join(names[self.moves[place]] for place in self.places)
        move = f"{targets} = {values}"
        if self.condition is None:
            return [move]
        left, right = self.condition
        return [f"if {names[left]} > {names[right]}:", f"    {move}"]

    def __str__(self) -> str:
        return self.name


def checked_generators(given: Any) -> Generators:
    """The generators as a name or as tuples; BadEnvOption where they are neither."""
    if isinstance(given, str):
        if given not in COMMANDS:
            raise BadEnvOption(f"No generators named {given!r}. Choose one of: {', '.join(COMMANDS)}.")
        return given
    rows = given if isinstance(given, Sequence) else ()
    if not rows or not all(isinstance(row, Sequence) and sorted(map(str, row)) == _places(len(row)) for row in rows):
        raise BadEnvOption(
            f"generators={given!r:.80}: give one of {', '.join(COMMANDS)}, or moves such as ((1, 0, 2), (1, 2, 0))."
        )
    return tuple(tuple(map(int, row)) for row in rows)


def _places(count: int) -> list[str]:
    return sorted(map(str, range(count)))


@lru_cache(maxsize=256)
def commands_of(items: int, generators: Generators, *, conditional: bool) -> tuple[Command, ...]:
    """Every command of the generators for this number of places, in a fixed order."""
    if isinstance(generators, str):
        checked_generators(generators)
        if items * (items - 1 if generators == "adjacent" else items * (items - 1) // 2) > _MAX_MOVES:
            raise BadEnvOption(f"{items} items are too many for {generators!r}; give fewer.")
        named = _named(items, generators)
    else:
        if any(len(move) != items for move in generators):
            raise BadEnvOption(f"generators={generators!r:.80}: each move must name all {items} places.")
        named = [(f"move {number}", tuple(move)) for number, move in enumerate(generators)]
    return tuple(_command(name, moves, conditional) for name, moves in named)


def place_names(items: int) -> tuple[str, ...]:
    """Variable names of the places: letters, or `v0`, `v1`, ... if there are not enough letters."""
    return tuple(_LETTERS[:items]) if items <= len(_LETTERS) else tuple(f"v{place}" for place in range(items))


def _named(items: int, generators: str) -> list[tuple[str, tuple[int, ...]]]:
    """The named commands of a set of generators, each with its moves."""
    pairs = [(i, j) for i in range(items) for j in range(i + 1, items)]
    still = tuple(range(items))
    if generators == "reversals":
        return [(f"reverse {i} {j}", still[:i] + still[i : j + 1][::-1] + still[j + 1 :]) for i, j in pairs]
    if generators == "adjacent":
        pairs = [(i, j) for i, j in pairs if j == i + 1]
    return [(f"swap {i} {j}", (*still[:i], j, *still[i + 1 : j], i, *still[j + 1 :])) for i, j in pairs]


def _command(name: str, moves: tuple[int, ...], conditional: bool) -> Command:
    places = [place for place, origin in enumerate(moves) if place != origin]
    if not places:
        raise BadEnvOption(f"{name} moves nothing ({moves}); leave it out of the generators.")
    return Command(name, moves, (places[0], places[-1]) if conditional else None)

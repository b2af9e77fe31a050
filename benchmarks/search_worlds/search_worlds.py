"""Small worlds to measure planners on: permutations sorted by swaps, exact and with systematic errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from planners import Model, Step

State = tuple[int, ...]
Swap = tuple[int, int]

FALSE_GOAL_SHARE = 0.25
"""Share of the errors that report the goal as reached; the others lead to another
arrangement."""


@dataclass(frozen=True, slots=True)
class Permutation:
    """Sort `items` numbers by swaps, of any two places or of neighbours."""

    items: int = 8
    neighbours: bool = False
    by_distance: bool = False
    """Value: how near all items are to their places, instead of the share of items in place."""
    swaps: tuple[Swap, ...] = field(init=False)
    goal: State = field(init=False)

    def __post_init__(self) -> None:
        n = self.items
        swaps = [(i, j) for i in range(n) for j in range(i + 1, n) if j == i + 1 or not self.neighbours]
        object.__setattr__(self, "swaps", tuple(swaps))
        object.__setattr__(self, "goal", tuple(range(n)))

    def actions(self, state: State) -> Sequence[Swap]:
        return self.swaps

    def step(self, moves: Sequence[tuple[State, Swap]], rng: Random) -> list[Step[State]]:
        return [self.at(self.swapped(state, swap)) for state, swap in moves]

    def swapped(self, state: State, swap: Swap) -> State:
        i, j = swap
        places = list(state)
        places[i], places[j] = places[j], places[i]
        return tuple(places)

    def at(self, state: State) -> Step[State]:
        """Return an arrangement with its value, which is also how a search starts there."""
        goal = self.goal
        if self.by_distance:
            away = sum(abs(place - item) for place, item in enumerate(state))
            return Step(state, value=1.0 - away / (len(goal) ** 2 // 2), end="goal" if state == goal else None)
        return Step(state, value=sum(map(int.__eq__, state, goal)) / len(goal), end="goal" if state == goal else None)

    def replay(self, state: State, plan: Sequence[Swap]) -> list[State]:
        """Return the real states that a plan leads through."""
        states = [state]
        for swap in plan:
            states.append(self.swapped(states[-1], swap))
        return states


def random_start(world: Permutation, seed: int) -> State:
    """Return a random arrangement for this seed."""
    return tuple(Random(seed).sample(range(world.items), world.items))


def distant_start(world: Permutation, seed: int) -> State:
    """Return an arrangement that is 10 to 20 neighbour swaps away from the goal, by seed."""
    rng, state, distance = Random(seed), world.goal, 10 + seed % 11
    while inversions(state) < distance:
        i = rng.randrange(world.items - 1)
        if state[i] < state[i + 1]:  # each such swap adds exactly one inversion
            state = world.swapped(state, (i, i + 1))
    return state


def inversions(state: State) -> int:
    """Return how many neighbour swaps sort the arrangement."""
    return sum(a > b for place, a in enumerate(state) for b in state[place + 1 :])


@dataclass(frozen=True, slots=True)
class Erring:
    """A model of the world that is wrong on a fixed share of moves, always in the same way."""

    world: Permutation
    rate: float
    seed: int

    def actions(self, state: State) -> Sequence[Swap]:
        return self.world.swaps

    def step(self, moves: Sequence[tuple[State, Swap]], rng: Random) -> list[Step[State]]:
        return [self.world.at(self._imagine(state, swap)) for state, swap in moves]

    def _imagine(self, state: State, swap: Swap) -> State:
        right = self.world.swapped(state, swap)
        luck = Random(f"{self.seed} {state} {swap}")  # a string seeds the same in every process
        if luck.random() >= self.rate:
            return right
        if luck.random() < FALSE_GOAL_SHARE:
            return self.world.goal
        return self.world.swapped(right, luck.choice(self.world.swaps))


@dataclass(frozen=True, slots=True)
class Taught:
    """A model that returns real steps where it knows them, and imagined steps elsewhere."""

    model: Model[State, Swap]
    real: dict[tuple[State, Swap], Step[State]] = field(default_factory=dict)

    def actions(self, state: State) -> Sequence[Swap]:
        return self.model.actions(state)

    def step(self, moves: Sequence[tuple[State, Swap]], rng: Random) -> list[Step[State]]:
        imagined = self.model.step(moves, rng)
        return [self.real.get(move, answer) for move, answer in zip(moves, imagined, strict=True)]  # type: ignore[arg-type]

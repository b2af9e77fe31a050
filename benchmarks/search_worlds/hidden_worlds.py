"""Tiger and RockSample: worlds with hidden state for `benchmarks.games`, and their exact values over beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from planners import ParticleBelief, Step

HEARS = 0.85
"""Probability that listening tells the right door."""
TigerState = tuple[int, str]
"""The tiger's door, and what was heard last."""


@dataclass(frozen=True)
class Tiger:
    """Two doors, a tiger behind one (Kaelbling, Littman and Cassandra, 1998): listening costs 1.

    A door opened puts the tiger behind a random one again; the tiger costs 100, the other door gains 10.
    """

    def actions(self, state: TigerState) -> Sequence[str]:
        return ("listen", "open 0", "open 1")

    def step(self, moves: Sequence[tuple[TigerState, str]], rng: Random) -> list[Step[TigerState]]:
        return [self._one(door, action, rng) for (door, _), action in moves]

    def _one(self, door: int, action: str, rng: Random) -> Step[TigerState]:
        if action == "listen":
            heard = door if rng.random() < HEARS else 1 - door
            return Step((door, f"hear {heard}"), -1.0)
        return Step((rng.randrange(2), "nothing"), -100.0 if action == f"open {door}" else 10.0)

    def observe(self, state: TigerState) -> str:
        return state[1]

    def belief(self, particles: int) -> ParticleBelief[TigerState]:
        """Return the belief at the start: both doors are equally likely."""
        return ParticleBelief(tuple((index % 2, "") for index in range(particles)), "")


def tiger_values(discount: float, horizon: int) -> dict[str, float]:
    """Return the exact value of each first action, for so many actions.

    Hearing door 0 and door 1 once each cancel out, so a belief is an integer: how much oftener door 0 was heard.
    """
    best = dict.fromkeys(range(-horizon, horizon + 1), 0.0)
    values: dict[str, float] = {}
    for left in range(1, horizon + 1):
        reach = horizon - left
        rows = {heard: _tiger_row(heard, best, discount) for heard in range(-reach, reach + 1)}
        best = {heard: max(row.values()) for heard, row in rows.items()}
        values = rows[0]
    return values


def _tiger_row(heard: int, best: dict[int, float], discount: float) -> dict[str, float]:
    """Return the value of each action for one belief, from the values of beliefs one action later."""
    behind_0 = 1.0 / (1.0 + ((1 - HEARS) / HEARS) ** heard)
    hear_0 = behind_0 * HEARS + (1 - behind_0) * (1 - HEARS)
    return {
        "listen": -1.0 + discount * (hear_0 * best[heard + 1] + (1 - hear_0) * best[heard - 1]),
        "open 0": 10.0 - 110.0 * behind_0 + discount * best[0],
        "open 1": 10.0 - 110.0 * (1 - behind_0) + discount * best[0],
    }


Rocks = tuple[bool, ...]
RockState = tuple[int, int, Rocks, str]
"""Column, row, which rocks are good, and what the sensor said last."""


@dataclass(frozen=True)
class RockSample:
    """A rover on a grid samples rocks that are good or bad (Smith and Simmons, 2004); the exit lies to the east.

    A good rock gains 10 and turns bad, a bad one costs 10, the exit gains 10. The sensor is less sure the farther away
    the rock is.
    """

    size: int = 4
    rocks: tuple[tuple[int, int], ...] = ((1, 0), (3, 1), (2, 2), (1, 3))
    start: tuple[int, int] = (0, 2)
    half: float = 20.0
    """Distance at which the sensor's efficiency is a half."""

    def actions(self, state: RockState) -> Sequence[str]:
        column, row = state[:2]
        walks = ["east", *(["west"] if column else []), *(["north"] if row else [])]
        walks += ["south"] if row < self.size - 1 else []
        sample = ["sample"] if (column, row) in self.rocks else []
        return (*walks, *sample, *(f"check {index}" for index in range(len(self.rocks))))

    def step(self, moves: Sequence[tuple[RockState, str]], rng: Random) -> list[Step[RockState]]:
        return [self._one(state, action, rng) for state, action in moves]

    def _one(self, state: RockState, action: str, rng: Random) -> Step[RockState]:
        column, row, good, _ = state
        if action.startswith("check"):
            index = int(action.split()[1])
            right = rng.random() < self.accuracy(column, row, index)
            return Step((column, row, good, "good" if good[index] == right else "bad"))
        if action == "sample":
            index = self.rocks.index((column, row))
            after = tuple(each and place != index for place, each in enumerate(good))
            return Step((column, row, after, ""), 10.0 if good[index] else -10.0)
        column, row = column + {"east": 1, "west": -1}.get(action, 0), row + {"south": 1, "north": -1}.get(action, 0)
        if column >= self.size:
            return Step((column, row, good, ""), 10.0, end="goal")
        return Step((column, row, good, ""))

    def accuracy(self, column: int, row: int, index: int) -> float:
        """Return how likely the sensor is right about a rock from here."""
        rock = self.rocks[index]
        distance = ((rock[0] - column) ** 2 + (rock[1] - row) ** 2) ** 0.5
        return float((1.0 + 2.0 ** (-distance / self.half)) / 2.0)

    def observe(self, state: RockState) -> tuple[int, int, str]:
        return state[0], state[1], state[3]

    def belief(self, particles: int) -> ParticleBelief[RockState]:
        """Return the belief at the start: each rock is good or bad with equal odds."""
        worlds = list(product((False, True), repeat=len(self.rocks)))
        states = [(*self.start, worlds[index % len(worlds)], "") for index in range(particles)]
        return ParticleBelief(tuple(states), self.observe(states[0]))


def go_east(state: RockState, actions: Sequence[str], rng: Random) -> str:
    """Choose the way to the exit: the rollout policy of RockSample, which knows nothing of rocks."""
    return "east"


def rock_values(world: RockSample, discount: float, horizon: int) -> dict[str, float]:
    """Return the exact value of each first action, for so many actions, by recursion over beliefs of each rock."""

    @cache
    def of(action: str, column: int, row: int, belief: tuple[float, ...], left: int) -> float:
        if action.startswith("check"):
            return discount * checked(int(action.split()[1]), column, row, belief, left)
        if action == "sample":
            index = world.rocks.index((column, row))
            after = tuple(0.0 if place == index else each for place, each in enumerate(belief))
            return 20.0 * belief[index] - 10.0 + discount * best(column, row, after, left - 1)
        column, row = column + {"east": 1, "west": -1}.get(action, 0), row + {"south": 1, "north": -1}.get(action, 0)
        return 10.0 if column >= world.size else discount * best(column, row, belief, left - 1)

    def checked(index: int, column: int, row: int, belief: tuple[float, ...], left: int) -> float:
        good, sure = belief[index], world.accuracy(column, row, index)
        total = 0.0
        for told_good in (True, False):
            like = sure if told_good else 1 - sure
            seen = good * like + (1 - good) * (1 - like)
            if not seen:
                continue
            after = tuple(round(good * like / seen, 12) if p == index else each for p, each in enumerate(belief))
            total += seen * best(column, row, after, left - 1)
        return total

    @cache
    def best(column: int, row: int, belief: tuple[float, ...], left: int) -> float:
        if not left:
            return 0.0
        state = (column, row, (), "")
        return max(of(action, column, row, belief, left) for action in world.actions(state))

    belief = (0.5,) * len(world.rocks)
    return {action: of(action, *world.start, belief, horizon) for action in world.actions((*world.start, (), ""))}

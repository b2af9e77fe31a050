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


@dataclass(frozen=True)
class TigerOptimum:
    """Exact values of Tiger over beliefs.

    Hearing door 0 and door 1 once each cancel out, so a belief is an integer: how much oftener door 0 was heard.
    """

    discount: float
    start: int = 0

    @cache  # noqa: B019  # few instances a process, and each keeps what it knows
    def values(self, heard: int, left: int) -> dict[str, float]:
        """Return the exact value of each action, for so many actions."""
        behind_0 = 1.0 / (1.0 + ((1 - HEARS) / HEARS) ** heard)
        hear_0 = behind_0 * HEARS + (1 - behind_0) * (1 - HEARS)
        again = self.discount * self.best(0, left - 1)
        more, less = self.best(heard + 1, left - 1), self.best(heard - 1, left - 1)
        return {
            "listen": -1.0 + self.discount * (hear_0 * more + (1 - hear_0) * less),
            "open 0": 10.0 - 110.0 * behind_0 + again,
            "open 1": 10.0 - 110.0 * (1 - behind_0) + again,
        }

    def best(self, heard: int, left: int) -> float:
        """Return the exact value of a belief."""
        return max(self.values(heard, left).values()) if left else 0.0

    def after(self, heard: int, action: str, state: TigerState) -> int:
        """Return the belief after an action that led to a state, of which the sound is seen."""
        return 0 if action != "listen" else heard + (1 if state[1] == "hear 0" else -1)


def tiger_values(discount: float, horizon: int) -> dict[str, float]:
    """Return the exact value of each first action, for so many actions."""
    return TigerOptimum(discount).values(0, horizon)


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


RockBelief = tuple[int, int, tuple[float, ...]]
"""Column, row, and the probability of each rock to be good."""


@dataclass(frozen=True)
class RockOptimum:
    """Exact values of RockSample over beliefs, by recursion."""

    world: RockSample
    discount: float

    @property
    def start(self) -> RockBelief:
        return (*self.world.start, (0.5,) * len(self.world.rocks))

    def values(self, belief: RockBelief, left: int) -> dict[str, float]:
        """Return the exact value of each action, for so many actions."""
        actions = self.world.actions((*belief[:2], (), ""))
        return {action: self._value(action, belief, left) for action in actions}

    @cache  # noqa: B019  # few instances a process, and each keeps what it knows
    def best(self, belief: RockBelief, left: int) -> float:
        """Return the exact value of a belief."""
        return max(self.values(belief, left).values()) if left else 0.0

    def after(self, belief: RockBelief, action: str, state: RockState) -> RockBelief:
        """Return the belief after an action that led to a state, of which place and sensor are seen."""
        if action.startswith("check"):
            return self._told(belief, int(action.split()[1]), good=state[3] == "good")[1]
        return (*state[:2], self._sampled(belief)[2]) if action == "sample" else (*state[:2], belief[2])

    def _value(self, action: str, belief: RockBelief, left: int) -> float:
        column, row, odds = belief
        if action.startswith("check"):
            told = [self._told(belief, int(action.split()[1]), good=good) for good in (True, False)]
            return self.discount * sum(seen * self.best(after, left - 1) for seen, after in told if seen)
        if action == "sample":
            gain = 20.0 * odds[self.world.rocks.index((column, row))] - 10.0
            return gain + self.discount * self.best(self._sampled(belief), left - 1)
        column, row = column + {"east": 1, "west": -1}.get(action, 0), row + {"south": 1, "north": -1}.get(action, 0)
        return 10.0 if column >= self.world.size else self.discount * self.best((column, row, odds), left - 1)

    def _told(self, belief: RockBelief, index: int, *, good: bool) -> tuple[float, RockBelief]:
        """Return how likely the sensor says so, and the belief after that."""
        column, row, odds = belief
        sure = self.world.accuracy(column, row, index)
        like = sure if good else 1 - sure
        seen = odds[index] * like + (1 - odds[index]) * (1 - like)
        share = round(odds[index] * like / seen, 12) if seen else 0.0
        return seen, (column, row, (*odds[:index], share, *odds[index + 1 :]))

    def _sampled(self, belief: RockBelief) -> RockBelief:
        index = self.world.rocks.index(belief[:2])
        return (*belief[:2], (*belief[2][:index], 0.0, *belief[2][index + 1 :]))


def rock_values(world: RockSample, discount: float, horizon: int) -> dict[str, float]:
    """Return the exact value of each first action, for so many actions."""
    optimum = RockOptimum(world, discount)
    return optimum.values(optimum.start, horizon)

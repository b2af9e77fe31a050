"""Selection scores: pure functions of numbers; knows no tree and no world.

Preference at a node, highest first:
1. the child with the larger value, scaled by the range of values seen so far;
2. the child with the larger prior for its visits (exploration);
3. among children never opened, the one with the largest prior; each has the value of its parent as an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from planners.errors import require_at_least


def exploration(prior: float, visits: int, parent_visits: int, *, c: float) -> float:
    """Return the part of PUCT that shrinks as a child is visited."""
    return c * prior * math.sqrt(parent_visits) / (1 + visits)


@dataclass(slots=True)
class Range:
    """Lowest and highest action value seen; scales values to a span of one in any world."""

    low: float = math.inf
    high: float = -math.inf
    scale: float = 1.0
    """Factor that makes the span one; 1 until two different values were seen."""

    def include(self, value: float) -> None:
        """Widen the range to hold `value`."""
        self.low, self.high = min(self.low, value), max(self.high, value)
        span = self.high - self.low
        self.scale = 1.0 / span if span > 0.0 else 1.0


@dataclass(frozen=True, slots=True)
class Widening:
    """Progressive widening for large action sets: at most `factor * visits ** power` children, always one."""

    factor: float = 2.0
    power: float = 0.5

    def __post_init__(self) -> None:
        require_at_least(0, factor=self.factor, power=self.power)

    def allows(self, opened: int, visits: int) -> bool:
        """Whether a node with so many opened children and visits may open one more."""
        return opened < max(1.0, self.factor * math.pow(visits, self.power))


@dataclass(frozen=True, slots=True)
class Gumbel:
    """Root selection by Gumbel noise and sequential halving (Danihelka et al., ICLR 2022, section 3).

    Below the root, PUCT is unchanged. Useful if there are few simulations and many actions.
    """

    considered: int = 16
    """Actions that enter the first round."""
    visit_offset: float = 50.0
    value_scale: float = 1.0
    """The paper's c_visit and c_scale: how fast values outweigh the prior."""

    def __post_init__(self) -> None:
        require_at_least(1, considered=self.considered)
        require_at_least(0, visit_offset=self.visit_offset, value_scale=self.value_scale)

    def sigma(self, value: float, most_visits: int) -> float:
        """Return a scaled value on the scale of logits."""
        return (self.visit_offset + most_visits) * self.value_scale * value


def gumbel_logits(prior: Sequence[float], rng: Random) -> list[float]:
    """Return log prior plus Gumbel noise for each action: its top k are a sample of k without replacement."""
    return [math.log(max(p, 1e-300)) - math.log(-math.log(rng.random() or 1e-300)) for p in prior]


@lru_cache(maxsize=32)
def halving_schedule(considered: int, simulations: int) -> tuple[int, ...]:
    """Return sequential halving as a table: how many visits the root child of each simulation has had."""
    if considered <= 1:
        return tuple(range(simulations))
    rounds = math.ceil(math.log2(considered))
    visits = [0] * considered
    schedule: list[int] = []
    alive = considered
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (rounds * alive))):
            schedule.extend(visits[:alive])
            visits[:alive] = [count + 1 for count in visits[:alive]]
        alive = max(2, alive // 2)
    return tuple(schedule[:simulations])

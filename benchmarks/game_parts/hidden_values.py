"""Returns of POMCP in Tiger and RockSample beside the exact optimum, and the exact loss of the actions it chose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from benchmarks.search_worlds.hidden_worlds import RockOptimum, RockSample, Tiger, TigerOptimum, go_east
from planners import POMCP, Limits, run

DISCOUNT = 0.95


@dataclass(frozen=True, slots=True)
class HiddenEpisode:
    """What one episode came to."""

    total: float
    """Its discounted return: the luck of the episode is in it."""
    loss: float
    """Discounted sum of what each action is worth less than the best one, exactly, by the exact belief of the moment.

    Its mean is the optimum less the value of the planner's policy, with a small part of the spread of `total`.
    """


def episode(name: str, horizon: int, simulations: int, seed: int) -> HiddenEpisode:
    """Play one episode of `horizon` actions, planned step by step from the particle belief."""
    world: Any = Tiger() if name == "tiger" else RockSample()
    more: dict[str, Any] = {"rollout": go_east} if name == "rocks" else {"rollout_depth": 0}
    planner, exact = POMCP(simulations=simulations, discount=DISCOUNT, particles=320, **more), exact_values(name)
    rng, belief = Random(seed), world.belief(320)
    state, known, total, loss, weight = rng.choice(belief.particles), exact.start, 0.0, 0.0, 1.0
    for left in range(horizon, 0, -1):
        search = planner.search(world, belief, Limits(calls=None, depth=left), rng)
        action = run(search).actions[0]
        step = world.step([(state, action)], rng)[0]
        total += weight * step.reward
        loss += weight * (exact.best(known, left) - exact.values(known, left)[action])
        weight *= DISCOUNT
        if step.end is not None:
            break
        state, known = step.state, exact.after(known, action, step.state)
        search.advance(action, world.observe(state))
        belief = search.belief
    return HiddenEpisode(total, loss)


@cache
def exact_values(name: str) -> Any:
    """Return the exact values of a world over beliefs."""
    return TigerOptimum(DISCOUNT) if name == "tiger" else RockOptimum(RockSample(), DISCOUNT)


def optimum(name: str, horizon: int) -> float:
    """Return the exact value of the start."""
    exact = exact_values(name)
    best: float = exact.best(exact.start, horizon)
    return best

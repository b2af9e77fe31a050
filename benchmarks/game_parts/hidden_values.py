"""Returns of POMCP in Tiger and RockSample, beside the exact optimum of the same number of actions."""

from __future__ import annotations

from random import Random
from typing import Any

from benchmarks.search_worlds.hidden_worlds import RockSample, Tiger, go_east, rock_values, tiger_values
from planners import POMCP, Limits, run

DISCOUNT = 0.95


def episode(name: str, horizon: int, simulations: int, seed: int) -> float:
    """Return the discounted return of one episode of `horizon` actions, planned step by step from the belief."""
    world: Any = Tiger() if name == "tiger" else RockSample()
    more: dict[str, Any] = {"rollout": go_east} if name == "rocks" else {"rollout_depth": 0}
    planner = POMCP(simulations=simulations, discount=DISCOUNT, particles=320, **more)
    rng, belief = Random(seed), world.belief(320)
    state, total, weight = rng.choice(belief.particles), 0.0, 1.0
    for left in range(horizon, 0, -1):
        search = planner.search(world, belief, Limits(calls=None, depth=left), rng)
        action = run(search).actions[0]
        step = world.step([(state, action)], rng)[0]
        total, weight = total + weight * step.reward, weight * DISCOUNT
        if step.end is not None:
            break
        state = step.state
        search.advance(action, world.observe(state))
        belief = search.belief
    return total


def optimum(name: str, horizon: int) -> float:
    """Return the exact value of the start."""
    values = tiger_values(DISCOUNT, horizon) if name == "tiger" else rock_values(RockSample(), DISCOUNT, horizon)
    return max(values.values())

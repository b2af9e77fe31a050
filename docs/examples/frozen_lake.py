"""Crosses a frozen lake by one plan: the goal pays 1, a hole ends the episode and pays nothing.

    python docs/examples/frozen_lake.py

`GymModel` reads both ends from the reward: the goal is a goal, the hole a failure. The state is one number, so planners
merge states that are met again.
"""

from random import Random

import gymnasium

from cwm_agent import GymModel
from planners import BestFirst, Limits, Planner


def cross(planner: Planner, seed: int = 0) -> tuple[list[int], float]:
    """The cells that the plan visits for real, and the reward."""
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    observation, info = env.reset(seed=seed)
    model = GymModel(key=lambda env: env.unwrapped.s)
    plan = planner.plan(model, model.start(env, observation, info), Limits(calls=1_000, depth=20), Random(seed))
    cells, reward = [], 0.0
    for action in plan.actions:
        cell, paid, *_ = env.step(action)
        cells.append(int(cell))
        reward += float(paid)
    return cells, reward


if __name__ == "__main__":
    print(*cross(BestFirst()))

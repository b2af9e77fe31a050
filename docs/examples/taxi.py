"""Drives a passenger by one plan: every move costs 1, a wrong pick-up 10, the right drop-off pays 20.

    python docs/examples/taxi.py

`info["action_mask"]` says which moves hit a wall; `GymModel` offers the others only. The table of transitions never
changes, so the copies share it.
"""

from random import Random

import gymnasium

from cwm_agent import GymModel
from planners import BestFirst, Limits, Planner


def drive(planner: Planner, seed: int = 0) -> tuple[float, str | None]:
    """The real return of the plan, and how the plan expects to end."""
    env = gymnasium.make("Taxi-v3" if "Taxi-v3" in gymnasium.registry else "Taxi-v4")
    observation, info = env.reset(seed=seed)
    model = GymModel(key=lambda env: env.unwrapped.s, share=("P",))
    plan = planner.plan(model, model.start(env, observation, info), Limits(calls=3_000, depth=40), Random(seed))
    return sum(float(env.step(action)[1]) for action in plan.actions), plan.end


if __name__ == "__main__":
    print(*drive(BestFirst()))

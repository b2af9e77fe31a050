"""Balances a pole by planning: a planner looks ahead, the agent makes the first move of the plan and plans again.

    python docs/examples/cart_pole.py

CartPole pays 1 for every step, the last one too, so its rewards do not say that a fallen pole is bad. `GymModel` reads
a terminated episode whose last reward is no larger than the one before as a failure, and planners avoid failures. Forty
imagined moves do not reach the fall, so each state is estimated by a playout: an episode of random actions.
"""

from random import Random

import gymnasium

from cwm_agent import GymModel
from planners import MCTS, Limits, Planner


def balance(planner: Planner, steps: int = 60, seed: int = 0) -> int:
    """The number of steps before the pole falls, at most `steps`."""
    env = gymnasium.make("CartPole-v1")
    observation, info = env.reset(seed=seed)
    model, rng = GymModel(playout=30), Random(seed)
    for step in range(steps):
        plan = planner.plan(model, model.start(env, observation, info), Limits(calls=40, depth=10), rng)
        observation, _, fallen, _, info = env.step(plan.actions[0])
        if fallen:
            return step + 1
    return steps


if __name__ == "__main__":
    print(balance(MCTS(simulations=40)), "steps")

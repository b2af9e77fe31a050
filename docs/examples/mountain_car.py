"""Drives a car up a mountain by one plan: every step costs 1, the last one too, so the goal is declared.

    python docs/examples/mountain_car.py

Rewards do not say that the end is the goal: `end="goal"` does. Positions and speeds are rounded, so that planners merge
states that are nearly the same, and a wrapper holds each action for eight steps. The value of a state is its energy.
"""

import math
from random import Random

import gymnasium

from cwm_agent import GymModel
from planners import Beam, Limits, Planner


class HeldActions(gymnasium.Wrapper):
    """Repeats each action eight times."""

    def step(self, action):
        total = 0.0
        for _ in range(8):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        return observation, total, terminated, truncated, info


def rounded(env):
    """States that are nearly the same."""
    position, speed = env.unwrapped.state
    return round(float(position) * 50), round(float(speed) * 500)


def energy(env, observation):
    """Height and speed together, which swinging increases; in units of steps that it saves."""
    position, speed = map(float, observation)
    return -150 + 4e4 * (math.sin(3 * position) * 0.0025 / 3 + speed**2 / 2)


def climb(planner: Planner, seed: int = 0) -> tuple[float, bool]:
    """The real return of the plan, and whether the car is up."""
    env = HeldActions(gymnasium.make("MountainCar-v0"))
    observation, info = env.reset(seed=seed)
    model = GymModel(key=rounded, value=energy, end="goal")
    plan = planner.plan(model, model.start(env, observation, info), Limits(calls=2_000, depth=25), Random(seed))
    results = [env.step(action) for action in plan.actions]
    return sum(result[1] for result in results), results[-1][2]


if __name__ == "__main__":
    print(*climb(Beam(width=16)))

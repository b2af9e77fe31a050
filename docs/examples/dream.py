"""Trains a policy in an imagined environment and tests it in the real one.

    python docs/examples/dream.py                # the embedded model imagines; about 20 s
    python docs/examples/dream.py exact          # reality in its place, for comparison

Four items are to be put in order by swaps. `ImaginedEnv` asks the oracle what a swap does; the learner is a table of
values (Q-learning), so nothing else needs to be installed. Then the greedy policy starts from every arrangement, for
real, and the last line says from how many it reaches the goal.
"""

import sys
from collections import defaultdict
from itertools import permutations
from random import Random

import cwm_agent
from cwm_agent.rollouts.imagined_env import ImaginedEnv

ITEMS = 4


def train(env, episodes, rng):
    """A table of action values, learnt by trial and error in an environment."""
    table = defaultdict(lambda: [0.0] * env.action_space.n)
    for episode in range(episodes):
        state, _ = env.reset(seed=episode)
        ended = False
        while not ended:
            values = table[tuple(state)]
            action = rng.randrange(len(values)) if rng.random() < 0.3 else values.index(max(values))
            after, reward, reached, cut, _ = env.step(action)
            best = 0.0 if reached else max(table[tuple(after)])
            values[action] += 0.5 * (float(reward) + best - values[action])
            state, ended = after, reached or cut
    return table


def success(env, table):
    """The number of starts from which the greedy policy reaches the goal."""
    reached = 0
    for start in list(permutations(range(ITEMS)))[1:]:
        state, _ = env.reset(seed=0, options={"start": start})
        for _ in range(ITEMS):
            values = table[tuple(state)]
            state, _, goal, cut, _ = env.step(values.index(max(values)))
            if goal or cut:
                reached += goal
                break
    return reached


def main(oracle="embedded", episodes=600):
    dream = ImaginedEnv(cwm_agent.make_env("Permutation-v0", items=ITEMS), cwm_agent.load_oracle(oracle))
    table = train(dream, episodes, Random(0))
    real = cwm_agent.make_env("Permutation-v0", items=ITEMS)
    print(f"trained in imagination by {oracle}: the goal is really reached from {success(real, table)} of 23 starts")


if __name__ == "__main__":
    main(*sys.argv[1:])

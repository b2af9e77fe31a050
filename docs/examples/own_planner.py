"""A planner of one's own: it follows the best child of each state, and starts again where that leads nowhere.

    cwm-agent solve savings.py --planner own_planner:Restarting
    python docs/examples/own_planner.py

A planner that extends paths is one generator: choose paths, `yield from book.grow(paths)`, and get them back one step
longer. It then works with ask and tell, in every domain, and for every world like `Line` below.
"""

from collections.abc import Sequence
from random import Random

from planners import Limits, PathPlanner, Step


class Restarting(PathPlanner):
    """Greedy walks from the start; each takes the best child that no walk has taken before."""

    def paths(self, book):
        taken = set()
        while not book.cut:
            path = book.start
            while path is not None and path.end is None and not book.cut:
                longer = yield from book.grow([path])
                fresh = [each for each in longer if each.actions not in taken]
                path = max(fresh, key=lambda each: each.score, default=None)
                taken |= {path.actions} if path is not None else set()
            if path is None or path.end == "goal":
                break
        return "exhausted"


class Line:
    """A world: whole numbers; actions add or double; the goal is 37."""

    def actions(self, state: int) -> Sequence[str]:
        return ("add 1", "double", "add 5")

    def step(self, moves, rng):
        after = {"add 1": lambda n: n + 1, "double": lambda n: n * 2, "add 5": lambda n: n + 5}
        return [self.arrive(after[action](state)) for state, action in moves]

    def arrive(self, number: int) -> Step[int]:
        end = "goal" if number == 37 else "failure" if number > 37 else None
        return Step(number, reward=-0.01, value=1.0 if end == "goal" else 1 - abs(37 - number) / 37, end=end)


if __name__ == "__main__":
    plan = Restarting().plan(Line(), 1, Limits(calls=500, depth=12), Random(0))
    print(plan.end, *plan.actions, sep=", ")

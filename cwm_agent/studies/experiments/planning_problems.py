"""Permutation problems of an exact distance, and one attempt at each as a row; the measuring that two studies share."""

from random import Random

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.permutation.plan_loop import solve_plan
from cwm_agent.agent.repair.repair_loop import Settings
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.protocol import View
from cwm_agent.studies.study_protocol import Row
from cwm_agent.studies.workbench import Workbench
from tasks.permutations import arrangement_at
from tasks.task import PermutationTask, Style

REAL_RUNS = 10
"""Plans that may be carried out; a failed one shows where its commands really lead."""
SECONDS = 600.0
"""A backstop; tokens are what limits an attempt, so that it can be repeated anywhere."""


def problems(
    generators: str, items: int, distance: int, count: int, seed: int, style: Style = "straight"
) -> list[PermutationTask]:
    """So many problems, each exactly so many commands from its goal; the same starts in every style."""
    rng = Random(f"{seed} {generators} {items} {distance}")
    return [
        PermutationTask(
            f"{generators}_{items}_{style}_{distance}_{number}",
            arrangement_at(distance, items, generators, rng),
            tuple(range(items)),
            generators,
            distance,
            style,
        )
        for number in range(count)
    ]


def attempt(
    problem: PermutationTask,
    bench: Workbench,
    *,
    oracle: str,
    view: View,
    guide: str,
    planner: str,
    tokens: int = 60_000,
) -> Row:
    """One problem attempted: `first` says that the first plan carried out led to the goal.

    What `exact` and `noisy` look at is not charged: they are the ceiling and the ruler of the experiment. In the
    history view it is the oracle under study that is asked.
    """
    budget = Budget(executions=REAL_RUNS, tokens=tokens, seconds=SECONDS)
    settings = Settings(planner, oracle, view, parse_guide(guide), budget, bench.seed, ceiling=True)
    done = solve_plan(problem, bench.uncached(view, oracle), settings)
    row = {"program": problem.id, "first": done.solved and len(done.runs) == 1, "solved": done.solved}
    length = len(done.runs[-1].patch) if done.solved else None
    return row | {"runs": len(done.runs), "commands": length, "tokens": int(done.spent["tokens"])}

"""Permutation problems of an exact distance, and the row of an attempt to solve one; two studies use them."""

from random import Random

from cwm_agent.agent.budget import Budget
from cwm_agent.agent.permutation.permutation_domain import solve_plan
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.workplace import Workplace
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.oracles.protocol import View
from cwm_agent.studies.study_protocol import Row
from cwm_agent.studies.workbench import Workbench
from tasks.permutations import arrangement_at
from tasks.task import PermutationTask, Style

REAL_RUNS = 10
"""Most plans that an attempt executes; the planner learns the real states from a failed one."""
SECONDS = 600.0
"""A safety limit; the token limit ends an attempt earlier, so results do not depend on the machine."""


def problems(
    generators: str, items: int, distance: int, *, count: int, seed: int, style: Style = "straight"
) -> list[PermutationTask]:
    """Problems with an exact distance, in commands, from start to goal; the starts are the same in every style."""
    rng = Random(f"{seed} {generators} {items} {distance}")
    return [
        PermutationTask(
            id=f"{generators}_{items}_{style}_{distance}_{number}",
            start=arrangement_at(distance, items, generators, rng),
            goal=tuple(range(items)),
            generators=generators,
            distance=distance,
            style=style,
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
    runs: int = REAL_RUNS,
) -> Row:
    """The row of one attempt; `first` is true where the first executed plan reached the goal.

    Real executions by the oracles `exact` and `noisy` are not charged: these oracles are the ceiling and the scale of
    the experiment. The history view asks the oracle under study.
    """
    budget = Budget(executions=runs, tokens=tokens, seconds=SECONDS)
    settings = Settings(
        planner=planner,
        oracle=oracle,
        view=view,
        guide=parse_guide(guide),
        budget=budget,
        seed=bench.seed,
        ceiling=True,
    )
    done = solve_plan(problem, Workplace(settings, oracle=bench.uncached(view, oracle)))
    row = {"program": problem.id, "first": done.solved and len(done.runs) == 1, "solved": done.solved}
    length = len(done.runs[-1].patch) if done.solved else None
    return row | {"runs": len(done.runs), "commands": length, "tokens": int(done.spent["tokens"])}

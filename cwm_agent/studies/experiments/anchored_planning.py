"""Anchored planning: search in imagination that executes a plan for real after every k-th command.

Such a real execution (a look) replaces the imagined state by the real one. Looks are counted: they are the cost of
anchoring. With k = 1 the search runs in reality. Knows no particular study.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from cwm_agent.agent.permutation.known_plans import PlanState
from cwm_agent.agent.permutation.permutation_domain import (
    CALLS,
    PermutationModel,
    longest_plan,
    model_of,
    plan_planner_named,
)
from cwm_agent.agent.permutation.permutation_model import step_to
from cwm_agent.imagination.guides import parse_guide
from cwm_agent.imagination.view_adapters import adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.studies.study_protocol import Row
from cwm_agent.studies.workbench import Workbench
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from planners import Limits, Step, plan_with
from tasks.task import PermutationTask


@dataclass(slots=True)
class Anchored:
    """A `planners.Model` in which the states after k, 2k, 3k, ... commands are real."""

    world: PermutationModel
    every: int
    """Commands between two looks."""
    looked: set[tuple[Command, ...]] = field(default_factory=set)
    """Plans that were executed for real."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every={self.every}: give a number of commands of at least 1.")

    def actions(self, state: PlanState) -> Sequence[Command]:
        return self.world.actions(state)

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """The imagined steps; steps at which a look is due are real."""
        found = self.world.step(moves, rng)
        for at, step in enumerate(found):
            plan = step.state.plan
            if len(plan) % self.every == 0 and plan not in self.looked:
                self.looked.add(plan)
                self.world.carry_out(plan)
                [real] = self.world.step([moves[at]], rng)  # the model returns what it has learnt
                found[at] = replace(real, tokens=step.tokens)
        return found


def anchored_attempt(
    problem: PermutationTask, bench: Workbench, *, oracle: str, view: View, guide: str, every: int, tokens: int
) -> Row:
    """The row of one problem, planned by beam search and executed once; `runs` counts the looks and that run."""
    core = PermutationCore.of_task(problem)
    chosen = parse_guide(guide)
    asked = adapter_of(view).cached(bench.uncached(view, oracle))
    inner = model_of(view, core, asked, chosen)
    world = Anchored(inner, every)
    limits = Limits(calls=CALLS, tokens=tokens, depth=longest_plan(core))
    start = step_to(core, inner.start(), core.start)
    found = plan_with(plan_planner_named("beam"), world, start, limits, rng=Random(bench.seed))
    found = found if found.end == "goal" else found.best_goal or found
    planned = found.end == "goal"
    works = planned and core.is_goal(core.run(found.actions))
    row = {"program": problem.id, "first": works, "solved": works, "runs": len(world.looked) + planned}
    return row | {"commands": len(found.actions) if works else None, "tokens": found.spent.tokens}

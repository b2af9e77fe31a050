"""Plans that are anchored: search in imagination that looks at reality after every k-th command of a plan.

A look carries the plan so far out and keeps what it shows; looks are counted, since they are what anchoring costs. With
k = 1 it is search in reality itself. Knows no study.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from cwm_agent.agent.permutation.history_model import HistoryPermutation
from cwm_agent.agent.permutation.known_plans import PlanState
from cwm_agent.agent.permutation.permutation_model import ImaginedPermutation, step_to
from cwm_agent.agent.permutation.plan_loop import CALLS, longest_plan, plan_planner_named
from cwm_agent.imagination.guides import Guide, parse_guide
from cwm_agent.imagination.view_adapters import FrameType, adapter_of
from cwm_agent.oracles.protocol import View
from cwm_agent.studies.study_protocol import Row
from cwm_agent.studies.workbench import Workbench
from envs.domains.permutation_commands import Command
from envs.domains.permutation_core import PermutationCore
from envs.execution.state.frames import Frame
from envs.execution.state.history_frames import HistoryFrame
from planners import Limits, Step
from tasks.task import PermutationTask


@dataclass(slots=True)
class Anchored:
    """A world whose plans of k, 2k, 3k .. commands stand where they really lead. A `planners.Model`."""

    world: ImaginedPermutation | HistoryPermutation
    every: int
    """Commands between looks."""
    looked: set[tuple[Command, ...]] = field(default_factory=set)
    """Plans that were carried out for it."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"Looks after every {self.every} commands make no sense; give at least 1.")

    def actions(self, state: PlanState) -> Sequence[Command]:
        return self.world.actions(state)

    def step(self, moves: Sequence[tuple[PlanState, Command]], rng: Random) -> list[Step[PlanState]]:
        """What the world imagines, and what is real where a look is due."""
        found = self.world.step(moves, rng)
        for at, step in enumerate(found):
            plan = step.state.plan
            if len(plan) % self.every == 0 and plan not in self.looked:
                self.looked.add(plan)
                self.world.learn(plan)
                [real] = self.world.step([moves[at]], rng)  # what was learnt is not imagined again
                found[at] = replace(real, tokens=step.tokens)
        return found


PermutationModel = ImaginedPermutation | HistoryPermutation
_MODELS: dict[FrameType, Callable[[PermutationCore, Any, Any, Guide], PermutationModel]] = {
    Frame: ImaginedPermutation,
    HistoryFrame: lambda core, oracle, view, guide: HistoryPermutation(core, oracle, guide),
}


def anchored_attempt(
    problem: PermutationTask, bench: Workbench, *, oracle: str, view: View, guide: str, every: int, tokens: int
) -> Row:
    """One problem planned for by beam search and carried out once; `runs` are the looks and that one run."""
    core = PermutationCore.of_task(problem)
    chosen = parse_guide(guide)
    asked = adapter_of(view).cached(bench.uncached(view, oracle))
    inner = _MODELS[adapter_of(view).frame_type](core, asked, view, chosen)
    world = Anchored(inner, every)
    limits = Limits(calls=CALLS, tokens=tokens, depth=longest_plan(core))
    start = step_to(core, inner.start(), core.start)
    found = plan_planner_named("beam").plan(world, start, limits, Random(bench.seed))
    found = found if found.terminal else found.best_terminal or found
    works = found.terminal and core.is_goal(core.run(found.actions))
    row = {"program": problem.id, "first": works, "solved": works, "runs": len(world.looked) + found.terminal}
    return row | {"commands": len(found.actions) if works else None, "tokens": found.spent.tokens}
